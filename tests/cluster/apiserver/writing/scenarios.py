"""What the writes are asked, on the real server and on the embedded one alike: each scenario is a run of requests.

`record_golden.py` keeps the real server's answers in `golden/`; `test_golden.py` asks the embedded server the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

JSON = "application/json"
YAML = "application/yaml"
JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

DEFAULT = "/api/v1/namespaces/default"
WIDGETS = "/apis/k.dev/v1/namespaces/default/widgets"
CONFIG_MAPS = f"{DEFAULT}/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"

NUMBER = {"type": "integer"}
WIDGET_SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {"replicas": NUMBER, "size": {**NUMBER, "default": 3}, "name": {"type": "string"}},
        },
        "status": {"type": "object", "properties": {"replicas": NUMBER}},
    },
}
WIDGET_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.k.dev"},
    "spec": {
        "group": "k.dev",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
                "schema": {"openAPIV3Schema": WIDGET_SCHEMA},
            }
        ],
    },
}


class Ask(Protocol):
    """Sends one request and returns the decoded body of its answer."""

    def __call__(self, method: str, path: str, body: Any = None, content_type: str | None = JSON) -> Any:
        """Ask."""


Make = Callable[..., dict[str, Any]]


def widget(name: str = "a", /, **more: Any) -> dict[str, Any]:
    """Return a custom resource; `metadata` is joined to its name."""
    metadata = more.pop("metadata", {"name": name})
    return {"apiVersion": "k.dev/v1", "kind": "Widget", "metadata": metadata, **more}


def config_map(name: str = "a", /, **more: Any) -> dict[str, Any]:
    """Return a ConfigMap."""
    metadata = more.pop("metadata", {"name": name})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **more}


def deployment(name: str = "d") -> dict[str, Any]:
    """Return a Deployment of one container."""
    container = {"name": "c", "image": "i", "resources": {"limits": {"cpu": "1000m"}}}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def complete_deployment(name: str) -> dict[str, Any]:
    """Return a Deployment that leaves nothing to defaults: what they are is not what is asked here."""
    found = deployment(name)
    found["spec"] |= {"progressDeadlineSeconds": 600, "revisionHistoryLimit": 10}
    found["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
    _pod(found).update(
        restartPolicy="Always",
        terminationGracePeriodSeconds=30,
        dnsPolicy="ClusterFirst",
        securityContext={},
        schedulerName="default-scheduler",
    )
    _container(found).update(
        imagePullPolicy="Always", terminationMessagePath="/dev/termination-log", terminationMessagePolicy="File"
    )
    return found


def _decoding(ask: Ask, base: str, make: Make) -> None:
    for body in (b"", b"{", b"[]", b'"x"', b"null", b'{"a":1}', b'{"metadata":{"name":"nokind"}}', b"hello"):
        ask("POST", base, body)
    ask("POST", base, b'{"apiVersion":"v9","kind":"Other","metadata":{"name":"x"}}')
    for change in (
        {"kind": "Other"},
        {"apiVersion": "apps/v1"},
        {"apiVersion": "a/b/c"},
        {"apiVersion": 3},
        {"kind": 3},
    ):
        ask("POST", base, {**make(), **change})
    ask("POST", base, make(), "text/plain")
    ask("POST", base, make("plain"), None)
    ask("POST", base, make("charset"), "application/json; charset=utf-8")
    ask("POST", base, json.dumps(make("yaml")), YAML)
    ask("POST", base, "{{", YAML)
    ask("POST", base, "apiVersion: v1\nkind: [", YAML)
    ask("POST", base, make(metadata={"name": "a", "x": 1}))
    ask("POST", f"{base}?fieldValidation=Strict", make(metadata={"name": "a", "x": 1}, foo=1))
    twice = json.dumps(make("d"))[:-1] + ',"metadata":{"name":"d2","name":"d3"}}'
    ask("POST", f"{base}?fieldValidation=Strict", twice)
    ask("POST", base, twice)
    ask("POST", base, twice, YAML)
    for query in ("fieldValidation=Bogus", "dryRun=x", f"fieldManager={'x' * 129}", "fieldManager=%01a"):
        ask("POST", f"{base}?{query}", make())
    _metadata(ask, base, make)
    ask("POST", base.replace("default", "nope"), make())
    ask("POST", base, make("big", data={"x": "y" * (3 * 1024 * 1024 + 10)}))


_ODD_METADATA: tuple[Any, ...] = (
    {"name": "rv", "resourceVersion": "1"},
    {"name": "rv2", "resourceVersion": "abc"},
    {"name": "ns", "namespace": "other"},
    {},
    {"name": 3},
    {"name": "x", "labels": {"a": 1}},
    {"name": "x", "labels": {"a/b/c": "!"}},
    "x",
    None,
    {"name": "x", "creationTimestamp": "zz"},
    {"name": "Bad_Name"},
    {"name": "a/b"},
    {"generateName": "Bad_"},
    {"name": "x", "ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": ""}]},
    {"name": "x", "finalizers": ["a b", "orphan", "foregroundDeletion"]},
    {"name": "dup", "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "n", "uid": "u"}] * 2},
    {"name": "x", "annotations": {"a": None}},
    {"name": "x", "labels": None},
    {"name": "x1", "labels": {}},
    {"name": "x", "finalizers": "a"},
    {"name": "x", "finalizers": [1]},
    {"name": "x", "ownerReferences": [{"apiVersion": 1}]},
    {"name": "x", "ownerReferences": [{"foo": 1, "apiVersion": "v1", "kind": "A", "name": "b", "uid": "u"}]},
    {"name": "x2", "generation": "a"},
    {"name": "x3", "managedFields": [{"manager": "x", "time": "zz"}]},
    {"name": "x4", "generation": 1.5},
    {"name": "x6", "ownerReferences": {}},
    {"name": "x7", "labels": []},
    {"name": "x8", "creationTimestamp": 5},
    {"name": "x9", "creationTimestamp": "2020-01-01T00:00:00Z", "selfLink": "/a", "uid": "abc", "generation": 8},
    {"name": "two", "ownerReferences": [
        {"apiVersion": "v1", "kind": "A", "name": "n", "uid": "u", "controller": True},
        {"apiVersion": "v1", "kind": "B", "name": "m", "uid": "v", "controller": True},
    ]},
    {"name": "ev", "ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "n", "uid": "u"}]},
    {"name": "an", "annotations": {"a": "x" * 262145}},
    {"name": "an2", "annotations": {"-bad": "y"}},
    {"name": "x" * 254},
    {"name": "la", "labels": {"a": "x" * 64}},
    {"name": "la", "labels": {"b" * 64: "c"}},
    {"name": "mf", "managedFields": [{"manager": "x", "operation": "Bogus", "apiVersion": "v1"}]},
)  # fmt: skip


def _metadata(ask: Ask, base: str, make: Make) -> None:
    for metadata in _ODD_METADATA:
        ask("POST", f"{base}?dryRun=All" if metadata != _ODD_METADATA[0] else base, make(metadata=metadata))


def _updating(ask: Ask, base: str, make: Make) -> None:
    path = f"{base}/u"
    version = ask("POST", base, make("u"))["metadata"]["resourceVersion"]
    ask("PUT", path, make("u"))
    for more in ({"resourceVersion": "1"}, {"resourceVersion": "abc"}, {"resourceVersion": version, "uid": "zz"}):
        ask("PUT", path, make(metadata={"name": "u", **more}))
    for name in ("v", ""):
        ask("PUT", path, make(metadata={"name": name, "resourceVersion": version}))
    ask("PUT", path, make(metadata={"name": "u", "resourceVersion": version, "namespace": "x"}))
    ask("PUT", f"{base}/absent", make(metadata={"name": "absent", "resourceVersion": version}))
    ask("PUT", f"{base}/absent", make(metadata={"name": "absent", "uid": "u"}))
    ended = {"deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3}
    made = {"creationTimestamp": "2020-01-01T00:00:00Z", "generation": 77}
    for more in (ended, made, {"labels": {"a": "b"}}):
        ask("PUT", path, make(metadata={"name": "u", "resourceVersion": version, **more}))
    ask("PUT", f"{path}?force=true", make(metadata={"name": "u", "resourceVersion": version}))
    ask("PUT", f"{path}?dryRun=All", make(metadata={"name": "u", "labels": {"dry": "run"}}))


def _patching(ask: Ask, base: str, make: Make) -> None:
    path = f"{base}/p"
    ask("POST", base, make("p"))
    for content_type in ("text/plain", JSON_PATCH, MERGE, STRATEGIC, APPLY):
        for body in ("{", '"x"', "[]", ""):
            ask("PATCH", path, body, content_type)
    ask("PATCH", path, "{}", None)
    ask("PATCH", path, "{}", JSON_PATCH)
    operations: tuple[dict[str, Any], ...] = (
        {"op": "test", "path": "/metadata/name", "value": "z"},
        {"op": "remove", "path": "/zz"},
        {"op": "bogus", "path": "/zz"},
        {"op": "add", "path": "zz", "value": 1},
        {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}, "extra": 1},
    )
    for operation in operations:
        ask("PATCH", path, [operation], JSON_PATCH)
    ask("PATCH", path, [{"op": "test", "path": "/kind", "value": "x"}] * 10_001, JSON_PATCH)
    changes: tuple[dict[str, Any], ...] = (
        {"name": "zz"}, {"uid": "zz"}, {"namespace": "zz"}, {"resourceVersion": "1"}, {"resourceVersion": ""},
    )  # fmt: skip
    for change in changes:
        ask("PATCH", path, {"metadata": change}, MERGE)
    ask("PATCH", path, {"foo": 1}, MERGE)
    ask("PATCH", path, '{"metadata":{"labels":{"x":"1","x":"2"}}}', MERGE)
    ask("PATCH", f"{path}?force=true", {}, MERGE)
    ask("PATCH", f"{path}?force=zz", {}, MERGE)
    ask("PATCH", f"{base}/absent", {}, MERGE)
    ask("PATCH", f"{path}?dryRun=All", {"metadata": {"labels": {"dry": "run"}}}, MERGE)


def _applying(ask: Ask, base: str, make: Make) -> None:
    path = f"{base}/ap?fieldManager=m"
    ask("PATCH", f"{base}/ap?fieldManager=", make("ap"), APPLY)
    ask("PATCH", path, make("ap"), APPLY)
    ask("PATCH", path, make("ap"), APPLY)
    ask("PATCH", path, make("other"), APPLY)
    ask("PATCH", path, {"metadata": {"name": "ap"}}, APPLY)
    ask("PATCH", path, make(metadata={"name": "ap", "managedFields": [{"manager": "x"}]}), APPLY)
    ask("PATCH", f"{base}/uid?fieldManager=m", make(metadata={"name": "uid", "uid": "x"}), APPLY)
    ask("PATCH", f"{base}/rv?fieldManager=m", make(metadata={"name": "rv", "resourceVersion": "7"}), APPLY)
    ask("PATCH", path, make(metadata={"name": "ap", "resourceVersion": "7"}), APPLY)
    ask("PATCH", path, make("ap", nonsense={"a": 1}), APPLY)
    ask("PATCH", path, make(metadata={"name": "ap", "labels": {"a": "b"}}), APPLY)
    ask("PATCH", f"{base}/ap?fieldManager=n", make(metadata={"name": "ap", "labels": {"a": "c"}}), APPLY)
    ask("PATCH", f"{base}/ap?fieldManager=n&force=true", make(metadata={"name": "ap", "labels": {"a": "c"}}), APPLY)
    ask("PATCH", path, "a: b: c", APPLY)
    twice = "apiVersion: {apiVersion}\nkind: {kind}\nmetadata:\n  name: ap\n  name: ap\n".format(**make())
    ask("PATCH", f"{path}&fieldValidation=Strict", twice, APPLY)
    ask("PATCH", path, twice, APPLY)


def _deleting(ask: Ask, base: str, make: Make) -> None:
    path = f"{base}/x"
    ask("DELETE", path)
    ask("POST", base, make("x"))
    ask("DELETE", f"{path}?dryRun=All")
    bodies: tuple[Any, ...] = (
        {"preconditions": {"uid": "x"}},
        {"preconditions": {"resourceVersion": "x"}},
        {"propagationPolicy": "Bogus"},
        {"propagationPolicy": "Orphan", "orphanDependents": True},
        {"kind": "Foo", "apiVersion": "v1"},
        {"kind": "DeleteOptions", "apiVersion": "v1", "foo": 1, "dryRun": ["All"]},
        "zz",
        {"gracePeriodSeconds": "x"},
    )
    for body in bodies:
        ask("DELETE", path, body)
    ask("DELETE", f"{path}?gracePeriodSeconds=x")
    ask("DELETE", f"{path}?propagationPolicy=Foreground")
    ask("DELETE", f"{path}?propagationPolicy=Foreground")
    version = ask("GET", path)["metadata"]["resourceVersion"]
    ask("PUT", path, make(metadata={"name": "x", "resourceVersion": version, "finalizers": ["a.b/c"]}))
    ask("POST", base, make("x"))
    ask("PATCH", path, {"metadata": {"finalizers": ["foregroundDeletion", "a.b/c"]}}, MERGE)
    ask("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
    ask("GET", path)
    for query in (
        "propagationPolicy=Background",
        "propagationPolicy=Orphan",
        "orphanDependents=true",
        "orphanDependents=false",
    ):
        ask("POST", base, make("y"))
        ask("DELETE", f"{base}/y?{query}")
        ask("PATCH", f"{base}/y", {"metadata": {"finalizers": None}}, MERGE)
    ask("POST", base, make(metadata={"name": "z", "labels": {"k": "v"}, "finalizers": ["a.b/c", "orphan"]}))
    ask("DELETE", f"{base}/z", {"propagationPolicy": "Foreground", "gracePeriodSeconds": 5})
    ask("PATCH", f"{base}/z", [{"op": "remove", "path": "/metadata/finalizers/0"}], JSON_PATCH)
    ask("DELETE", f"{base}?labelSelector=k%3Dv")
    ask("PATCH", f"{base}/z", [{"op": "remove", "path": "/metadata/finalizers"}], JSON_PATCH)
    for query in ("labelSelector=k%3Dv", "labelSelector=k%3D%3D%3Dv", "fieldSelector=a%3Dv"):
        ask("DELETE", f"{base}?{query}")


def _both(scenario: Callable[[Ask, str, Make], None]) -> Callable[[Ask], None]:
    def run(ask: Ask) -> None:
        scenario(ask, WIDGETS, widget)
        scenario(ask, CONFIG_MAPS, config_map)

    return run


def _scale(ask: Ask) -> None:
    ask("POST", DEPLOYMENTS, complete_deployment("sc"))
    ask("POST", WIDGETS, widget("sc", spec={"replicas": 1}))
    ask("POST", WIDGETS, widget("nosc", spec={}))
    scale = {"kind": "Scale", "apiVersion": "autoscaling/v1"}
    for base in (WIDGETS, DEPLOYMENTS):
        path = f"{base}/sc/scale"
        ask("GET", path)
        ask("PUT", path, {"metadata": {"name": "sc"}, "spec": {"replicas": 2}})
        for metadata, spec in (({}, 2), ({"resourceVersion": "1"}, 2), ({"uid": "1"}, 3), ({}, -1), ({}, 0)):
            ask("PUT", path, {**scale, "metadata": {"name": "sc", **metadata}, "spec": {"replicas": spec}})
        ask("PUT", f"{base}/absent/scale", {"metadata": {"name": "absent"}, "spec": {"replicas": 2}})
        ask("PATCH", path, {"spec": {"replicas": 5}}, MERGE)
        ask("PATCH", path, {"spec": {"replicas": 6}}, STRATEGIC)
        ask("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, MERGE)
        ask("PATCH", path, [{"op": "replace", "path": "/spec/replicas", "value": 7}], JSON_PATCH)
        for query, replicas in (("", 7), ("", 8), ("&force=true", 8)):
            body = {**scale, "metadata": {"name": "sc"}, "spec": {"replicas": replicas}}
            ask("PATCH", f"{path}?fieldManager=ap{query}", body, APPLY)
        ask("PATCH", f"{base}/absent/scale", {"spec": {"replicas": 5}}, MERGE)
    ask("GET", f"{WIDGETS}/sc")
    ask("GET", f"{DEPLOYMENTS}/sc")
    ask("GET", f"{WIDGETS}/nosc/scale")
    ask("PATCH", f"{WIDGETS}/nosc/scale", {"metadata": {"annotations": {"a": "b"}}}, MERGE)
    ask("PATCH", f"{WIDGETS}/nosc/scale", {"spec": {"replicas": 5}}, MERGE)


def _status(ask: Ask) -> None:
    ask("POST", WIDGETS, widget("st", spec={"replicas": 1}, status={"replicas": 9}))
    body = widget(metadata={"name": "st", "labels": {"x": "y"}}, spec={"replicas": 99}, status={"replicas": 2})
    ask("PUT", f"{WIDGETS}/st/status", body)
    body["metadata"]["resourceVersion"] = ask("GET", f"{WIDGETS}/st")["metadata"]["resourceVersion"]
    ask("PUT", f"{WIDGETS}/st/status", body)
    ask("PATCH", f"{WIDGETS}/st/status", {"status": {"replicas": 3}, "spec": {"replicas": 99}}, MERGE)
    ask("PATCH", f"{WIDGETS}/st", {"status": {"replicas": 4}, "spec": {"size": 99}}, MERGE)
    ask("PATCH", f"{WIDGETS}/st", {"spec": {"size": 99}}, MERGE)
    ask("PUT", f"{WIDGETS}/absent/status", widget(metadata={"name": "absent", "resourceVersion": "3"}))
    ask("PATCH", f"{WIDGETS}/absent/status?fieldManager=x", widget("absent"), APPLY)
    ask("POST", DEPLOYMENTS, complete_deployment("st"))
    metadata = {"name": "st", "labels": {"x": "y"}, "annotations": {"q": "r"}}
    ask("PUT", f"{DEPLOYMENTS}/st/status", {"metadata": metadata, "status": {"replicas": 2}})
    ask("PATCH", f"{DEPLOYMENTS}/st", {"metadata": {"annotations": {"a": "b"}}}, STRATEGIC)
    container = {"name": "c", "image": "other"}
    ask("PATCH", f"{DEPLOYMENTS}/st", {"spec": {"template": {"spec": {"containers": [container]}}}}, STRATEGIC)
    ask("DELETE", f"{DEPLOYMENTS}/st?propagationPolicy=Foreground")
    quota = {"metadata": {"name": "rq"}, "spec": {"hard": {"pods": "1000m"}}, "status": {"hard": {"pods": "3"}}}
    path = f"{DEFAULT}/resourcequotas"
    ask("POST", path, quota)
    ask("PATCH", f"{path}/rq", {"status": {"hard": {"pods": "4"}}}, MERGE)
    change = {"status": {"hard": {"pods": "1"}, "used": {"pods": "0"}}, "spec": {"hard": {"pods": "77"}}}
    ask("PATCH", f"{path}/rq/status", {**change, "metadata": {"labels": {"x": "y"}}}, MERGE)
    ask("PATCH", f"{path}/rq", {"status": None}, MERGE)
    ask("DELETE", f"{path}/rq")


def _foreign_kinds(ask: Ask) -> None:
    """Objects of other kinds than the path's, and what stands twice in a typed body."""
    kinds = (("Secret", "v1"), ("Deployment", "apps/v1"), ("Scale", "autoscaling/v1"), ("Widget", "k.dev/v1"))
    for kind, api_version in kinds:
        body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "zz"}, "data": {"a": "b"}}
        ask("POST", CONFIG_MAPS, body)
        ask("PUT", f"{CONFIG_MAPS}/zz", {**body, "data": {}})
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    ask("POST", CONFIG_MAPS, {**definition, "metadata": {"name": "zz"}})
    ask("POST", f"{DEFAULT}/secrets?fieldValidation=Strict", config_map("q", foo=1))
    owner = '{"apiVersion":"v1","kind":"A","name":"n","uid":"u"}'
    twice = (
        '{"metadata":{"name":"t1"},"data":{"a":"1","c":"x"},"data":{"b":"2","c":"y"},"metadata":{"labels":{"q":"r"}}}',
        '{"metadata":{"name":"t2","finalizers":["a/b","c/d"]},"metadata":{"finalizers":["e/f"]}}',
        f'{{"metadata":{{"name":"t3","ownerReferences":[{owner}]}},"metadata":{{"ownerReferences":[{{"name":"m"}}]}}}}',
    )
    for text in twice:
        ask("POST", CONFIG_MAPS, text)


