"""What several tests of the testing package share: waiting for a foreign process to be gone, by event."""

import os
import select
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

PATIENCE = 60  # seconds after which a test fails instead of hanging


@pytest.fixture
def watch_end() -> Iterator[Callable[[int], Callable[[], None]]]:
    """Take hold of a running process, of anyone; the returned function waits until it has ended."""
    with ExitStack() as stack:

        def hold(pid: int) -> Callable[[], None]:
            descriptor = os.pidfd_open(pid)
            stack.callback(os.close, descriptor)

            def ended() -> None:
                assert select.select([descriptor], [], [], PATIENCE)[0], f"process {pid} is still there"

            return ended

        yield hold
