"""Nulls in what the server itself reads for requests: stored where Go stores them, and the end of nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

RBAC = "/apis/rbac.authorization.k8s.io/v1"
FLOWS = "/apis/flowcontrol.apiserver.k8s.io/v1"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
CLASSES = ("/apis/scheduling.k8s.io/v1/priorityclasses", "/apis/node.k8s.io/v1/runtimeclasses")
DEFAULT = "/api/v1/namespaces/default"
NAME = "nulls"

_SELECTOR = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["d"]}]}
_RULE = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["*"], "resources": ["pods"], "scope": "*"}
_WEBHOOK = {
    "name": "nobody.example.com",
    "clientConfig": {"url": "https://127.0.0.1:1/", "caBundle": "Cg=="},
    "rules": [_RULE],
    "admissionReviewVersions": ["v1"],
    "sideEffects": "None",
    "failurePolicy": "Ignore",
    "namespaceSelector": _SELECTOR,
    "objectSelector": _SELECTOR,
    "matchConditions": [{"name": "x", "expression": "true"}],
    "timeoutSeconds": 1,
}
_MATCHED = {
    "resourceRules": [{**_RULE, "resourceNames": ["a"]}],
    "excludeResourceRules": [{**_RULE, "resourceNames": ["b"]}],
    "namespaceSelector": _SELECTOR,
    "objectSelector": _SELECTOR,
    "matchPolicy": "Exact",
}
_POLICY = {
    "failurePolicy": "Ignore",
    "validations": [{"expression": "true", "message": "x", "reason": "Invalid", "messageExpression": "'x'"}],
    "matchConstraints": _MATCHED,
    "matchConditions": [{"name": "x", "expression": "true"}],
    "variables": [{"name": "x", "expression": "true"}],
    "auditAnnotations": [{"key": "x", "valueExpression": "'x'"}],
}
_SUBJECTS = [
    {"kind": "User", "user": {"name": "ann"}},
    {"kind": "Group", "group": {"name": "x"}},
    {"kind": "ServiceAccount", "serviceAccount": {"name": "a", "namespace": "b"}},
]
_FLOW = {
    "subjects": _SUBJECTS,
    "resourceRules": [
        {"verbs": ["*"], "apiGroups": [""], "resources": ["pods"], "clusterScope": True, "namespaces": ["x"]},
    ],
    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/version"]}],
}
_LIMITED = {
    "nominalConcurrencyShares": 1,
    "lendablePercent": 1,
    "borrowingLimitPercent": 1,
    "limitResponse": {"type": "Queue", "queuing": {"queues": 1, "handSize": 1, "queueLengthLimit": 1}},
}
_GRANTED = {"verbs": ["list"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]}

WHOLE: list[tuple[str, dict[str, Any]]] = [
    (f"{RBAC}/clusterroles", {"rules": [_GRANTED, {"verbs": ["get"], "nonResourceURLs": ["/version"]}]}),
    (f"{RBAC}/clusterroles", {"rules": [], "aggregationRule": {"clusterRoleSelectors": [_SELECTOR]}}),
    (
        f"{RBAC}/clusterrolebindings",
        {
            "subjects": [{"kind": "User", "name": "ann", "apiGroup": "rbac.authorization.k8s.io"}],
            "roleRef": {"kind": "ClusterRole", "name": "view", "apiGroup": "rbac.authorization.k8s.io"},
        },
    ),
    ("/api/v1/namespaces", {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active", "conditions": []}}),
    (
        f"{FLOWS}/flowschemas",
        {
            "spec": {
                "priorityLevelConfiguration": {"name": "catch-all"},
                "matchingPrecedence": 9,
                "distinguisherMethod": {"type": "ByUser"},
                "rules": [_FLOW],
            }
        },
    ),
    (f"{FLOWS}/prioritylevelconfigurations", {"spec": {"type": "Limited", "limited": _LIMITED}}),
    (f"{ADMISSION}/validatingwebhookconfigurations", {"webhooks": [_WEBHOOK]}),
    (f"{ADMISSION}/mutatingwebhookconfigurations", {"webhooks": [{**_WEBHOOK, "reinvocationPolicy": "IfNeeded"}]}),
    (f"{ADMISSION}/validatingadmissionpolicies", {"spec": _POLICY}),
    (
        f"{ADMISSION}/validatingadmissionpolicybindings",
        {"spec": {"policyName": "around", "validationActions": ["Deny"], "matchResources": _MATCHED}},
    ),
    (
        f"{DEFAULT}/resourcequotas",
        {"spec": {"hard": {"pods": "9"}, "scopes": ["BestEffort"]}, "status": {"hard": {"pods": "9"}, "used": {}}},
    ),
    (
        f"{DEFAULT}/limitranges",
        {"spec": {"limits": [{"type": "Container", "max": {"cpu": "9"}, "min": {"cpu": "1m"}}]}},
    ),
    (f"{DEFAULT}/serviceaccounts", {"secrets": [{"name": "a"}], "imagePullSecrets": [{"name": "a"}]}),
    (CLASSES[0], {"value": 1, "globalDefault": False, "preemptionPolicy": "Never"}),
    (
        CLASSES[1],
        {
            "handler": "x",
            "overhead": {"podFixed": {"cpu": "1"}},
            "scheduling": {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "a", "operator": "Exists"}]},
        },
    ),
]
_MATCHING = {"resourceRules": [_RULE]}
# Whatever the object is, something refers to it: else nobody would read it.
AROUND: list[tuple[str, dict[str, Any]]] = [
    (f"{DEFAULT}/serviceaccounts", {}),
    (
        f"{RBAC}/clusterrolebindings",
        {
            "subjects": [{"kind": "User", "name": "ann", "apiGroup": "rbac.authorization.k8s.io"}],
            "roleRef": {"kind": "ClusterRole", "name": NAME, "apiGroup": "rbac.authorization.k8s.io"},
        },
    ),
    (f"{ADMISSION}/validatingadmissionpolicybindings", {"spec": {"policyName": NAME, "validationActions": ["Warn"]}}),
    (
        f"{ADMISSION}/validatingadmissionpolicies",
        {"spec": {"validations": [{"expression": "true"}], "matchConstraints": _MATCHING}},
    ),
]


def with_nulls(value: Any) -> Iterator[Any]:
    """Yield what a value is with a null in one place, for each of its places."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from ({**value, name: each} for each in (None, *with_nulls(inner)))
    elif isinstance(value, list):
        yield [*value, None]
        for index, inner in enumerate(value):
            yield from ([*value[:index], each, *value[index + 1 :]] for each in with_nulls(inner))


