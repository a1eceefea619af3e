"""The supervisor, with small Python programs as its children."""

import os
import signal
import sys
from collections.abc import Callable, Iterator

import pytest

from konverge.testing.processes import ClusterError, Processes

WAIT = [sys.executable, "-c", "import signal; print('up', flush=True); signal.pause()"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal; signal.signal(15, signal.SIG_IGN); print('up', flush=True)\nwhile 1: signal.pause()",
]

Watch = Callable[[int], Callable[[], None]]


@pytest.fixture
def processes() -> Iterator[Processes]:
    """A supervisor without children."""
    made = Processes()
    yield made
    made.close()


def test_a_process_is_started_stopped_and_started_again(processes: Processes) -> None:
    """A name stands for one process at a time, and status tells how it ended."""
    pid = processes.start("one", WAIT)
    assert processes.status() == {"one": (pid, None)}
    with pytest.raises(ClusterError, match="one is running"):
        processes.start("one", WAIT)
    assert processes.stop("one") == -signal.SIGTERM
    assert processes.status() == {"one": (pid, -signal.SIGTERM)}
    assert processes.start("one", WAIT) != pid
    assert processes.kill("one") == -signal.SIGKILL


def test_what_cannot_be_done_is_told(processes: Processes) -> None:
    """An unknown name and a program that is not there are errors of the command, not the end of the supervisor."""
    with pytest.raises(ClusterError, match="nobody was never started"):
        processes.stop("nobody")
    with pytest.raises(ClusterError, match="No such file"):
        processes.start("one", [str(processes.folder / "nothing")])
    assert processes.status() == {}


def test_close_ends_even_the_stubborn(processes: Processes, watch_end: Watch) -> None:
    """Closing ends all children, with KILL where TERM is ignored, removes the folder, and can be repeated."""
    ends = [watch_end(processes.start(name, command)) for name, command in (("a", WAIT), ("b", STUBBORN))]
    processes.close()
    for ended in ends:
        ended()
    assert not processes.folder.exists()
    processes.close()
    with pytest.raises(ClusterError, match="the cluster is closed"):
        processes.status()


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_children_do_not_outlive_the_supervisor(processes: Processes, watch_end: Watch, by: signal.Signals) -> None:
    """A supervisor that is terminated or even killed takes its children along."""
    ended = watch_end(processes.start("one", WAIT))
    gone = watch_end(processes.supervisor_pid)
    os.kill(processes.supervisor_pid, by)
    ended()
    gone()
    assert processes.folder.exists() == (by == signal.SIGKILL)
    with pytest.raises(ClusterError, match="is gone"):
        processes.status()
    processes.close()
    assert not processes.folder.exists()


def test_a_fork_of_the_owner_does_not_keep_the_cluster_alive(watch_end: Watch) -> None:
    """The owner's death is noticed even while a child that it forked still holds the pipe."""
    told, tell = os.pipe()
    owner = os.fork()
    if owner == 0:  # the owner, which forks once more and waits to be killed
        held = Processes()
        fork = os.fork()
        if fork:
            os.write(tell, f"{held.supervisor_pid} {fork}\n".encode())
        signal.pause()
        os._exit(0)
    with os.fdopen(told) as heard:
        supervisor, fork = map(int, heard.readline().split())
    os.close(tell)
    gone = watch_end(supervisor)
    os.kill(owner, signal.SIGKILL)
    os.waitpid(owner, 0)
    gone()
    os.kill(fork, signal.SIGKILL)
