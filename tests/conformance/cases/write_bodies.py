"""Bodies of writes in every form, by the same requests to a custom and to a built-in kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS
from cases.widget_objects import (
    HERE,
    MERGE,
    WIDGET_CRD,
    WIDGETS,
    YAML,
    Make,
    deployment,
    plain_map,
    send,
    widget,
)

case = Cases("write bodies")


def _container(found: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any] = _pod(found)["containers"][0]
    return container


def _pod(found: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = found["spec"]["template"]["spec"]
    return pod


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
    {"generateName": "Gen_"},
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


def _metadata(s: Script, base: str, make: Make) -> None:
    for metadata in _ODD_METADATA:
        send(s, "POST", f"{base}?dryRun=All" if metadata != _ODD_METADATA[0] else base, make(metadata=metadata))


def _decoding(s: Script, base: str, make: Make) -> None:
    for body in (b"", b"{", b"[]", b'"x"', b"null", b'{"a":1}', b'{"metadata":{"name":"nokind"}}', b"hello"):
        send(s, "POST", base, body)
    send(s, "POST", base, b'{"apiVersion":"v9","kind":"Other","metadata":{"name":"x"}}')
    for change in (
        {"kind": "Other"},
        {"apiVersion": "apps/v1"},
        {"apiVersion": "a/b/c"},
        {"apiVersion": 3},
        {"kind": 3},
    ):
        send(s, "POST", base, {**make(), **change})
    send(s, "POST", base, make(), "text/plain")
    send(s, "POST", base, make("plain"), None)
    send(s, "POST", base, make("charset"), "application/json; charset=utf-8")
    send(s, "POST", base, json.dumps(make("yaml")), YAML)
    send(s, "POST", base, "{{", YAML)
    send(s, "POST", base, "apiVersion: v1\nkind: [", YAML)
    send(s, "POST", base, make(metadata={"name": "a", "x": 1}))
    send(s, "POST", f"{base}?fieldValidation=Strict", make(metadata={"name": "a", "x": 1}, foo=1))
    twice = json.dumps(make("d"))[:-1] + ',"metadata":{"name":"d2","name":"d3"}}'
    send(s, "POST", f"{base}?fieldValidation=Strict", twice)
    send(s, "POST", base, twice)
    send(s, "POST", base, twice, YAML)
    for query in ("fieldValidation=Bogus", "dryRun=x", f"fieldManager={'x' * 129}", "fieldManager=%01a"):
        send(s, "POST", f"{base}?{query}", make())
    _metadata(s, base, make)
    send(s, "POST", base.replace("{ns}", "nope"), make())
    send(s, "POST", base, make("big", data={"x": "y" * (3 * 1024 * 1024 + 10)}))


@case("bodies of all forms of a custom resource")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _decoding(s, WIDGETS, widget)


@case("bodies of all forms of a config map")
def _(s: Script) -> None:
    _decoding(s, CONFIG_MAPS, plain_map)


def _foreign_kinds(s: Script) -> None:
    """Objects of other kinds than the path's, and what stands twice in a typed body."""
    kinds = (("Secret", "v1"), ("Deployment", "apps/v1"), ("Scale", "autoscaling/v1"), ("Widget", "k.dev/v1"))
    for kind, api_version in kinds:
        body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "zz"}, "data": {"a": "b"}}
        send(s, "POST", CONFIG_MAPS, body)
        send(s, "PUT", f"{CONFIG_MAPS}/zz", {**body, "data": {}})
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    send(s, "POST", CONFIG_MAPS, {**definition, "metadata": {"name": "zz"}})
    send(s, "POST", f"{HERE}/secrets?fieldValidation=Strict", plain_map("q", foo=1))
    owner = '{"apiVersion":"v1","kind":"A","name":"n","uid":"u"}'
    twice = (
        '{"metadata":{"name":"t1"},"data":{"a":"1","c":"x"},"data":{"b":"2","c":"y"},"metadata":{"labels":{"q":"r"}}}',
        '{"metadata":{"name":"t2","finalizers":["a/b","c/d"]},"metadata":{"finalizers":["e/f"]}}',
        f'{{"metadata":{{"name":"t3","ownerReferences":[{owner}]}},"metadata":{{"ownerReferences":[{{"name":"m"}}]}}}}',
    )
    for text in twice:
        send(s, "POST", CONFIG_MAPS, text)


