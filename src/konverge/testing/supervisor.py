"""Owns the processes and the folder of a test cluster, and removes both however its owner ends.

The supervisor is a process of its own. Its standard input is a pipe that only the owner holds, so the end of that
pipe means that the owner is gone, by SIGKILL too; then, or on SIGTERM, it ends its children (TERM, a grace, KILL)
and removes the folder. On Linux the children also die with a supervisor that is itself killed.

It is run by path with `python -I -S`, so it may import the standard library alone. A command is one line of JSON on
standard input, and so is its answer on standard output; `processes` is the owner's end.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_STOP_GRACE = 10.0  # seconds between TERM and KILL for one process that will be started again
_END_GRACE = 1.0  # the same at the end, for all of them: what they would still write is thrown away
_PARENT_CHECK = 1.0  # seconds between two looks at whether the owner is still the parent
_PR_SET_PDEATHSIG = 1


class Refused(Exception):
    """A command that cannot be carried out, and why."""


class _Children:
    """The processes by name. Every method returns within the grace, so a signal never waits for long."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._on_fork = _die_with_parent()

    def start(self, name: str, command: list[str]) -> dict[str, Any]:
        if name in self._running and self._running[name].poll() is None:
            raise Refused(f"{name} is running")
        with (self._folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(  # noqa: S603 - the owner's own command
                command,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=self._on_fork,  # noqa: PLW1509 - this process has one thread
            )
        return {"pid": self._running[name].pid}

    def stop(self, name: str) -> dict[str, Any]:
        self._end([self._named(name)], _STOP_GRACE)
        return {"code": self._named(name).returncode}

    def kill(self, name: str) -> dict[str, Any]:
        self._named(name).kill()
        return {"code": self._named(name).wait()}

    def status(self) -> dict[str, Any]:
        return {"processes": {name: (child.pid, child.poll()) for name, child in self._running.items()}}

    def end(self) -> None:
        self._end([*self._running.values()], _END_GRACE)

    def _named(self, name: str) -> subprocess.Popen[bytes]:
        if name not in self._running:
            raise Refused(f"{name} was never started")
        return self._running[name]

    @staticmethod
    def _end(children: list[subprocess.Popen[bytes]], grace: float) -> None:
        for child in children:
            child.terminate()
        deadline = time.monotonic() + grace
        for child in children:
            try:
                child.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _die_with_parent() -> Callable[[], None] | None:
    """Return what a child does before it becomes its program: ask Linux to be killed when this process dies."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up here: a child between fork and exec should do little
    supervisor = os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != supervisor:
            os._exit(1)

    return ask


def _carry_out(children: _Children, command: Mapping[str, Any]) -> dict[str, Any]:
    arguments = {key: value for key, value in command.items() if key != "do"}
    try:
        answer: dict[str, Any] = getattr(children, command["do"])(**arguments)
    except (Refused, OSError) as error:
        return {"error": str(error)}
    return answer


def _serve(children: _Children, wake: int) -> None:
    """Carry out commands until the pipe ends, the parent changes, or a signal wakes us."""
    parent, pending = os.getppid(), b""
    while True:
        ready, _, _ = select.select([0, wake], [], [], _PARENT_CHECK)
        # A process that the owner forked may still hold the pipe; the owner's death then shows here alone.
        if wake in ready or os.getppid() != parent:
            return
        if not ready:
            continue
        received = os.read(0, 65536)
        if not received:
            return
        *lines, pending = (pending + received).split(b"\n")
        for line in lines:
            _say(_carry_out(children, json.loads(line)))


def _say(answer: Mapping[str, Any]) -> None:
    os.write(1, json.dumps(answer).encode() + b"\n")


def _wake_on(*signals: signal.Signals) -> int:
    """Let signals do nothing but make the returned descriptor readable, so that none cuts an action in two."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable)
    for number in signals:
        signal.signal(number, lambda *_: None)
    return readable


def main() -> None:
    """Be the supervisor: make the folder, tell its path, and serve until the owner is gone."""
    wake = _wake_on(signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    folder = Path(tempfile.mkdtemp(prefix="konverge-"))
    children = _Children(folder)
    try:
        _say({"folder": str(folder)})
        _serve(children, wake)
    except BrokenPipeError:
        pass  # nobody hears the answer: the owner is gone
    finally:
        children.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
