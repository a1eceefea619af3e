"""Which reconcile each task is busy with: what a watchdog and a dump name."""

from __future__ import annotations

import asyncio


class Activity:
    """Filled by controllers around each reconcile, on their loop; read from any thread."""

    def __init__(self) -> None:
        self._by_task: dict[asyncio.Task[object], tuple[str, object]] = {}

    def began(self, controller: str, request: object) -> asyncio.Task[object] | None:
        """Note what the current task reconciles; return the task, for the end."""
        task = asyncio.current_task()
        if task is not None:
            self._by_task[task] = (controller, request)  # put into words by who asks
        return task

    def ended(self, task: asyncio.Task[object] | None) -> None:
        """Note that a task is done with it."""
        if task is not None:
            self._by_task.pop(task, None)

    def of(self, task: asyncio.Task[object] | None) -> str:
        """Return what a task reconciles, else its name; empty for no task."""
        if task is None:
            return ""
        busy = self._by_task.get(task)
        return _said(busy) if busy is not None else task.get_name()


def _said(busy: tuple[str, object]) -> str:
    controller, request = busy
    return f"{controller} {request}"
