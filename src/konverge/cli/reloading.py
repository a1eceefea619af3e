"""Reloading: what `konverge run --dev` does: the operator in a process of its own, started again when its files change.

A new process is a clean start, which importing modules again is not. An operator that ends by itself, for a syntax
error or an exception, is told of and left until the next change. A cluster of `--local` is not in its process, and
stays.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from konverge.cli.source_files import State, changes, state_of

_LOOK_EVERY: Final = 0.25  # seconds; a walk through a project takes milliseconds
_END_WITHIN: Final = 35.0  # seconds for the operator to end in order, somewhat more than a manager's own limit
_SHOWN: Final = 3  # names of changed files


def run_again(command: Sequence[str], target: str) -> None:
    """Run a command, again after each change, until SIGINT or SIGTERM."""
    place = Path(target.partition(":")[0])
    folders = [Path(), *([place.parent] if place.suffix == ".py" and place.is_absolute() else [])]
    asyncio.run(_Reloading([*command, f"--parent={os.getpid()}"], folders).run())


class _Reloading:
    def __init__(self, command: Sequence[str], folders: Sequence[Path]) -> None:
        self._command, self._folders = command, folders
        self._stop = asyncio.Event()
        self._was_told = False  # the operator has had the signal that we had

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._asked, number)
        while not self._stop.is_set():
            seen = state_of(*self._folders)
            child = await asyncio.create_subprocess_exec(*self._command)
            try:
                changed = await self._until_change(child, seen)
            finally:
                await self._end(child)
            if changed:
                _say(f"{_names(changed)} changed: starting again")

    def _asked(self, number: signal.Signals) -> None:
        # Ctrl-C goes to every process of the terminal; a second signal would cut the operator's end short.
        self._was_told = number == signal.SIGINT and sys.stdin.isatty()
        self._stop.set()

    async def _until_change(self, child: asyncio.subprocess.Process, seen: State) -> list[Path]:
        """Return the files that changed and have come to rest; nothing if it is time to stop."""
        last, was_told = seen, False
        while not self._stop.is_set():
            if child.returncode is not None and not was_told:
                _say(f"the operator ended with {child.returncode}: waiting for a change")
                was_told = True
            now = state_of(*self._folders)
            if now == last and now != seen:
                return changes(seen, now)
            last = now
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), _LOOK_EVERY)
        return []

    async def _end(self, child: asyncio.subprocess.Process) -> None:
        if not self._was_told:
            _send(child, signal.SIGTERM)
        try:
            await asyncio.wait_for(child.wait(), _END_WITHIN)
        except TimeoutError:
            _send(child, signal.SIGKILL)
            await child.wait()


def _send(child: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if child.returncode is None:
        with suppress(ProcessLookupError):
            child.send_signal(number)


def _names(changed: Sequence[Path]) -> str:
    rest = len(changed) - _SHOWN
    return ", ".join(map(str, changed[:_SHOWN])) + (f" and {rest} more" if rest > 0 else "")


def _say(text: str) -> None:
    print(f"--- {text}", flush=True)  # noqa: T201 - a program's words to its user
