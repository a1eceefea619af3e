"""Which reconcile each task is busy with: what a watchdog and a dump name."""

from __future__ import annotations

import asyncio


class Activity:
    """Filled by controllers around each reconcile, on their loop; read from any thread."""

    def __init__(self) -> None:
        self._by_task: dict[asyncio.Task[object], str] = {}

    def began(self, controller: str, request: object) -> None:
        """Note what the current task reconciles."""
        task = asyncio.current_task()
        if task is not None:
            self._by_task[task] = f"{controller} {request}"

    def ended(self) -> None:
        """Note that the current task is done with it."""
        task = asyncio.current_task()
        if task is not None:
            self._by_task.pop(task, None)

    def of(self, task: asyncio.Task[object] | None) -> str:
        """Return what a task reconciles, else its name; empty for no task."""
        if task is None:
            return ""
        return self._by_task.get(task) or task.get_name()
