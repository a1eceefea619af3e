"""Reviews: kinds that are asked and never stored."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from konverge.cluster.acting import peer_of
from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

AUTHORIZATION = "/apis/authorization.k8s.io/v1"
AUTHENTICATION = "/apis/authentication.k8s.io/v1"
ADMIN = Peer(is_trusted=True)


@pytest.fixture
async def server() -> AsyncIterator[ApiServer]:
    """A new server."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    yield server
    await server.close()


async def post(server: ApiServer, path: str, body: Any, peer: Peer = ADMIN) -> tuple[int, dict[str, Any]]:
    """Send a review and return its status and answer."""
    answer = await server.handle(Request(method="POST", path=path, body=json.dumps(body).encode(), peer=peer))
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body)


async def test_who_may_what(server: ApiServer) -> None:
    """The one who is asked about, or oneself; with the binding that it comes from."""
    path = {"verb": "get", "path": "/api"}
    status, own = await post(
        server,
        f"{AUTHORIZATION}/selfsubjectaccessreviews",
        {"spec": {"nonResourceAttributes": path}},
        peer_of("jane"),
    )
    assert (status, own["status"]["allowed"]) == (201, True)
    assert own["status"]["reason"].startswith('RBAC: allowed by ClusterRoleBinding "system:discovery"')
    _, other = await post(
        server, f"{AUTHORIZATION}/subjectaccessreviews", {"spec": {"user": "eve", "nonResourceAttributes": path}}
    )
    assert other["status"] == {"allowed": False}


async def test_what_may_i(server: ApiServer) -> None:
    """All rules at once."""
    spec = {"spec": {"namespace": "default"}}
    _, own = await post(server, f"{AUTHORIZATION}/selfsubjectrulesreviews", spec, peer_of("x", ["system:masters"]))
    assert {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]} in own["status"]["resourceRules"]
    assert own["status"]["incomplete"] is False


async def test_who_am_i(server: ApiServer) -> None:
    """As the request has proved it."""
    _, own = await post(server, f"{AUTHENTICATION}/selfsubjectreviews", {}, peer_of("jane", ["staff"]))
    assert own["status"] == {"userInfo": {"username": "jane", "groups": ["staff", "system:authenticated"]}}


async def test_nothing_is_stored(server: ApiServer) -> None:
    """Whatever it says of itself."""
    storage = server._context.storage
    before = storage.revision
    await post(server, f"{AUTHENTICATION}/tokenreviews", {"spec": {"token": "x"}})
    assert storage.revision == before


async def test_a_token_can_be_asked_about_and_is_not_quoted(server: ApiServer) -> None:
    """What is wrong with it is told without it."""
    _, found = await post(server, f"{AUTHENTICATION}/tokenreviews", {"spec": {"token": "secret"}})
    assert found["status"] == {"user": {}, "error": "invalid bearer token"}
