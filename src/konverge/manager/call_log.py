"""Call log: which calls a manager makes of the API server, each kind of call once, in a file of its own.

It is kept where the environment names a folder (`KONVERGE_CALLS`), which is how `konverge manifests --audit` learns
what an operator does while its tests run. The first line of a file says whose calls follow; every other one is a call:
method, path, and as much of the query and the headers as decides who may make it. No body is looked at.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import msgspec

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import ConfigError

FOLDER: Final = "KONVERGE_CALLS"
_TEST: Final = "PYTEST_CURRENT_TEST"  # set by pytest, "tests/test_shop.py::test_it (call)"
# Of a query: what makes a list a watch, one that gives the list as well, and one of a single object.
_JUDGED: Final = ("watch", "sendInitialEvents", "fieldSelector")
_AS_ANOTHER: Final = "impersonate-"


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call, without what no rule looks at."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    impersonating: tuple[tuple[str, str], ...] = ()  # headers
    created: bool = False  # a patch or an update that made the object: it needs the right to create it, too


class Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call and the test in which it was first made."""

    call: Call
    test: str = ""


class Owner(msgspec.Struct, frozen=True):
    """Whose calls a file has."""

    controllers: tuple[str, ...]


def call_of(request: ApiRequest, *, created: bool = False) -> Call:
    """Return what is kept of a request."""
    return Call(
        method=request.method,
        path=request.path,
        query=tuple(pair for pair in request.query if pair[0] in _JUDGED),
        impersonating=tuple(pair for pair in request.headers if pair[0].lower().startswith(_AS_ANOTHER)),
        created=created,
    )


class CallLog:
    """Appends each new call to a file at once, so that a process that is killed leaves what it did; from any thread."""

    def __init__(self, folder: Path, *, controllers: Callable[[], Iterable[str]]) -> None:
        self._folder = folder
        self._controllers = controllers  # asked with the first call: by then they have all been added
        self._file: Path | None = None
        self._known: dict[Call, None] = {}
        self._lock = threading.Lock()  # a leader election has a thread of its own

    @classmethod
    def of_environment(cls, environ: Mapping[str, str], *, controllers: Callable[[], Iterable[str]]) -> CallLog | None:
        """Return the log that the environment asks for."""
        folder = environ.get(FOLDER)
        if not folder:
            return None
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{FOLDER}={folder}: is no folder to write to: {error.strerror}") from error
        return cls(Path(folder), controllers=controllers)

    def note(self, call: Call) -> None:
        """Write a call down, unless it was made before."""
        with self._lock:
            if call not in self._known:
                self._known[call] = None
                self._append(Seen(call, os.environ.get(_TEST, "").rpartition(" ")[0]))

    def _append(self, line: Any) -> None:
        if self._file is None:
            handle, name = tempfile.mkstemp(prefix="calls-", suffix=".jsonl", dir=self._folder)
            os.close(handle)
            self._file = Path(name)
            self._append(Owner(tuple(self._controllers())))
        with self._file.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")


class LoggedTransport:
    """Passes requests on and writes them down, whatever comes of them."""

    def __init__(self, transport: Transport, calls: CallLog) -> None:
        self._transport = transport
        self._calls = calls

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on."""
        self._calls.note(call_of(request))
        response = await self._transport.call(request)
        if response.status == HTTPStatus.CREATED and request.method in ("PATCH", "PUT"):
            self._calls.note(call_of(request, created=True))
        return response

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Pass a stream on."""
        self._calls.note(call_of(request))
        async with self._transport.stream(request) as chunks:
            yield chunks

    async def close(self) -> None:
        """Close the transport below."""
        await self._transport.close()


def read_calls(folder: Path) -> list[tuple[Owner, list[Seen]]]:
    """Return what all managers have written into a folder."""
    return [_read(file) for file in sorted(folder.glob("calls-*.jsonl"))]


def _read(file: Path) -> tuple[Owner, list[Seen]]:
    head, *lines = file.read_bytes().splitlines() or [b'{"controllers":[]}']
    return msgspec.json.decode(head, type=Owner), [msgspec.json.decode(line, type=Seen) for line in lines]