def _data(ask: Ask) -> None:
    """What config maps and secrets may contain."""
    maps: tuple[dict[str, Any], ...] = (
        {"data": {"a b": "x"}},
        {"data": {"..": "x"}},
        {"data": {"a": "x"}, "binaryData": {"a": "eA=="}},
        {"binaryData": {"..a": "eA=="}},
        {"data": {"a": "x" * 1048577}},
    )
    for more in maps:
        ask("POST", f"{CONFIG_MAPS}?dryRun=All", config_map("d", **more))
    types = ("tls", "dockercfg", "dockerconfigjson", "basic-auth", "ssh-auth", "service-account-token", "other")
    for name in types:
        ask("POST", f"{DEFAULT}/secrets?dryRun=All", {"metadata": {"name": "d"}, "type": f"kubernetes.io/{name}"})
    for text in ("{", "[]", "{}"):
        body = {"metadata": {"name": "d"}, "type": "kubernetes.io/dockercfg", "stringData": {".dockercfg": text}}
        ask("POST", f"{DEFAULT}/secrets?dryRun=All", body)
    for base in (CONFIG_MAPS, f"{DEFAULT}/secrets"):
        ask("POST", base, {"metadata": {"name": "im"}, "data": {"a": "eA=="}, "immutable": True})
        for change in (
            {"immutable": None},
            {"data": {"b": "eA=="}},
            {"type": "x"},
            {"metadata": {"labels": {"a b": ""}}},
        ):
            ask("PATCH", f"{base}/im?fieldValidation=Ignore", change, MERGE)


