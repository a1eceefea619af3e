"""What a server has from its first moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from konverge.cluster.apiserver.exchange import JSON, Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

HEADERS = {"content-type": JSON}


async def ask(server: ApiServer, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """Send a request as the administrator and return the decoded answer to it."""
    content = msgspec.json.encode(body) if body else b""
    request = Request(method=method, path=path, headers=HEADERS, body=content, peer=Peer(is_trusted=True))
    answer = await server.handle(request)
    assert isinstance(answer, Response)
    assert answer.status < 300, answer.body
    return json.loads(answer.body)


async def test_namespaces_are_made_once(tmp_path: Path) -> None:
    """A new cluster has the system's namespaces; a cluster that starts again has the same ones."""
    uids = []
    for _ in range(2):
        storage = await Storage.open(tmp_path)
        server = ApiServer(storage)
        await server.start()
        found = (await ask(server, "GET", "/api/v1/namespaces"))["items"]
        uids.append({item["metadata"]["name"]: item["metadata"]["uid"] for item in found})
        await server.close()
        await storage.close()
    assert sorted(uids[0]) == ["default", "kube-node-lease", "kube-public", "kube-system"]
    assert uids[0] == uids[1]


async def test_events_of_both_groups_are_the_same(tmp_path: Path) -> None:
    """What is recorded in events.k8s.io is an Event of the core group too, in its form."""
    storage = await Storage.open(tmp_path)
    server = ApiServer(storage)
    await server.start()
    path = "/apis/events.k8s.io/v1/namespaces/default/events"
    event = {
        "metadata": {"name": "e", "namespace": "default"},
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingController": "c",
        "reportingInstance": "i",
        "action": "Do",
        "reason": "Done",
        "note": "well done",
        "type": "Normal",
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
    }
    await ask(server, "POST", path, event)
    (core,) = (await ask(server, "GET", "/api/v1/namespaces/default/events"))["items"]
    assert (core["message"], core["involvedObject"]["name"]) == ("well done", "p")
    await ask(server, "DELETE", "/api/v1/namespaces/default/events/e")
    assert (await ask(server, "GET", path))["items"] == []
    await server.close()
    await storage.close()
