"""Detaching: `konverge up` in the background, in a session of its own, with its words in a file.

Who started it waits until the cluster is ready, and hears why it is not: the other end of a pipe says so, or is closed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from konverge.cli.run_state import Run, RunState
from konverge.cli.up_run import Options
from konverge.cli.up_status import Place, usage
from konverge.errors import ConfigError

LOG: Final = "up.log"


def run_detached(options: Options) -> None:
    """Start it, and return when it is ready. Raises `ConfigError` where it does not come to that."""
    RunState(options.folder).require_down()  # who is up already is told here, and its words are not written over
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as ready:
        try:
            process = _start(options, writing)
        finally:
            os.close(writing)
        said = _read(ready, process)
    if not said:
        raise ConfigError(_why(options.folder / LOG, process.wait()))
    for line in _lines(options, msgspec.json.decode(said, type=Run)):
        print(line, flush=True)  # noqa: T201 - a program's words to its user


def _read(ready: BinaryIO, process: subprocess.Popen[bytes]) -> bytes:
    """Return what it says when it is ready. Who does not want to wait for that does not want it at all."""
    try:
        return ready.read()  # ends when the other end is closed, by whatever
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
        raise


def _start(options: Options, ready: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "konverge.cli", "up", *options.arguments(), "--ready", str(ready)]
    descriptor = os.open(options.folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as log:
        return subprocess.Popen(  # noqa: S603 - our own program
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(ready,),
            start_new_session=True,  # the terminal's Ctrl-C and its end are not for it
        )


def _why(log: Path, code: int) -> str:
    """Return what it had to say before it ended."""
    words = log.read_text(errors="replace").strip().splitlines()
    last = next((line.removeprefix("error: ") for line in reversed(words) if line.startswith("error: ")), "")
    return last or f"konverge up has ended with code {code} before it was ready; {log} has its words"


def _lines(options: Options, run: Run) -> tuple[str, ...]:
    from konverge.cluster.identity import NAME  # noqa: PLC0415 - not for who fails

    context = NAME if options.context else ""
    return usage(Place(url=run.url, kubeconfig=Path(run.kubeconfig), data="", node="", context=context))
