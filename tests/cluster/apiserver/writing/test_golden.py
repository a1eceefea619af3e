"""The writes answer as the real server did when the golden files were recorded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

from .answers import masked
from .scenarios import SCENARIOS, WIDGET_CRD

_GOLDEN = Path(__file__).parent / "golden"


class _Embedded:
    """An embedded server that is asked as the real one was."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(self._start())
        self.answers: list[Any] = []

    async def _start(self) -> ApiServer:
        server = ApiServer(Storage.in_memory())
        await server.start()
        return server

    def close(self) -> None:
        self._loop.run_until_complete(self._server.close())
        self._loop.close()

    def ask(self, method: str, path: str, body: Any = None, content_type: str | None = "application/json") -> Any:
        response = self.send(method, path, body, content_type)
        answer = json.loads(response.body)
        warnings = [value for name, value in response.headers if name.lower() == "warning"]
        self.answers.append([f"{method} {masked(path)}", response.status, masked(answer), warnings])
        return answer

    def send(self, method: str, path: str, body: Any, content_type: str | None) -> Response:
        sent = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
        headers = {"user-agent": "golden/1"}
        if sent is not None and content_type:
            headers["content-type"] = content_type
        parts = urlsplit(path)
        request = Request(
            method=method,
            path=parts.path,
            query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
            headers=headers,
            body=sent.encode() if isinstance(sent, str) else sent or b"",
            peer=Peer(is_trusted=True),
        )
        answer = self._loop.run_until_complete(self._server.handle(request))
        assert isinstance(answer, Response)
        return answer


@pytest.fixture
def embedded() -> Iterator[_Embedded]:
    """Return a fresh embedded server."""
    server = _Embedded()
    yield server
    server.close()


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_embedded_server_answers_as_the_real_one(name: str, embedded: _Embedded) -> None:
    """Every answer of a scenario is the real server's, but for uids, times and versions."""
    embedded.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGET_CRD, "application/json")
    SCENARIOS[name](embedded.ask)
    expected = json.loads((_GOLDEN / f"{name}.json").read_text())
    different = [(real, ours) for real, ours in zip(expected, embedded.answers, strict=True) if real != ours]
    assert not different, _shown(different)


def _shown(different: list[tuple[Any, Any]]) -> str:
    lines = [
        f"{real[0]}\n  real: {json.dumps(real[1:])[:1500]}\n  ours: {json.dumps(ours[1:])[:1500]}"
        for real, ours in different
    ]
    return f"{len(different)} answers differ:\n" + "\n".join(lines)
