"""Taking down: what `konverge down` does: asks the process that is up on a folder to end, and waits until it has."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Final

from konverge.cli.run_state import Run, RunState
from konverge.errors import ConfigError

_PATIENCE: Final = 60.0  # seconds; pods get a few to end in order, and a write under way its own


def take_down(folder: Path) -> str:
    """End what is up on a folder; return a sentence about it. Raises `ConfigError`."""
    state = RunState(folder)
    run = state.running()
    if run is None:
        return f"nothing is up on {folder}"
    _ask_to_end(run, folder)
    _await_end(state, run)
    return f"stopped (pid {run.pid})"


def _ask_to_end(run: Run, folder: Path) -> None:
    if not run.pid or not run.is_there:
        raise ConfigError(
            f"{folder}: somebody is up there, and it is no process that can be seen from here: it is just starting, or "
            "runs on another machine or in a container; try again, or stop it there"
        )
    try:
        os.kill(run.pid, signal.SIGTERM)
    except PermissionError as error:
        raise ConfigError(f"{folder}: konverge is up as another user (pid {run.pid}); stop it as that one") from error
    except ProcessLookupError:
        return  # it has just ended by itself


def _await_end(state: RunState, run: Run) -> None:
    ended = threading.Event()

    def wait() -> None:
        state.wait_until_down()
        ended.set()

    threading.Thread(target=wait, name="konverge-down", daemon=True).start()
    if not ended.wait(_PATIENCE):
        raise ConfigError(
            f"{state.folder}: konverge (pid {run.pid}) has not ended within {_PATIENCE:.0f} s; `kill -9 {run.pid}` "
            "ends it, and the next `konverge up` clears away what its pods leave"
        )
