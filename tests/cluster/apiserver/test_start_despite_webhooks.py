"""A server that starts on a storage whose webhooks refuse everything."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
WALL = {
    "name": "wall.example.com",
    "clientConfig": {"service": {"namespace": "none", "name": "none"}},
    "rules": [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}],
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}


async def _status(server: ApiServer, method: str, path: str, body: Any = None) -> int:
    content = b"" if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    answer = await server.handle(
        Request(method=method, path=path, query=(), headers=headers, body=content, peer=Peer(is_trusted=True))
    )
    assert isinstance(answer, Response)
    return answer.status


async def test_what_is_missing_is_made_when_nothing_is_in_the_way(caplog: pytest.LogCaptureFixture) -> None:
    """The log says what could not be made; who takes the webhook away gets it with the next start."""
    storage = Storage.in_memory()
    first = ApiServer(storage)
    await first.start()
    assert await _status(first, "DELETE", f"{CLASSES}/system-node-critical") == 200
    assert await _status(first, "POST", CONFIGURATIONS, {"metadata": {"name": "wall"}, "webhooks": [WALL]}) == 201
    await first.close()

    second = ApiServer(storage)
    with caplog.at_level(logging.ERROR):
        await second.start()
    assert "did not make what every cluster has" in caplog.text
    assert await _status(second, "GET", f"{CLASSES}/system-node-critical") == 404
    assert await _status(second, "DELETE", f"{CONFIGURATIONS}/wall") == 200
    await second.close()

    third = ApiServer(storage)
    await third.start()
    assert await _status(third, "GET", f"{CLASSES}/system-node-critical") == 200
    await third.close()
