"""The dump: what every task, queue and cache is doing, as text, for a process that misbehaves.

`kill -USR1` writes it to standard error. It shows names, numbers and lines of code, never objects or their contents.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from types import CoroutineType, FrameType
from typing import Any

from konverge.cache.cache import Cache
from konverge.cache.informer import Informer
from konverge.manager.activity import Activity
from konverge.metrics import QueueLevels


def tasks(loop: asyncio.AbstractEventLoop, activity: Activity) -> Iterator[str]:
    """Yield each task with the lines it waits at, outermost first."""
    found = sorted(asyncio.all_tasks(loop), key=lambda task: task.get_name())
    yield f"{len(found)} tasks"
    for task in found:
        yield f"  {task.get_name()}: {activity.of(task)}"
        yield from (f"    {line}" for line in _waiting_at(task))


def _waiting_at(task: asyncio.Task[Any]) -> Iterator[str]:
    coro: Any = task.get_coro()
    while isinstance(coro, CoroutineType):
        frame = coro.cr_frame
        if frame is not None:
            yield f"{coro.__qualname__} at {PurePath(frame.f_code.co_filename).name}:{frame.f_lineno}"
        coro = coro.cr_await


def threads() -> Iterator[str]:
    """Yield each thread with its stack."""
    frames: Mapping[int, FrameType] = sys._current_frames()  # noqa: SLF001 - the one way to see other threads' stacks
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    yield f"{len(frames)} threads"
    for ident, frame in frames.items():
        yield f"  {names.get(ident, ident)}"
        for entry in traceback.format_stack(frame):
            yield from (f"  {line}" for line in entry.rstrip().splitlines())


def queues(levels: Mapping[str, QueueLevels]) -> Iterator[str]:
    """Yield the levels of each queue."""
    yield f"{len(levels)} queues"
    for name, state in levels.items():
        yield f"  {name}: {state}"


def caches(cache: Cache) -> Iterator[str]:
    """Yield each informer with its size, its state and its problems."""
    informers: Iterable[Informer[Any]] = cache.informers
    yield f"{len(cache.informers)} informers"
    for informer in informers:
        size = sum(feed.store.bytes for feed in informer.feeds)
        yield f"  {informer!r}, {size} bytes, {informer.handlers} handlers"
        for feed in informer.feeds:
            yield f"    {feed.namespace or 'all namespaces'}: {feed.state}"
