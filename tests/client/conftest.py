"""A client of each server, a custom resource to work on, and a loopback server that misbehaves on demand."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from konverge import Client, Config
from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import AlreadyExists, NotFound, TooManyRequests
from konverge.testing import Cluster

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.test.konverge.dev"},
    "spec": {
        "group": "test.konverge.dev",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "x-kubernetes-preserve-unknown-fields": True,
                                "properties": {
                                    "replicas": {"type": "integer", "minimum": 0},
                                    "size": {"type": "string", "maxLength": 8},
                                },
                            },
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        },
                    }
                },
            }
        ],
    },
}


@pytest.fixture
def widgets(cluster: Cluster) -> str:
    """Serve the kind Widget of test.konverge.dev/v1, and return that apiVersion; a shared cluster keeps it."""
    with suppress(AlreadyExists):
        cluster.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD)
    deadline = time.monotonic() + 60
    while True:
        try:
            cluster.call("GET", "/apis/test.konverge.dev/v1/widgets")
            cluster.call("GET", "/apis/test.konverge.dev/v1")
        except (NotFound, TooManyRequests, ValueError):  # not served yet, which is said in plain text too
            if time.monotonic() > deadline:
                raise
        else:
            return "test.konverge.dev/v1"


@pytest.fixture
async def client(cluster: Cluster) -> AsyncIterator[Client]:
    """A client of the server, as its administrator."""
    async with cluster.client() as connected:
        yield connected


@pytest.fixture
def own(client: Client, namespace: str) -> Client:
    """The same client, of the test's own namespace."""
    return client.in_namespace(namespace)


@dataclass
class Recorder:
    """A transport that notes what passes through it."""

    below: Transport
    calls: list[ApiRequest] = field(default_factory=list)

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Note the request and pass it on."""
        self.calls.append(request)
        return await self.below.call(request)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Note the request and pass it on."""
        self.calls.append(request)
        async with self.below.stream(request) as chunks:
            yield chunks

    async def close(self) -> None:
        """Close the transport below."""
        await self.below.close()

    def writes(self) -> list[str]:
        """The methods of all requests that are no reads, in order."""
        return [call.method for call in self.calls if not call.is_read]


@pytest.fixture
def recorded(own: Client) -> tuple[Client, Recorder]:
    """A client of the test's namespace, and the notes of what it sends."""
    recorder = Recorder(own._engine.transport)
    return Client(recorder, defaults=own._engine.defaults), recorder


# --- the loopback server ---


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> list[str]:
        """All values of a header."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


@dataclass(frozen=True)
class Answer:
    """What goes back on the wire as it is, and whether the connection ends after it; `hold` waits for the client."""

    data: bytes = b""
    close: bool = False
    hold: bool = False


class Loopback:
    """Answers one request after the other from a script, the last answer again and again."""

    def __init__(self) -> None:
        self.answers: list[Answer] = [self.json({})]
        self.seen: list[Seen] = []
        self.connections = 0
        self.disconnected = asyncio.Event()  # a client went away while it was held
        self.arrived = asyncio.Event()  # a request came
        self.url = ""

    def config(self, **options: Any) -> Config:
        """Return the configuration of a client of this server."""
        return Config(server=self.url, **options)

    @staticmethod
    def json(body: Any, status: int = 200, **headers: str) -> Answer:
        """Answer in JSON; underscores in the names of headers stand for hyphens."""
        return Loopback.text(json.dumps(body), status, **{"Content_Type": "application/json", **headers})

    @staticmethod
    def text(body: str, status: int = 200, **headers: str) -> Answer:
        """Answer with any text."""
        data = body.encode()
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head = "\r\n".join([f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}", *lines])
        return Answer(head.encode() + b"\r\n\r\n" + data)

    @staticmethod
    def status(code: int, reason: str = "", **headers: str) -> Answer:
        """Answer with a Status that says no."""
        body = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "not today"}
        return Loopback.json(body, code, **headers)

    CUT = Answer(close=True)
    MID_BODY = Answer(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"kind"', close=True)
    MID_HEADERS = Answer(b"HTTP/1.1 200 OK\r\nContent-Le", close=True)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        self.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            while True:
                self.seen.append(await _read(reader))
                self.arrived.set()
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                writer.write(answer.data)
                await writer.drain()
                if answer.hold:
                    await reader.read()
                    self.disconnected.set()
                if answer.close or answer.hold:
                    break
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = tuple((name, value) for name, _, value in (line.partition(": ") for line in head[1:-2]))
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    return Seen(method, target, headers, await reader.readexactly(length))


@pytest.fixture
async def loopback() -> AsyncIterator[Loopback]:
    """A server on loopback that does as it is told."""
    server = Loopback()
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    async with listener:
        yield server


@pytest.fixture
def secret_texts() -> dict[str, str]:
    """Texts that must never be shown, by what they stand for."""
    return {name: f"hush-{name}-5d41402abc" for name in ("token", "password", "proxy", "data")}