def _scale_owners(ask: Ask) -> None:
    """Who owns the replicas after writes to the scale."""
    ask("POST", WIDGETS, widget("so", spec={"replicas": 1}))
    ask("PATCH", f"{WIDGETS}/so/scale?fieldManager=scaler", {"spec": {"replicas": 4}}, MERGE)
    ask("GET", f"{WIDGETS}/so")
    ask("PUT", f"{WIDGETS}/so/scale?fieldManager=other", {"metadata": {"name": "so"}, "spec": {"replicas": 5}})
    ask("GET", f"{WIDGETS}/so")
    ask("PATCH", f"{WIDGETS}/so?fieldManager=m", widget("so", spec={"replicas": 6}), APPLY)
    ask("POST", DEPLOYMENTS, complete_deployment("so"))
    ask("PATCH", f"{DEPLOYMENTS}/so/scale?fieldManager=scaler", {"spec": {"replicas": 4}}, MERGE)
    ask("GET", f"{DEPLOYMENTS}/so")
    ask("PATCH", f"{DEPLOYMENTS}/so/scale?fieldManager=strategic", {"spec": {"replicas": 6}}, STRATEGIC)
    ask("GET", f"{DEPLOYMENTS}/so")
    ask("PUT", f"{DEPLOYMENTS}/so/scale?fieldManager=other", {"metadata": {"name": "so"}, "spec": {"replicas": 5}})
    ask("GET", f"{DEPLOYMENTS}/so")


