"""Which process is up on a folder."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from konverge.cli.run_state import Run, RunState, default_folder
from konverge.cli.taking_down import take_down
from konverge.errors import ConfigError


def test_one_process_is_up_on_a_folder_and_the_others_learn_how_to_reach_it(tmp_path: Path) -> None:
    """A lock is the truth; what is written beside it says who has it."""
    state = RunState(tmp_path / "data")
    assert state.running() is None
    assert state.take() is None
    state.write(Run.of_this_process(url="https://127.0.0.1:1", kubeconfig="/k"))
    found = RunState(tmp_path / "data").running()
    assert found is not None
    assert (found.pid, found.url, found.is_there) == (os.getpid(), "https://127.0.0.1:1", True)
    with pytest.raises(ConfigError) as refusal:
        RunState(tmp_path / "data").take()
    assert str(refusal.value) == (
        f"{tmp_path}/data: konverge is up already (pid {os.getpid()}, https://127.0.0.1:1); use it with KUBECONFIG=/k, "
        f"stop it with `konverge down --data {tmp_path}/data`, or give --data DIR for another one"
    )
    state.release()
    assert state.running() is None
    assert RunState(tmp_path / "data").take() == found


def test_one_that_is_just_starting_has_no_address_to_tell(tmp_path: Path) -> None:
    """It is said so, and `require_down` does not write over what it has written."""
    state = RunState(tmp_path)
    state.take()
    for refused in (RunState(tmp_path).take, RunState(tmp_path).require_down):
        with pytest.raises(ConfigError, match="another `konverge up` is just starting or ending there"):
            refused()
    state.release(forget=True)
    RunState(tmp_path).require_down()
    assert [path.name for path in tmp_path.iterdir()] == ["up.lock"]


def test_what_a_crash_left_is_nobody(tmp_path: Path) -> None:
    """A state without a lock, whatever stands in it, is never a process to signal."""
    (tmp_path / "up.lock").touch()
    (tmp_path / "up.json").write_bytes(msgspec.json.encode(Run(pid=os.getpid(), started_at=1)))
    assert take_down(tmp_path) == f"nothing is up on {tmp_path}"
    (tmp_path / "up.json").write_text("{cut")
    assert RunState(tmp_path).take() is None


def test_a_process_with_the_pid_of_another_is_never_signalled(tmp_path: Path) -> None:
    """The moment at which it was started tells them apart: here it would end this very test."""
    state = RunState(tmp_path)
    state.take()
    state.write(Run(pid=os.getpid(), started_at=1, url="https://127.0.0.1:1"))
    with pytest.raises(ConfigError, match="it is no process that can be seen from here"):
        take_down(tmp_path)
    state.release()


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    """With what to give instead."""
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file: cannot be used: File exists; give --data DIR"):
        RunState(tmp_path / "file").take()


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"HOME": "/home/ann"}, "/home/ann/.local/share/konverge/up"),
        ({"HOME": "/home/ann", "XDG_DATA_HOME": "/data"}, "/data/konverge/up"),
        ({"HOME": "/home/ann", "XDG_DATA_HOME": "relative"}, "/home/ann/.local/share/konverge/up"),
    ],
)
def test_the_default_folder_is_one_per_user(env: dict[str, str], expected: str) -> None:
    """By the rules of the desktop: a relative path there is ignored."""
    assert default_folder(env) == Path(expected)
