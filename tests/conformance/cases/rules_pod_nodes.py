"""What a node means for its pods: labels that they get, and how far they can be resized."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("pods-on-nodes")
PATH: Final = "/api/v1/namespaces/{ns}/pods"
NODES: Final = "/api/v1/nodes"
_PLACE: Final = {"topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r"}
_FEATURES: Final = ["InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"]


def _container(name: str = "a", **requests: str) -> dict[str, Any]:
    return {"name": name, "image": "i:1", "resources": {"requests": requests}}


def _pod(spec: dict[str, Any], name: str = "a", **metadata: Any) -> dict[str, Any]:
    spec = {"containers": [_container(cpu="1")], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": spec}


def _make_node(s: Script, features: list[str], **labels: str) -> None:
    """Make a node, and wait until the server's own plugins know of it."""
    room = {"cpu": "2", "memory": "1Gi", "pods": "10"}
    status = {"allocatable": room, "capacity": room, "declaredFeatures": features}
    metadata = {"name": "node-{ns}", "labels": {**_PLACE, "other": "o", **labels}}
    s.post(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status})
    s.until(PATH, status=201, holding="topology.kubernetes.io/zone", **_probe())


def _probe() -> dict[str, Any]:
    return {"method": "POST", "body": _pod({"nodeName": "node-{ns}"}, "probe"), "query": {"dryRun": "All"}}


@case("labels of a place")
def _(s: Script) -> None:
    _make_node(s, [])
    s.post(PATH, _pod({"nodeName": "node-{ns}"}))
    own = {"topology.kubernetes.io/zone": "mine", "a": "b"}
    s.post(PATH, _pod({"nodeName": "node-{ns}"}, "b", labels=own))
    s.post(PATH, _pod({}, "c", labels=own))
    s.post(PATH, _pod({}, "d"))
    s.post(PATH, _pod({"nodeName": "nowhere"}, "e"))
    target = {"kind": "Node", "name": "node-{ns}"}
    for name, to in (("c", target), ("d", {"name": "node-{ns}"})):
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": to}
        s.post(f"{PATH}/{name}/binding", body)
        s.get(f"{PATH}/{name}")
    s.patch(f"{PATH}/a", {"metadata": {"labels": None}})
    s.delete(f"{NODES}/node-{{ns}}")


@case("room for a resize")
def _(s: Script) -> None:
    _make_node(s, [])
    s.post(PATH, _pod({"nodeName": "node-{ns}", "initContainers": [_container("i", cpu="1")]}))
    s.post(PATH, _pod({"nodeName": "nowhere"}, "b"))
    for containers in (
        [_container(cpu="3")],
        [_container(cpu="3", memory="2Gi")],
        [_container(cpu="1500m")],
        [_container(cpu="1500m")],
    ):
        s.patch(f"{PATH}/a/resize", {"spec": {"containers": containers}}, kind="strategic")
        s.patch(f"{PATH}/b/resize", {"spec": {"containers": containers}}, kind="strategic")
    s.patch(f"{PATH}/a/resize", {"spec": {"initContainers": [_container("i", cpu="2")]}}, kind="strategic")
    s.delete(f"{NODES}/node-{{ns}}")


@case("features for a resize")
def _(s: Script) -> None:
    for features in ([], _FEATURES[:1], _FEATURES):
        _make_node(s, features)
        spec = {"nodeName": "node-{ns}", "resources": {"requests": {"cpu": "1"}}}
        s.post(PATH, _pod({**spec, "initContainers": [_container("i", cpu="1")]}))
        s.patch(f"{PATH}/a/resize", {"spec": {"initContainers": [_container("i", cpu="500m")]}}, kind="strategic")
        s.patch(f"{PATH}/a/resize", {"spec": {"resources": {"requests": {"cpu": "2"}}}})
        s.delete(f"{PATH}/a", gracePeriodSeconds=0)
        s.delete(f"{NODES}/node-{{ns}}")
        s.until(PATH, status=201, lacking="topology.kubernetes.io/zone", **_probe())


@case("a resize on another system")
def _(s: Script) -> None:
    _make_node(s, _FEATURES, **{"kubernetes.io/os": "windows"})
    s.post(PATH, _pod({"nodeName": "node-{ns}"}))
    s.patch(f"{PATH}/a/resize", {"spec": {"containers": [_container(cpu="500m")]}}, kind="strategic")
    s.delete(f"{NODES}/node-{{ns}}")