def _namespaces(ask: Ask) -> None:
    path = "/api/v1/namespaces"
    ask("POST", path, {"metadata": {"name": "n1", "labels": {"a": "b"}}})
    ask("POST", path, {"metadata": {"name": "a.b"}})
    ask("PUT", f"{path}/n1", {"metadata": {"name": "n1"}, "spec": {"finalizers": ["x.y/z"]}})
    ask("DELETE", f"{path}/n1", {"preconditions": {"uid": "x"}})
    ask("DELETE", f"{path}/n1")
    ask("DELETE", f"{path}/n1")
    ask("POST", f"{path}/n1/configmaps", {"metadata": {"name": "x"}})
    ask("POST", f"{path}/n1/configmaps", {"metadata": {"generateName": "x"}})
    ask("PUT", f"{path}/n1/finalize", {"metadata": {"name": "n1"}, "spec": {}})
    ask("GET", f"{path}/n1")
    ask("DELETE", f"{path}/default")
    ask("DELETE", f"{path}/kube-node-lease?dryRun=All")


def _go_types(ask: Ask) -> None:
    """Values of other types than Go's, everywhere in a Deployment."""
    changes: tuple[Callable[[dict[str, Any]], Any], ...] = (
        lambda found: found["spec"].update(replicas="x"),
        lambda found: found["spec"].update(replicas=1.5),
        lambda found: found["spec"].update(replicas=99999999999),
        lambda found: found.update(spec=[]),
        lambda found: _pod(found).update(containers={}),
        lambda found: _container(found).update(name=5),
        lambda found: _pod(found)["containers"].append("x"),
        lambda found: _container(found).update(ports=[{"containerPort": "x"}]),
        lambda found: _container(found).update(imagePullPolicy=1),
        lambda found: _container(found)["resources"].update(limits={"cpu": "zz"}),
        lambda found: _container(found)["resources"].update(limits={"cpu": True}),
        lambda found: _container(found)["resources"].update(limits=[]),
        lambda found: found["spec"].update(strategy={"rollingUpdate": {"maxSurge": True}}),
        lambda found: found["spec"].update(paused="yes"),
        lambda found: found["spec"]["selector"].update(matchLabels={"a": 1}),
    )
    for change in changes:
        body = deployment()
        change(body)
        ask("POST", DEPLOYMENTS, body)
    body = deployment()
    body["spec"]["x"] = body["q"] = 1
    _container(body).update(y=1, env=[{"name": "e", "z": 1}])
    ask("POST", f"{DEPLOYMENTS}?fieldValidation=Strict", body)
    secrets = f"{DEFAULT}/secrets?dryRun=All"
    for data in ({"a": "!!"}, {"a": 5}, {"a": None}):
        ask("POST", secrets, {"metadata": {"name": "s"}, "data": data, "stringData": {"b": "c"}})
    for more in ({"data": {"a": None}, "immutable": False}, {"data": {}, "binaryData": {"x": ""}}):
        ask("POST", f"{CONFIG_MAPS}?dryRun=All", {"metadata": {"name": "s"}, **more})


