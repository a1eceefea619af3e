"""Claims that grow: once they are bound, and where their class says so."""

from __future__ import annotations

import json
from typing import Any

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"


async def _ask(server: ApiServer, method: str, path: str, body: Any) -> tuple[int, dict[str, Any]]:
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    content = json.dumps(body).encode()
    request = Request(
        method=method, path=path, query=(), headers={"content-type": kind}, body=content, peer=Peer(is_trusted=True)
    )
    answer = await server.handle(request)
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body)


async def test_a_bound_claim_grows_where_its_class_lets_it() -> None:
    """The class is looked up at the moment of the write."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    await _ask(server, "POST", CLASSES, {"metadata": {"name": "c"}, "provisioner": "p", "allowVolumeExpansion": False})
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "c",
    }
    await _ask(server, "POST", CLAIMS, {"metadata": {"name": "a"}, "spec": spec})
    grown = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    status, answer = await _ask(server, "PATCH", f"{CLAIMS}/a", grown)
    assert status == 422  # its spec is fixed while it is not bound
    await _ask(server, "PATCH", f"{CLAIMS}/a/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}})
    status, answer = await _ask(server, "PATCH", f"{CLAIMS}/a", grown)
    assert (status, answer["message"].endswith("must support resize")) == (403, True)
    await _ask(server, "PATCH", f"{CLASSES}/c", {"allowVolumeExpansion": True})
    status, answer = await _ask(server, "PATCH", f"{CLAIMS}/a", grown)
    assert (status, answer["spec"]["resources"]["requests"]["storage"]) == (200, "2Gi")
    await server.close()
