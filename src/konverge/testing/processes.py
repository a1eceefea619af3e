"""The owner's end of `supervisor`: start, stop and kill the programs of a test cluster by name, from any thread."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from konverge.errors import KonvergeError

_CLOSE_WITHIN = 15.0  # seconds in which a supervisor that is told to end must be gone
_GONE = "the supervisor of the cluster's processes is gone: start a new cluster"


class ClusterError(KonvergeError):
    """The test cluster did not start, or cannot do what was asked; the message has the end of the program's log."""


class Processes:
    """The processes of one cluster and the folder they share; `close` ends the ones and removes the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # one command and its answer at a time
        self._supervisor = subprocess.Popen(  # noqa: S603 - our own file, by the interpreter that runs us
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is for the owner, which then closes the pipe
        )
        self.supervisor_pid = self._supervisor.pid
        self.folder = Path(self._answer()["folder"])

    def start(self, name: str, command: Sequence[str]) -> int:
        """Start a process that appends its output to NAME.log in the folder, and return its pid."""
        return int(self._ask(do="start", name=name, command=list(command))["pid"])

    def stop(self, name: str) -> int:
        """End a process by TERM, after a grace by KILL, and return its exit code."""
        return int(self._ask(do="stop", name=name)["code"])

    def kill(self, name: str) -> int:
        """End a process by KILL and return its exit code."""
        return int(self._ask(do="kill", name=name)["code"])

    def status(self) -> dict[str, tuple[int, int | None]]:
        """Return the pid and, where it has ended, the exit code of each process that was started."""
        return {name: (pid, code) for name, (pid, code) in self._ask(do="status")["processes"].items()}

    def close(self) -> None:
        """End everything and remove the folder; returns when that is done, and may be called again."""
        with self._lock:
            for pipe in (self._supervisor.stdin, self._supervisor.stdout):
                with suppress(BrokenPipeError):  # it is gone already
                    pipe.close()  # type: ignore[union-attr]  # both are pipes since __init__
            try:
                self._supervisor.wait(_CLOSE_WITHIN)
            except subprocess.TimeoutExpired:
                self._supervisor.kill()
                self._supervisor.wait()
        shutil.rmtree(self.folder, ignore_errors=True)  # there only if the supervisor was killed

    def _ask(self, **command: Any) -> dict[str, Any]:
        pipe = self._supervisor.stdin
        with self._lock:
            if pipe is None or pipe.closed:
                raise ClusterError("the cluster is closed: use it inside its with block")
            try:
                pipe.write(json.dumps(command).encode() + b"\n")
                pipe.flush()
            except BrokenPipeError as error:
                raise ClusterError(_GONE) from error
            return self._answer()

    def _answer(self) -> dict[str, Any]:
        pipe = self._supervisor.stdout
        line = pipe.readline() if pipe else b""
        if not line:
            raise ClusterError(_GONE)
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ClusterError(answer["error"])
        return answer
