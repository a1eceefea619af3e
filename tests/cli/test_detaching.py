"""`konverge up --detach`, while who started it waits."""

from __future__ import annotations

import io
import signal
import subprocess
import sys

import pytest

from konverge.cli.detaching import _read


class Interrupted(io.BytesIO):
    """A pipe at which Ctrl-C is pressed before the other end has said anything."""

    def read(self, _size: int | None = -1, /) -> bytes:
        """Wait no longer."""
        raise KeyboardInterrupt


def test_ctrl_c_before_it_is_ready_leaves_nothing_in_the_background() -> None:
    """Who has not been told of a process would never end it."""
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as process:
        with pytest.raises(KeyboardInterrupt):
            _read(Interrupted(), process)
        assert process.returncode == -signal.SIGTERM
