"""Changes of objects, by the same requests to a custom and to a built-in kind."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, LEASES
from cases.widget_objects import (
    APPLY,
    HERE,
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    WIDGET_CRD,
    WIDGETS,
    Make,
    plain_map,
    send,
    widget,
)

case = Cases("write changes")


def _updating(s: Script, base: str, make: Make) -> None:
    path = f"{base}/u"
    version = send(s, "POST", base, make("u"))["metadata"]["resourceVersion"]
    send(s, "PUT", path, make("u"))
    metadata: tuple[dict[str, Any], ...] = (
        {"resourceVersion": "1"},
        {"resourceVersion": "abc"},
        {"resourceVersion": version, "uid": "zz"},
    )
    for more in metadata:
        send(s, "PUT", path, make(metadata={"name": "u", **more}))
    for name in ("v", ""):
        send(s, "PUT", path, make(metadata={"name": name, "resourceVersion": version}))
    send(s, "PUT", path, make(metadata={"name": "u", "resourceVersion": version, "namespace": "x"}))
    send(s, "PUT", f"{base}/absent", make(metadata={"name": "absent", "resourceVersion": version}))
    send(s, "PUT", f"{base}/absent", make(metadata={"name": "absent", "uid": "u"}))
    ended: dict[str, Any] = {"deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3}
    made: dict[str, Any] = {"creationTimestamp": "2020-01-01T00:00:00Z", "generation": 77}
    for more in (ended, made, {"labels": {"a": "b"}}):
        send(s, "PUT", path, make(metadata={"name": "u", "resourceVersion": version, **more}))
    send(s, "PUT", f"{path}?force=true", make(metadata={"name": "u", "resourceVersion": version}))
    send(s, "PUT", f"{path}?dryRun=All", make(metadata={"name": "u", "labels": {"dry": "run"}}))


@case("updates of a custom resource")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _updating(s, WIDGETS, widget)


@case("updates of a config map")
def _(s: Script) -> None:
    _updating(s, CONFIG_MAPS, plain_map)


def _patching(s: Script, base: str, make: Make) -> None:
    path = f"{base}/p"
    send(s, "POST", base, make("p"))
    for content_type in ("text/plain", JSON_PATCH, MERGE, STRATEGIC, APPLY):
        for body in ("{", '"x"', "[]", ""):
            send(s, "PATCH", path, body, content_type)
    send(s, "PATCH", path, "{}", None)
    send(s, "PATCH", path, "{}", JSON_PATCH)
    operations: tuple[dict[str, Any], ...] = (
        {"op": "test", "path": "/metadata/name", "value": "z"},
        {"op": "remove", "path": "/zz"},
        {"op": "bogus", "path": "/zz"},
        {"op": "add", "path": "zz", "value": 1},
        {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}, "extra": 1},
    )
    for operation in operations:
        send(s, "PATCH", path, [operation], JSON_PATCH)
    send(s, "PATCH", path, [{"op": "test", "path": "/kind", "value": "x"}] * 10_001, JSON_PATCH)
    changes: tuple[dict[str, Any], ...] = (
        {"name": "zz"}, {"uid": "zz"}, {"namespace": "zz"}, {"resourceVersion": "1"}, {"resourceVersion": ""},
    )  # fmt: skip
    for change in changes:
        send(s, "PATCH", path, {"metadata": change}, MERGE)
    send(s, "PATCH", path, {"foo": 1}, MERGE)
    send(s, "PATCH", path, '{"metadata":{"labels":{"x":"1","x":"2"}}}', MERGE)
    send(s, "PATCH", f"{path}?force=true", {}, MERGE)
    send(s, "PATCH", f"{path}?force=zz", {}, MERGE)
    send(s, "PATCH", f"{base}/absent", {}, MERGE)
    send(s, "PATCH", f"{path}?dryRun=All", {"metadata": {"labels": {"dry": "run"}}}, MERGE)


@case("patches of a custom resource")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _patching(s, WIDGETS, widget)


@case("patches of a config map")
def _(s: Script) -> None:
    _patching(s, CONFIG_MAPS, plain_map)


def _applying(s: Script, base: str, make: Make) -> None:
    path = f"{base}/ap?fieldManager=m"
    send(s, "PATCH", f"{base}/ap?fieldManager=", make("ap"), APPLY)
    send(s, "PATCH", path, make("ap"), APPLY)
    send(s, "PATCH", path, make("ap"), APPLY)
    send(s, "PATCH", path, make("other"), APPLY)
    send(s, "PATCH", path, {"metadata": {"name": "ap"}}, APPLY)
    send(s, "PATCH", path, make(metadata={"name": "ap", "managedFields": [{"manager": "x"}]}), APPLY)
    send(s, "PATCH", f"{base}/uid?fieldManager=m", make(metadata={"name": "uid", "uid": "x"}), APPLY)
    send(s, "PATCH", f"{base}/rv?fieldManager=m", make(metadata={"name": "rv", "resourceVersion": "7"}), APPLY)
    send(s, "PATCH", path, make(metadata={"name": "ap", "resourceVersion": "7"}), APPLY)
    send(s, "PATCH", path, make("ap", nonsense={"a": 1}), APPLY)
    send(s, "PATCH", path, make(metadata={"name": "ap", "labels": {"a": "b"}}), APPLY)
    send(s, "PATCH", f"{base}/ap?fieldManager=n", make(metadata={"name": "ap", "labels": {"a": "c"}}), APPLY)
    send(s, "PATCH", f"{base}/ap?fieldManager=n&force=true", make(metadata={"name": "ap", "labels": {"a": "c"}}), APPLY)
    send(s, "PATCH", path, "a: b: c", APPLY)
    twice = "apiVersion: {apiVersion}\nkind: {kind}\nmetadata:\n  name: ap\n  name: ap\n".format(**make())
    send(s, "PATCH", f"{path}&fieldValidation=Strict", twice, APPLY)
    send(s, "PATCH", path, twice, APPLY)


@case("applies of a custom resource")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _applying(s, WIDGETS, widget)


@case("applies of a config map")
def _(s: Script) -> None:
    _applying(s, CONFIG_MAPS, plain_map)


def _strategic(s: Script) -> None:
    path = f"{CONFIG_MAPS}/st"
    owner = {"apiVersion": "v1", "kind": "A", "name": "n", "uid": "u"}
    metadata = {"name": "st", "labels": {"a": "b"}, "finalizers": ["x.y/z"], "ownerReferences": [owner]}
    send(s, "POST", CONFIG_MAPS, plain_map(metadata=metadata, data={"a": "b", "c": "d"}))
    changes: tuple[dict[str, Any], ...] = (
        {"data": {"$patch": "replace", "q": "r"}},
        {"metadata": {"finalizers": ["q.r/s"]}},
        {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x.y/z"]}},
        {"metadata": {"ownerReferences": [{"uid": "u", "$patch": "delete"}]}},
        {"metadata": {"ownerReferences": [{**owner, "uid": "u2"}]}},
        {"data": {"$patch": "bogus"}},
        {"metadata": {"ownerReferences": [{"name": "n2"}]}},
        {"unknown": 1, "metadata": {"zz": 1}},
    )
    for change in changes:
        send(s, "PATCH", path, change, STRATEGIC)
    send(s, "PATCH", f"{path}?fieldValidation=Strict", {"unknown": 1}, STRATEGIC)
    send(s, "PATCH", f"{path}?dryRun=All", {"data": {"dry": "run"}}, STRATEGIC)
    send(s, "DELETE", path)
    send(s, "PATCH", path, {"metadata": {"finalizers": None, "labels": {"last": "one"}}}, MERGE)
    send(s, "GET", path)


@case("strategic merge patches")
def _(s: Script) -> None:
    _strategic(s)


def _generations(s: Script) -> None:
    label: dict[str, Any] = {"metadata": {"labels": {"a": "b"}}}
    note: dict[str, Any] = {"metadata": {"annotations": {"a": "b"}}}
    policy = {"metadata": {"name": "g", "generation": 7}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"]}}
    slices = {"metadata": {"name": "g"}, "addressType": "IPv4", "endpoints": [{"addresses": ["10.1.1.1"]}]}
    networking = "/apis/networking.k8s.io/v1"
    kinds: tuple[tuple[str, dict[str, Any], tuple[dict[str, Any], ...]], ...] = (
        (f"{networking}/namespaces/{{ns}}/networkpolicies", policy, (label, {"spec": {"policyTypes": ["Egress"]}})),
        (CONFIG_MAPS, {"metadata": {"name": "g"}, "data": {"a": "b"}}, ({"data": {"a": None}}, {"immutable": True})),
        (f"{HERE}/secrets", {"metadata": {"name": "g"}, "stringData": {"a": "b"}}, ({"stringData": {"c": "d"}},)),
        (f"{HERE}/serviceaccounts", {"metadata": {"name": "g"}}, ({"automountServiceAccountToken": False},)),
        ("/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices", slices, (label, note)),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            {"metadata": {"name": "g"}},
            (label,),
        ),
        (f"{networking}/ingressclasses", {"metadata": {"name": "g"}, "spec": {"controller": "a.b/c"}}, (label,)),
        (WIDGETS, widget("g", spec={"size": 1}), (label, {"spec": {"size": 2}}, {"spec": {"size": 2}})),
    )
    for base, body, changes in kinds:
        send(s, "POST", base, body)
        for change in changes:
            send(s, "PATCH", f"{base}/g", change, MERGE)
        send(s, "DELETE", f"{base}/g")


@case("what counts as a change")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _generations(s)


def _put_creates(s: Script) -> None:
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        (f"{HERE}/endpoints", {}),
        (LEASES, {"spec": {}}),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", {}),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", {}),
        ("/apis/node.k8s.io/v1/runtimeclasses", {"handler": "x"}),
        (f"{HERE}/secrets", {}),
        ("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", {"spec": {}}),
    )
    for base, more in kinds:
        path = f"{base}/put"
        send(s, "PUT", path, {"metadata": {"name": "put"}, **more})
        send(s, "PUT", path, {"metadata": {"name": "put"}, **more})
        send(s, "PUT", f"{path}2", {"metadata": {"name": "put2", "uid": "7"}, **more})
        send(s, "PATCH", path, {"metadata": {"labels": {"c": "d"}}}, STRATEGIC)
        send(s, "DELETE", path)


@case("kinds that a PUT makes")
def _(s: Script) -> None:
    _put_creates(s)