async def ask(server: ApiServer, method: str, path: str, body: Any = None, *, user: str = "") -> int:
    """Ask as the administrator, or in the name of a user; return the status."""
    headers = {"content-type": "application/json", **({"impersonate-user": user} if user else {})}
    data = json.dumps(body).encode() if body is not None else b""
    peer = Peer(is_trusted=True)
    answer = await server.handle(Request(method=method, path=path, headers=headers, body=data, peer=peer))
    assert isinstance(answer, Response)
    return answer.status


async def ask_for_all(server: ApiServer) -> list[int]:
    """Ask for what any of the objects is read for."""
    found = [await ask(server, "GET", path, user="ann") for path in ("/version", f"{DEFAULT}/pods", "/metrics")]
    found.append(await ask(server, "POST", f"/api/v1/namespaces/{NAME}/configmaps", {"metadata": {"name": "a"}}))
    for more in ({}, {"serviceAccountName": NAME}, {"priorityClassName": NAME}, {"runtimeClassName": NAME}):
        spec = {"containers": [{"name": "a", "image": "b"}], **more}
        pod = {"metadata": {"name": "a", "labels": {"a": "b"}}, "spec": spec}
        found.append(await ask(server, "POST", f"{DEFAULT}/pods", pod))
        await ask(server, "DELETE", f"{DEFAULT}/pods/a")
    return found


@pytest.mark.parametrize(("path", "value"), WHOLE, ids=lambda each: each if isinstance(each, str) else "")
async def test_a_null_anywhere_ends_nothing(path: str, value: dict[str, Any]) -> None:
    """The object is taken or refused, and whatever it is read for is answered, by a server that is started anew too."""
    storage = Storage.in_memory()
    server = ApiServer(storage)
    await server.start()
    for where, body in AROUND:
        name = "default" if where.endswith("serviceaccounts") else "around"
        assert await ask(server, "POST", where, {"metadata": {"name": name}, **body}) == 201
    taken = 0
    for each in (value, *with_nulls(value)):
        status = await ask(server, "POST", path, {"metadata": {"name": NAME, "labels": {"a": "b"}}, **each})
        assert status in (201, 400, 422), each
        if status == 201:
            taken += 1
            assert max(await ask_for_all(server)) < 500, each
            again = ApiServer(storage)
            await again.start()
            assert await ask(again, "GET", "/version", user="ann") < 500, each
            await ask(server, "DELETE", f"{path}/{NAME}")
            await ask(server, "PUT", f"{path}/{NAME}/finalize", {"metadata": {"name": NAME}, "spec": {}})
    assert taken > 1
