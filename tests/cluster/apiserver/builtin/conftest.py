"""A fresh server, and a client that reads its answers."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage


class Client:
    """Asks a server as its administrator."""

    def __init__(self, server: ApiServer) -> None:
        self._server = server

    async def ask(self, method: str, path: str, body: Any = None, *, form: str = "application/json") -> tuple[int, Any]:
        """Return the code and the decoded body."""
        path, _, text = path.partition("?")
        query = tuple((name, value) for name, _, value in (part.partition("=") for part in text.split("&") if part))
        sent = b"" if body is None else msgspec.json.encode(body)
        request = Request(
            method=method,
            path=path,
            query=query,
            headers={"content-type": form},
            body=sent,
            peer=Peer(is_trusted=True),
        )
        answer = await self._server.handle(request)
        assert isinstance(answer, Response)
        return answer.status, msgspec.json.decode(answer.body)

    async def make(self, path: str, name: str, **more: Any) -> Any:
        """Create an object and return it; refusals are errors."""
        code, made = await self.ask("POST", path, {"metadata": {"name": name}, **more})
        assert code == 201, made
        return made

    async def patch(self, path: str, change: Any) -> Any:
        """Merge a change into an object and return it; refusals are errors."""
        code, changed = await self.ask("PATCH", path, change, form="application/merge-patch+json")
        assert code == 200, changed
        return changed


@pytest.fixture
def storage() -> Storage:
    """The storage of the server."""
    return Storage.in_memory()


@pytest.fixture
async def client(storage: Storage) -> AsyncIterator[Client]:
    """Return a client of a fresh server whose default namespace has the account of its pods."""
    server = ApiServer(storage, ids=Ids(random.Random(1)))
    await server.start()
    made = Client(server)
    await made.make("/api/v1/namespaces/default/serviceaccounts", "default")
    yield made
    await server.close()
