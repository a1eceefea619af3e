"""A selector that makes no sense is refused, and one that is stored nevertheless breaks no other write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from konverge.api.label_selector import LabelSelector
from konverge.cluster.apiserver.admission.selectors import read_selector
from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

GROUP = "admissionregistration.k8s.io"
BAD: dict[str, Any] = {"matchLabels": {"not a key!": "x"}}
RULE = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}
WEBHOOK = {
    "name": "a.example.com",
    "clientConfig": {"url": "https://127.0.0.1:1"},
    "rules": [RULE],
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "mutatingwebhookconfigurations": {"webhooks": [{**WEBHOOK, "namespaceSelector": BAD}]},
    "validatingwebhookconfigurations": {"webhooks": [{**WEBHOOK, "objectSelector": BAD}]},
    "validatingadmissionpolicies": {
        "spec": {
            "matchConstraints": {"resourceRules": [RULE], "objectSelector": BAD},
            "validations": [{"expression": "false"}],
        }
    },
    "validatingadmissionpolicybindings": {"spec": {"policyName": "a", "validationActions": ["Deny"]}},
}


async def _post(server: ApiServer, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    data, headers = json.dumps(body).encode(), {"content-type": "application/json"}
    peer = Peer(is_trusted=True)
    answer = await server.handle(Request(method="POST", path=path, query=(), headers=headers, body=data, peer=peer))
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body)


@pytest.mark.parametrize("plural", [name for name in CONFIGURATIONS if not name.endswith("bindings")])
async def test_a_bad_selector_is_refused(plural: str) -> None:
    """A configuration with a label key that is none is not stored."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    body = {"metadata": {"name": "a"}, **CONFIGURATIONS[plural]}
    status, answer = await _post(server, f"/apis/{GROUP}/v1/{plural}", body)
    await server.close()
    assert status == 422
    assert "elector.matchLabels: Invalid value" in answer["message"]


async def test_a_bad_selector_that_is_stored_breaks_no_other_write() -> None:
    """An older server may have taken it: it selects nothing."""
    storage = Storage.in_memory()
    for plural, body in CONFIGURATIONS.items():

        def encode(revision: int, body: dict[str, Any] = body) -> bytes:
            return json.dumps({"metadata": {"name": "a", "resourceVersion": str(revision)}, **body}).encode()

        await storage.put(f"/{GROUP}/{plural}/a", encode, based_on=0)
    server = ApiServer(storage)
    await server.start()
    status, answer = await _post(server, "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "a"}})
    await server.close()
    assert status == 201, answer


def test_a_selector_in_order_is_read_as_it_is() -> None:
    """None at all takes nothing, an empty one everything."""
    assert read_selector({"matchLabels": {"a": "b"}}) == LabelSelector.from_labels({"a": "b"})
    assert not read_selector(None).matches({})
    assert read_selector({}).matches({})
