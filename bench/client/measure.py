"""Runs one work of one library in this process and prints what it cost, as one line of JSON.

    python measure.py with_lightkube list_custom '{"namespace": "bench", "count": 10000, "version": "123"}'

A library's module has a class `Works` whose methods are the works; if they are coroutines, they run in an event loop.
CPU is user and system time of this process with all its threads, after the import and after a first request, so that
neither reading certificates nor the first handshake counts. Import time and peak memory are told beside it.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import inspect
import json
import resource
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BOUND = 32  # creates under way at a time

_started: list[float] = []
_ended: list[float] = []


@dataclass(frozen=True)
class Task:
    """What to do, as the driver says it."""

    namespace: str
    count: int
    version: str = ""  # a watch starts here
    prefix: str = ""  # names of what is created

    @property
    def names(self) -> list[str]:
        """The names of the objects to create."""
        return [f"{self.prefix}-{number}" for number in range(self.count)]


def main(module: str, work: str, arguments: str) -> None:
    """Import, connect, work, report."""
    before = _now()
    works = importlib.import_module(module).Works()
    imported = _now()
    task = Task(**json.loads(arguments))
    if inspect.iscoroutinefunction(works.create):
        done = asyncio.run(_run_async(works, work, task))
    else:
        done = _run(works, work, task)
    if done != task.count:
        sys.exit(f"{module} {work}: {done} of {task.count} objects")
    print(json.dumps(_report(before, imported)))


async def _run_async(works: Any, work: str, task: Task) -> int:
    async with works:
        await works.warm_up(task.namespace)
        _begin()
        done = await _do_async(works, work, task)
        _end()
    return done


async def _do_async(works: Any, work: str, task: Task) -> int:
    match work:
        case "create_sequential":
            return len({works.name(await works.create(task.namespace, name)) for name in task.names})
        case "create_concurrent":
            return await _create_bounded(works, task)
        case "watch_custom" | "watch_pods":
            return await _count_async(works, getattr(works, work)(task.namespace, task.version), task.count)
    return _distinct(works.name, await getattr(works, work)(task.namespace))


async def _create_bounded(works: Any, task: Task) -> int:
    names, done = iter(task.names), set()

    async def worker() -> None:
        for name in names:
            done.add(works.name(await works.create(task.namespace, name)))

    await asyncio.gather(*(worker() for _ in range(BOUND)))
    return len(done)


async def _count_async(works: Any, events: Any, count: int) -> int:
    names = set()
    async for event in events:
        names.add(works.event_name(event))
        if len(names) == count:
            break
    return len(names)


def _run(works: Any, work: str, task: Task) -> int:
    with works:
        works.warm_up(task.namespace)
        _begin()
        done = _do(works, work, task)
        _end()
    return done


def _do(works: Any, work: str, task: Task) -> int:
    match work:
        case "create_sequential":
            return len({works.name(works.create(task.namespace, name)) for name in task.names})
        case "create_concurrent":
            with ThreadPoolExecutor(BOUND) as pool:
                return _distinct(works.name, pool.map(lambda name: works.create(task.namespace, name), task.names))
        case "watch_custom" | "watch_pods":
            return _count(works, getattr(works, work)(task.namespace, task.version), task.count)
    return _distinct(works.name, getattr(works, work)(task.namespace))


def _count(works: Any, events: Iterable[Any], count: int) -> int:
    names = set()
    for event in events:
        names.add(works.event_name(event))
        if len(names) == count:
            break
    return len(names)


def _distinct(name: Callable[[Any], str], objects: Iterable[Any]) -> int:
    """Touch each object, so that one which is decoded on first use is decoded, at least as far as its name."""
    return len({name(obj) for obj in objects})


def _now() -> list[float]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return [used.ru_utime + used.ru_stime, time.perf_counter()]


def _begin() -> None:
    gc.collect()  # what the import left behind is not the work's
    _started[:] = _now()


def _end() -> None:
    _ended[:] = _now()


def _report(before: list[float], imported: list[float]) -> dict[str, float]:
    return {
        "cpu": _ended[0] - _started[0],
        "wall": _ended[1] - _started[1],
        "import": imported[0] - before[0],
        "peak_mb": _peak_kb() / 1024,
    }


def _peak_kb() -> int:
    """Ask the kernel: what getrusage says on Linux begins with the size of the process that started this one."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main(*sys.argv[1:])
