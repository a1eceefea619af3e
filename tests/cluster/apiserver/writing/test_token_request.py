"""Tokens that are asked for by `serviceaccounts/token`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from konverge.certificates import TokenSigner, signing_key
from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


@pytest.fixture(params=[True, False])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[ApiServer]:
    """A server that has a key for tokens, and one that has none."""
    signer = TokenSigner(signing_key())
    server = ApiServer(Storage.in_memory(), signer=(lambda: signer) if request.param else None)
    await server.start()
    yield server
    await server.close()


async def post(server: ApiServer, path: str, body: Any, token: str = "") -> tuple[int, dict[str, Any]]:
    """Ask as the administrator, or as the one whose token it is."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    peer = Peer(is_trusted=not token)
    sent = Request(method="POST", path=path, body=json.dumps(body).encode(), peer=peer, headers=headers)
    answer = await server.handle(sent)
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body)


async def test_a_token_makes_its_holder_the_account(server: ApiServer) -> None:
    """A server without a key says so."""
    await post(server, ACCOUNTS, {"metadata": {"name": "bot"}})
    status, found = await post(server, f"{ACCOUNTS}/bot/token", {"spec": {"expirationSeconds": 600}})
    if not found.get("spec"):
        assert (status, "without a key" in found["message"]) == (500, True)
        return
    assert (status, found["spec"]["expirationSeconds"]) == (201, 600)
    _, who = await post(server, WHO, {}, found["status"]["token"])
    assert who["status"]["userInfo"]["username"] == "system:serviceaccount:default:bot"
    status, refused = await post(server, WHO, {}, found["status"]["token"] + "x")
    assert (status, refused["message"]) == (401, "Unauthorized")
