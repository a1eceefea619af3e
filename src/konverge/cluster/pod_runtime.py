"""PodRuntime: the port between the API server's edge and a node, which is what a kubelet's own server is.

`kubectl logs`, `exec`, `attach` and `port-forward` reach a container through it. The edge has checked by then who asks
and that the pod and its container exist; the runtime answers for what runs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Final, Literal, Protocol

import msgspec

from konverge.errors import KonvergeError

STDOUT: Final = 1
STDERR: Final = 2


class PodRef(msgspec.Struct, frozen=True, order=True):
    """One pod: a name may be used again, a uid never."""

    namespace: str
    name: str
    uid: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class LogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of a log is wanted."""

    follow: bool = False  # go on until the container ends
    previous: bool = False  # of the run before this one
    since: datetime | None = None
    timestamps: bool = False  # in front of each line
    tail: int | None = None  # so many lines at the end; None: all
    limit_bytes: int | None = None
    stream: Literal["All", "Stdout", "Stderr"] = "All"


class RuntimeRefusal(KonvergeError):
    """What a node cannot do; `code` is the HTTP status that says so."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Execution(Protocol):
    """A program that runs beside, or is, a container's own."""

    async def write(self, data: bytes) -> None:
        """Give it input; waits while it takes none. What a program that has ended is given is dropped."""
        ...

    def close_input(self) -> None:
        """Let its input end."""
        ...

    def output(self) -> AsyncIterator[tuple[int, bytes]]:
        """Iterate over what it says, as (STDOUT or STDERR, bytes), until it ends; once."""
        ...

    async def wait(self) -> int:
        """Return its exit code, when it has ended; 128 + n if signal n ended it."""
        ...

    def resize(self, *, columns: int, rows: int) -> None:
        """Tell its terminal its size; without a terminal nothing happens."""
        ...

    async def close(self) -> None:
        """End it, if it has not ended yet."""
        ...


class PodRuntime(Protocol):
    """What a node does with its containers when it is asked to; all of it may raise `RuntimeRefusal`."""

    def logs(self, pod: PodRef, container: str, options: LogOptions) -> AsyncIterator[bytes]:
        """Iterate over a log, in pieces of whole lines where no limit cuts one."""
        ...

    async def execute(self, pod: PodRef, container: str, command: Sequence[str], *, tty: bool = False) -> Execution:
        """Start a program beside a container's: in its folder and with its environment."""
        ...

    async def attach(self, pod: PodRef, container: str) -> Execution:
        """Listen to a container from now on."""
        ...

    async def address(self, pod: PodRef) -> str:
        """Return the address at which the pod's ports are reached from here."""
        ...