def _pod(found: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = found["spec"]["template"]["spec"]
    return pod


def _container(found: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any] = _pod(found)["containers"][0]
    return container


def _put_creates(ask: Ask) -> None:
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        (f"{DEFAULT}/endpoints", {}),
        ("/apis/coordination.k8s.io/v1/namespaces/default/leases", {"spec": {}}),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", {}),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", {}),
        ("/apis/node.k8s.io/v1/runtimeclasses", {"handler": "x"}),
        (f"{DEFAULT}/secrets", {}),
        ("/apis/policy/v1/namespaces/default/poddisruptionbudgets", {"spec": {}}),
    )
    for base, more in kinds:
        path = f"{base}/put"
        ask("PUT", path, {"metadata": {"name": "put"}, **more})
        ask("PUT", path, {"metadata": {"name": "put"}, **more})
        ask("PUT", f"{path}2", {"metadata": {"name": "put2", "uid": "7"}, **more})
        ask("PATCH", path, {"metadata": {"labels": {"c": "d"}}}, STRATEGIC)
        ask("DELETE", path)


def _generations(ask: Ask) -> None:
    label: dict[str, Any] = {"metadata": {"labels": {"a": "b"}}}
    note: dict[str, Any] = {"metadata": {"annotations": {"a": "b"}}}
    policy = {"metadata": {"name": "g", "generation": 7}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"]}}
    slices = {"metadata": {"name": "g"}, "addressType": "IPv4", "endpoints": [{"addresses": ["10.1.1.1"]}]}
    networking = "/apis/networking.k8s.io/v1"
    kinds: tuple[tuple[str, dict[str, Any], tuple[dict[str, Any], ...]], ...] = (
        (f"{networking}/namespaces/default/networkpolicies", policy, (label, {"spec": {"policyTypes": ["Egress"]}})),
        (CONFIG_MAPS, {"metadata": {"name": "g"}, "data": {"a": "b"}}, ({"data": {"a": None}}, {"immutable": True})),
        (f"{DEFAULT}/secrets", {"metadata": {"name": "g"}, "stringData": {"a": "b"}}, ({"stringData": {"c": "d"}},)),
        (f"{DEFAULT}/serviceaccounts", {"metadata": {"name": "g"}}, ({"automountServiceAccountToken": False},)),
        ("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", slices, (label, note)),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            {"metadata": {"name": "g"}},
            (label,),
        ),
        (f"{networking}/ingressclasses", {"metadata": {"name": "g"}, "spec": {"controller": "a.b/c"}}, (label,)),
        (WIDGETS, widget("g", spec={"size": 1}), (label, {"spec": {"size": 2}}, {"spec": {"size": 2}})),
    )
    for base, body, changes in kinds:
        ask("POST", base, body)
        for change in changes:
            ask("PATCH", f"{base}/g", change, MERGE)
        ask("DELETE", f"{base}/g")