@case("objects of other kinds than the path's")
def _(s: Script) -> None:
    _foreign_kinds(s)


def _data(s: Script) -> None:
    """What config maps and secrets may contain."""
    maps: tuple[dict[str, Any], ...] = (
        {"data": {"a b": "x"}},
        {"data": {"..": "x"}},
        {"data": {"a": "x"}, "binaryData": {"a": "eA=="}},
        {"binaryData": {"..a": "eA=="}},
        {"data": {"a": "x" * 1048577}},
    )
    for more in maps:
        send(s, "POST", f"{CONFIG_MAPS}?dryRun=All", plain_map("d", **more))
    types = ("tls", "dockercfg", "dockerconfigjson", "basic-auth", "ssh-auth", "service-account-token", "other")
    for name in types:
        send(s, "POST", f"{HERE}/secrets?dryRun=All", {"metadata": {"name": "d"}, "type": f"kubernetes.io/{name}"})
    for text in ("{", "[]", "{}"):
        body = {"metadata": {"name": "d"}, "type": "kubernetes.io/dockercfg", "stringData": {".dockercfg": text}}
        send(s, "POST", f"{HERE}/secrets?dryRun=All", body)
    for base in (CONFIG_MAPS, f"{HERE}/secrets"):
        send(s, "POST", base, {"metadata": {"name": "im"}, "data": {"a": "eA=="}, "immutable": True})
        for change in (
            {"immutable": None},
            {"data": {"b": "eA=="}},
            {"type": "x"},
            {"metadata": {"labels": {"a b": ""}}},
        ):
            send(s, "PATCH", f"{base}/im?fieldValidation=Ignore", change, MERGE)


@case("what config maps and secrets may contain")
def _(s: Script) -> None:
    _data(s)


def _go_types(s: Script) -> None:
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
        send(s, "POST", DEPLOYMENTS, body)
    body = deployment()
    body["spec"]["x"] = body["q"] = 1
    _container(body).update(y=1, env=[{"name": "e", "z": 1}])
    send(s, "POST", f"{DEPLOYMENTS}?fieldValidation=Strict", body)
    secrets = f"{HERE}/secrets?dryRun=All"
    for data in ({"a": "!!"}, {"a": 5}, {"a": None}):
        send(s, "POST", secrets, {"metadata": {"name": "s"}, "data": data, "stringData": {"b": "c"}})
    for more in ({"data": {"a": None}, "immutable": False}, {"data": {}, "binaryData": {"x": ""}}):
        send(s, "POST", f"{CONFIG_MAPS}?dryRun=All", {"metadata": {"name": "s"}, **more})


@case("values of other types than Go's")
def _(s: Script) -> None:
    _go_types(s)


def _yaml(s: Script) -> None:
    texts = (
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yy\ndata:\n  a: "yes"\n  b: "12"\n',
        "metadata:\n  name: yz\ndata:\n  a: yes\n",
        "metadata:\n  name: ya\ndata:\n  a: 2001-01-01\n  f: 12:30\n  e: ~\n",
        "metadata:\n  name: yb\ndata:\n  b: 1e3\n",
        "metadata:\n  name: yc\ndata:\n  c: 0x10\n",
        "---\nmetadata:\n  name: yd\n---\nmetadata:\n  name: ye\n",
    )
    for text in texts:
        send(s, "POST", CONFIG_MAPS, text, YAML)


@case("YAML as Go reads it")
def _(s: Script) -> None:
    _yaml(s)
