"""What schemathesis makes of the server's own OpenAPI is answered, as no failure of the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from functools import cache
from typing import Any, Final, cast
from urllib.parse import unquote, urlencode

import pytest
import schemathesis
from edge import failures, is_as_the_real_one
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from schemathesis.core import NotSet
from schemathesis.core.result import Ok

from konverge.cluster.apiserver.exchange import Peer, Request, Response, Stream
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

_PATIENCE: Final = 30.0  # seconds for one answer
_EXAMPLES: Final = 150  # of each group; a tenth if not in a soak
_GROUPS: Final = (
    *("api/v1", "apis/apps/v1", "apis/batch/v1", "apis/networking.k8s.io/v1", "apis/rbac.authorization.k8s.io/v1"),
    *("apis/admissionregistration.k8s.io/v1", "apis/apiextensions.k8s.io/v1"),
)


async def _started() -> ApiServer:
    server = ApiServer(Storage.in_memory())
    await server.start()
    return server


def _request(method: str, path: str, *, body: bytes = b"", **more: Any) -> Request:
    return Request(method=method, path=path, body=body, peer=Peer(is_trusted=True), **more)


@cache
def _document(group: str) -> dict[str, Any]:
    async def read() -> Response:
        server = await _started()
        answer = await server.handle(_request("GET", f"/openapi/v3/{group}", query=(), headers={}))
        await server.close()
        assert isinstance(answer, Response)
        return answer

    found: dict[str, Any] = json.loads(asyncio.run(read()).body)
    return found


def _as_request(case: Any) -> Request:
    kind = case.media_type or "application/json"
    body = b"" if isinstance(case.body, NotSet) else case.body
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    query = tuple((name, urlencode({"": value})[1:]) for name, value in (case.query or {}).items())
    headers = {str(name).lower(): str(value) for name, value in (case.headers or {}).items()}
    kind = "application/json" if kind == "*/*" else kind
    return _request(
        case.method, unquote(case.formatted_path), body=data, query=query, headers={"content-type": kind, **headers}
    )


async def _play(requests: list[Request]) -> list[tuple[Request, int, bytes]]:
    server, found = await _started(), []
    for request in requests:
        async with asyncio.timeout(_PATIENCE):
            answer = await server.handle(request)
        if isinstance(answer, Response):
            found.append((request, answer.status, answer.body))
        elif isinstance(answer, Stream):
            await cast("AsyncGenerator[bytes]", answer.chunks).aclose()
    await server.close()
    return found


@pytest.mark.parametrize("group", _GROUPS)
def test_what_the_openapi_allows_is_answered(group: str, share: float) -> None:
    """Requests of every operation that a group's document has."""
    schema = schemathesis.openapi.from_dict(_document(group))
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    cases = st.sampled_from(operations).flatmap(lambda operation: operation.as_strategy())

    @given(made=st.lists(cases, min_size=1, max_size=4))
    @settings(max_examples=max(1, int(_EXAMPLES * share)), suppress_health_check=list(HealthCheck), database=None)
    def play(made: list[Any]) -> None:
        requests = [_as_request(case) for case in made]
        for request in requests:
            note(f"{request.method} {request.path} {request.query} {request.body!r}")
        with failures() as failed:
            answers = asyncio.run(_play(requests))
        assert not failed
        assert not [each for each in answers if each[1] >= 500 and not is_as_the_real_one(each[2])]

    play()
