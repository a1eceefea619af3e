"""Rules of what may change of a pod, by itself and by its subresource for ephemeral containers."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.builtin_objects import POD

case = Cases("pod-changes")
PATH: Final = "/api/v1/namespaces/{ns}/pods"


def _make(s: Script, spec: dict[str, Any]) -> None:
    s.post(PATH, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {**POD, **spec}})


@case("metadata of changed pods")
def _(s: Script) -> None:
    _make(s, {})
    s.patch(f"{PATH}/a", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{PATH}/a", {"metadata": {"annotations": {"a b": "c"}}})


@case("ephemeral containers")
def _(s: Script) -> None:
    _make(s, {"volumes": [{"name": "v"}]})
    mount = {"name": "v", "mountPath": "/v", "subPath": "s"}
    containers: tuple[dict[str, Any], ...] = (
        {"name": "a", "image": "i"},
        {"name": "e"},
        {"name": "e", "image": "i", "targetContainerName": "x"},
        {"name": "e", "image": "i", "ports": [{"containerPort": 1}]},
        {"name": "e", "image": "i", "livenessProbe": {"tcpSocket": {"port": 1}}},
        {"name": "e", "image": "i", "volumeMounts": [mount]},
        {"name": "e", "image": "i"},
        {"name": "f", "image": "i"},
    )
    for container in containers:
        s.patch(f"{PATH}/a/ephemeralcontainers", {"spec": {"ephemeralContainers": [container]}})


@case("changes")
def _(s: Script) -> None:
    toleration = {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
    spec = {"activeDeadlineSeconds": 10, "tolerations": [toleration], "schedulingGates": [{"name": "g"}]}
    _make(s, spec)
    s.patch(f"{PATH}/a", {"spec": {"containers": [{"name": "a", "image": "j"}]}}, kind="strategic")
    s.patch(f"{PATH}/a", {"spec": {"containers": [{"name": "a", "image": " "}]}}, kind="strategic")
    s.patch(f"{PATH}/a", {"spec": {"containers": [{"name": "b", "image": "j"}]}}, kind="strategic")
    s.patch(f"{PATH}/a", {"spec": {"initContainers": [{"name": "b", "image": "j"}]}})
    s.patch(f"{PATH}/a", {"spec": {"activeDeadlineSeconds": 9}})
    s.patch(f"{PATH}/a", {"spec": {"activeDeadlineSeconds": 11}})
    s.patch(f"{PATH}/a", {"spec": {"activeDeadlineSeconds": None}})
    s.patch(f"{PATH}/a", {"spec": {"activeDeadlineSeconds": -1}})
    s.patch(f"{PATH}/a", {"spec": {"schedulingGates": [{"name": "h"}]}})
    s.patch(f"{PATH}/a", {"spec": {"schedulingGates": None}})
    s.patch(f"{PATH}/a", {"spec": {"tolerations": None}})
    s.get(f"{PATH}/a")
