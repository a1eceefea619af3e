"""WorkerThreads: the threads that plain `def` reconciles run in; it knows which of them still do."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class WorkerThreads(ThreadPoolExecutor):
    """One thread per worker, so that no reconcile waits for a thread.

    A thread cannot be ended from outside, and a process does not exit before its last one: who ends it must know.
    """

    def __init__(self, count: int, name: str) -> None:
        super().__init__(count, thread_name_prefix=name)
        self._under_way: dict[Future[Any], None] = {}

    @property
    def busy(self) -> int:
        """How many reconciles have not returned."""
        return len(self._under_way)

    def submit(self, call: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Call in a thread."""
        future = super().submit(call, *args, **kwargs)
        self._under_way[future] = None
        future.add_done_callback(self._ended)
        return future

    def _ended(self, future: Future[Any]) -> None:
        self._under_way.pop(future, None)