def _strategic(ask: Ask) -> None:
    path = f"{CONFIG_MAPS}/st"
    owner = {"apiVersion": "v1", "kind": "A", "name": "n", "uid": "u"}
    metadata = {"name": "st", "labels": {"a": "b"}, "finalizers": ["x.y/z"], "ownerReferences": [owner]}
    ask("POST", CONFIG_MAPS, config_map(metadata=metadata, data={"a": "b", "c": "d"}))
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
        ask("PATCH", path, change, STRATEGIC)
    ask("PATCH", f"{path}?fieldValidation=Strict", {"unknown": 1}, STRATEGIC)
    ask("PATCH", f"{path}?dryRun=All", {"data": {"dry": "run"}}, STRATEGIC)
    ask("DELETE", path)
    ask("PATCH", path, {"metadata": {"finalizers": None, "labels": {"last": "one"}}}, MERGE)
    ask("GET", path)


def _yaml(ask: Ask) -> None:
    texts = (
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yy\ndata:\n  a: "yes"\n  b: "12"\n',
        "metadata:\n  name: yz\ndata:\n  a: yes\n",
        "metadata:\n  name: ya\ndata:\n  a: 2001-01-01\n  f: 12:30\n  e: ~\n",
        "metadata:\n  name: yb\ndata:\n  b: 1e3\n",
        "metadata:\n  name: yc\ndata:\n  c: 0x10\n",
        "---\nmetadata:\n  name: yd\n---\nmetadata:\n  name: ye\n",
    )
    for text in texts:
        ask("POST", CONFIG_MAPS, text, YAML)


SCENARIOS: Mapping[str, Callable[[Ask], None]] = {
    "applying": _both(_applying),
    "data": _data,
    "decoding": _both(_decoding),
    "deleting": _both(_deleting),
    "foreign-kinds": _foreign_kinds,
    "generations": _generations,
    "go-types": _go_types,
    "namespaces": _namespaces,
    "patching": _both(_patching),
    "put-creates": _put_creates,
    "scale": _scale,
    "scale-owners": _scale_owners,
    "status": _status,
    "strategic": _strategic,
    "updating": _both(_updating),
    "yaml": _yaml,
}
