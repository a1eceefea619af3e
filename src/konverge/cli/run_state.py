"""RunState: which process is up on a folder, and how it is reached.

Whether one runs is told by the kernel's lock (`flock`) on a file, which ends with its process, however that ends; the
state beside it, written by the lock's holder alone, says which process that is and at which address it serves. So a
state that a crash left behind is never mistaken for a process, and a pid that is another's by now is never signalled.
"""

from __future__ import annotations

import fcntl
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import msgspec

from konverge.cluster.private_file import write_private
from konverge.errors import ConfigError

_LOCK = "up.lock"
_STATE = "up.json"


class Run(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One run of `konverge up`."""

    pid: int
    started_at: int | None  # by the kernel's clock: with the pid it names one process for ever
    url: str = ""  # empty while it is starting
    kubeconfig: str = ""

    @classmethod
    def of_this_process(cls, *, url: str = "", kubeconfig: str = "") -> Self:
        """Return the run that this process is."""
        return cls(pid=os.getpid(), started_at=_started_at(os.getpid()), url=url, kubeconfig=kubeconfig)

    @property
    def is_there(self) -> bool:
        """Whether its process is one of this machine's, and no other that has got its pid."""
        return _started_at(self.pid) == self.started_at


def _started_at(pid: int) -> int | None:
    from konverge.cluster.node.process.process_table import started_at  # noqa: PLC0415 - a node comes with it

    return started_at(pid)


def default_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return where `konverge up` keeps its data: one place per user, so that `down` finds it from everywhere."""
    env = os.environ if env is None else env
    chosen = Path(env.get("XDG_DATA_HOME", ""))
    home = Path(env.get("HOME") or Path.home())
    return (chosen if chosen.is_absolute() else home / ".local" / "share") / "konverge" / "up"


class RunState:
    """The state of a folder; `take` makes this process the one that is up on it, until `release`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: int | None = None

    def take(self) -> Run | None:
        """Become the one that is up; return the last run. Raises `ConfigError`, which says who is and what to do."""
        self._lock = self._take_lock()
        before = self._read()
        self.write(Run.of_this_process())
        return before

    def require_down(self) -> None:
        """Make the folder; raise `ConfigError`, as `take` does, where one is up on it."""
        os.close(self._take_lock())

    def _take_lock(self) -> int:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(f"{self.folder}: cannot be used: {error.strerror}; give --data DIR") from error
        if not _locked(descriptor):
            os.close(descriptor)
            raise ConfigError(_already_up(self.folder, self._read()))
        return descriptor

    def write(self, run: Run) -> None:
        """Say how this run is reached."""
        write_private(self.folder / _STATE, msgspec.json.encode(run))

    def release(self, *, forget: bool = False) -> None:
        """Be up no more; `forget` leaves no trace of this run."""
        if forget:
            (self.folder / _STATE).unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def running(self) -> Run | None:
        """Return who is up, if anyone is; the run of a process that is just starting has no address."""
        try:
            descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ConfigError(f"{self.folder}: cannot be read: {error.strerror}") from error
        try:
            return None if _locked(descriptor) else self._read() or Run(pid=0, started_at=None)
        finally:
            os.close(descriptor)

    def wait_until_down(self) -> None:
        """Block until nobody is up."""
        descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        finally:
            os.close(descriptor)

    def _read(self) -> Run | None:
        try:
            return msgspec.json.decode((self.folder / _STATE).read_bytes(), type=Run)
        except (OSError, msgspec.DecodeError):
            return None


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _already_up(folder: Path, run: Run | None) -> str:
    if run is None or not run.url:
        return f"{folder}: another `konverge up` is just starting or ending there; try again, or give --data DIR"
    chosen = "" if folder == default_folder() else f" --data {shlex.quote(str(folder))}"
    return (
        f"{folder}: konverge is up already (pid {run.pid}, {run.url}); use it with KUBECONFIG={run.kubeconfig}, stop "
        f"it with `konverge down{chosen}`, or give --data DIR for another one"
    )
