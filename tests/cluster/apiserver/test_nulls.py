"""Nulls in what the server itself reads at each request: stored where Go stores them, and the end of nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

RBAC = "/apis/rbac.authorization.k8s.io/v1"
FLOWS = "/apis/flowcontrol.apiserver.k8s.io/v1"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"  # a pod needs one
PODS = "/api/v1/namespaces/default/pods"

_MATCHED = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["*"], "resources": ["pods"], "scope": None}
_WEBHOOK = {
    "name": "nobody.example.com",
    "clientConfig": {"url": "https://127.0.0.1:1/", "caBundle": None, "service": None},
    "rules": [_MATCHED],
    "admissionReviewVersions": ["v1"],
    "sideEffects": "None",
    "failurePolicy": "Ignore",
    "namespaceSelector": None,
    "objectSelector": {"matchLabels": None, "matchExpressions": None},
    "matchConditions": None,
    "timeoutSeconds": None,
}
_MATCHING = {"resourceRules": [{**_MATCHED, "resourceNames": None}], "excludeResourceRules": None}
_USER = {"kind": "User", "user": {"name": "ann"}, "group": None, "serviceAccount": None}
_FLOW = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "clusterScope": True, "namespaces": None}
_PATHS = {"verbs": ["get"], "nonResourceURLs": ["/x"]}
_LEVEL = {"priorityLevelConfiguration": {"name": "catch-all"}, "distinguisherMethod": None}
_REFERENCE = {"kind": "ClusterRole", "name": "view", "apiGroup": None}

OBJECTS: list[tuple[str, dict[str, Any]]] = [
    (f"{RBAC}/clusterroles", {"rules": None, "aggregationRule": None}),
    (f"{RBAC}/clusterroles", {"rules": [{"verbs": ["get"], "nonResourceURLs": ["/x"], "apiGroups": None}]}),
    (f"{RBAC}/clusterrolebindings", {"subjects": None, "roleRef": _REFERENCE}),
    (f"{RBAC}/clusterrolebindings", {"subjects": [{**_USER, "name": "ann", "apiGroup": None}], "roleRef": _REFERENCE}),
    ("/api/v1/namespaces", {"spec": {"finalizers": None}, "status": {"phase": None, "conditions": None}}),
    (f"{FLOWS}/flowschemas", {"spec": {**_LEVEL, "rules": None}}),
    (f"{FLOWS}/flowschemas", {"spec": {**_LEVEL, "rules": [{"subjects": [_USER], "resourceRules": [_FLOW]}]}}),
    (f"{FLOWS}/flowschemas", {"spec": {**_LEVEL, "rules": [{"subjects": [_USER], "nonResourceRules": [_PATHS]}]}}),
    (f"{ADMISSION}/validatingwebhookconfigurations", {"webhooks": None}),
    (f"{ADMISSION}/validatingwebhookconfigurations", {"webhooks": [_WEBHOOK]}),
    (f"{ADMISSION}/mutatingwebhookconfigurations", {"webhooks": [_WEBHOOK]}),
    (
        f"{ADMISSION}/validatingadmissionpolicies",
        {"spec": {"validations": [{"expression": "true", "message": None}], "matchConstraints": _MATCHING}},
    ),
    (
        f"{ADMISSION}/validatingadmissionpolicybindings",
        {"spec": {"policyName": "nulls", "validationActions": ["Deny"], "paramRef": None, "matchResources": None}},
    ),
    ("/api/v1/namespaces/default/resourcequotas", {"spec": {"hard": None, "scopes": None}, "status": {"used": None}}),
    ("/api/v1/namespaces/default/limitranges", {"spec": {"limits": [{"type": "Container", "max": None}]}}),
    ("/api/v1/namespaces/default/limitranges", {"spec": {"limits": None}}),
    (ACCOUNTS, {"secrets": None, "imagePullSecrets": None}),
    ("/apis/scheduling.k8s.io/v1/priorityclasses", {"value": None, "globalDefault": None}),
    ("/apis/node.k8s.io/v1/runtimeclasses", {"handler": "x", "overhead": {"podFixed": None}, "scheduling": None}),
]


async def ask(server: ApiServer, method: str, path: str, body: Any = None, *, user: str = "") -> int:
    """Ask as the administrator, or in the name of a user; return the status."""
    headers = {"content-type": "application/json", **({"impersonate-user": user} if user else {})}
    data = json.dumps(body).encode() if body is not None else b""
    peer = Peer(is_trusted=True)
    answer = await server.handle(Request(method=method, path=path, headers=headers, body=data, peer=peer))
    assert isinstance(answer, Response)
    return answer.status


@pytest.mark.parametrize(("path", "value"), OBJECTS)
async def test_nulls_end_nothing(path: str, value: dict[str, Any]) -> None:
    """The object is taken, and requests that it is read for are answered as ever."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    assert await ask(server, "POST", ACCOUNTS, {"metadata": {"name": "default"}}) == 201
    assert await ask(server, "POST", path, {"metadata": {"name": "nulls"}, **value}) == 201
    pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "b"}]}}
    assert await ask(server, "POST", PODS, pod) == 201
    assert await ask(server, "GET", PODS, user="ann") in (200, 403)
    assert await ask(server, "GET", path) == 200
