from __future__ import annotations

import threading

import pytest

from konverge.errors import ConfigError
from konverge.manager import Manager
from konverge.testing import ThreadedCluster
from konverge.testing.manager_thread import ManagerThread


def test_a_manager_runs_while_the_block_is_entered() -> None:
    """On a thread of its own, which ends with the block."""
    begun = threading.Event()

    class Task:
        name = "task"

        async def run(self) -> None:
            begun.set()

    with ThreadedCluster() as cluster, ManagerThread(cluster.manager, lambda manager: manager.add(Task())):
        assert begun.wait(60)


def test_what_cannot_be_added_is_raised_at_the_start() -> None:
    """The block is not entered."""

    def refuse(_manager: Manager) -> None:
        raise ConfigError("no")

    with ThreadedCluster() as cluster, pytest.raises(ConfigError, match="no"), ManagerThread(cluster.manager, refuse):
        pytest.fail("the block was entered")
