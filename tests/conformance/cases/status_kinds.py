"""What may be said in the status of nodes, budgets, attachments and policies."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("status of kinds")

NODES: Final = "/api/v1/nodes"
BUDGETS: Final = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
ATTACHMENTS: Final = "/apis/storage.k8s.io/v1/volumeattachments"
POLICIES: Final = "/apis/admissionregistration.k8s.io/v1"
_THEN: Final = "2020-01-01T00:00:00Z"
_CONDITION: Final = {"type": "A", "status": "True", "reason": "R", "message": "", "lastTransitionTime": _THEN}
_CONDITIONS: Final[tuple[dict[str, Any], ...]] = (
    {"type": ""},
    {"type": "not a name"},
    {"type": "example.com/a"},
    {"status": "Perhaps"},
    {"status": ""},
    {"observedGeneration": -1},
    {"lastTransitionTime": None},
    {"reason": ""},
    {"reason": "not a reason"},
    {"reason": "A" * 1025},
    {"message": "m" * (32 * 1024 + 1)},
)
_STATUSES: Final[tuple[dict[str, Any], ...]] = (
    {"capacity": {"cpu": "-1"}},
    {"capacity": {"pods": "1500m"}},
    {"capacity": {"example.com/gpu": "500m"}},
    {"capacity": {"not a name": "500m"}},
    {"allocatable": {"memory": "-1Gi"}},
    {"allocatable": {"requests.example.com/gpu": "500m"}},
    {"addresses": [{"type": "Hostname", "address": "a"}] * 2},
    {"addresses": [{"type": "Hostname", "address": "a"}, {"type": "InternalDNS", "address": "a"}]},
    {"declaredFeatures": ["lower"]},
    {"declaredFeatures": ["A/b", "A/b"]},
    {"declaredFeatures": ["B", "A"]},
    {"declaredFeatures": ["B" * 254]},
    {"declaredFeatures": ["A", "A/b/C", "B1"]},
    {"config": {"assigned": {}}},
    {"conditions": [{"type": "", "status": ""}]},
)


def _info(capacity: int) -> dict[str, Any]:
    names = ("machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion")
    others = ("kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture")
    return {"nodeInfo": {**dict.fromkeys((*names, *others), ""), "swap": {"capacity": capacity}}}


@case("nodes")
def _(s: Script) -> None:
    s.post(NODES, {"metadata": {"name": "{ns}"}})
    for status in (*_STATUSES, _info(0)):
        s.patch(f"{NODES}/{{ns}}/status", {"status": status})
    s.patch(f"{NODES}/{{ns}}", {"metadata": {"labels": {"a": "b"}}})
    s.delete(f"{NODES}/{{ns}}")


@case("nodes that are made with a status")
def _(s: Script) -> None:
    for index, status in enumerate((*_STATUSES, _info(-1), _info(1))):
        s.post(NODES, {"metadata": {"name": f"{{ns}}-{index}"}, "status": status})
        s.delete(f"{NODES}/{{ns}}-{index}")


@case("changes of nodes")
def _(s: Script) -> None:
    spec = {"podCIDRs": ["10.1.0.0/16", "fd00::/64"], "podCIDR": "10.1.0.0/16", "providerID": "p"}
    s.post(NODES, {"metadata": {"name": "{ns}"}, "spec": spec})
    for part in (
        {"podCIDR": "10.2.0.0/16", "podCIDRs": ["10.2.0.0/16", "fd01::/64"]},
        {"podCIDRs": ["10.1.0.0/16"]},
        {"podCIDR": "", "podCIDRs": None},
        {"podCIDR": "x", "podCIDRs": ["x", "fd00::/64"]},
        {"providerID": "q"},
        {"externalID": "q"},
        {"taints": [{"key": "a b", "effect": "Odd"}]},
        {"taints": [{"key": "a", "effect": "NoSchedule"}] * 2},
    ):
        s.patch(f"{NODES}/{{ns}}", {"spec": part})
    s.patch(f"{NODES}/{{ns}}", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{NODES}/{{ns}}/status", {"metadata": {"labels": {"a b": "c"}}})
    s.delete(f"{NODES}/{{ns}}")


@case("budgets")
def _(s: Script) -> None:
    s.post(BUDGETS, {"metadata": {"name": "a"}, "spec": {"minAvailable": 1}})
    for change in _CONDITIONS:
        s.patch(f"{BUDGETS}/a/status", {"status": {"conditions": [{**_CONDITION, **change}]}})
    s.patch(f"{BUDGETS}/a/status", {"status": {"conditions": [_CONDITION, _CONDITION], "currentHealthy": -1}})
    s.patch(f"{BUDGETS}/a/status", {"metadata": {"labels": {"a b": "c"}}})


@case("budgets with faulty metadata")
def _(s: Script) -> None:
    s.post(BUDGETS, {"metadata": {"name": "a"}, "spec": {"minAvailable": 1}})
    s.patch(f"{BUDGETS}/a", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{BUDGETS}/a", {"metadata": {"annotations": {"a b": "c"}}, "spec": {"minAvailable": -1}})
    owner = {"apiVersion": "v1", "kind": "", "name": "", "uid": ""}
    s.patch(f"{BUDGETS}/a", {"metadata": {"ownerReferences": [owner]}})


@case("attachments")
def _(s: Script) -> None:
    spec = {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "p"}}
    s.post(ATTACHMENTS, {"metadata": {"name": "{ns}"}, "spec": spec})
    for status in (
        {"attachmentMetadata": {"a": "x" * 256 * 1024}},
        {"attachError": {"message": "m" * 1025}},
        {"detachError": {"message": "m", "errorCode": -1}},
        {"attachError": {"errorCode": 5}, "attached": True},
    ):
        s.patch(f"{ATTACHMENTS}/{{ns}}/status", {"status": {"attached": False, **status}})
    s.delete(f"{ATTACHMENTS}/{{ns}}")


@case("policies")
def _(s: Script) -> None:
    path = f"{POLICIES}/validatingadmissionpolicies"
    rules = [{"apiGroups": ["x"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["y"]}]
    spec = {"matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "true"}]}
    s.post(path, {"metadata": {"name": "{ns}"}, "spec": spec})
    for change in _CONDITIONS:
        s.patch(f"{path}/{{ns}}/status", {"status": {"conditions": [{**_CONDITION, **change}]}})
    s.patch(f"{path}/{{ns}}/status", {"status": {"conditions": [_CONDITION, _CONDITION]}})
    for warning in ({"warning": "", "fieldRef": ""}, {"warning": "w", "fieldRef": "not a path"}):
        s.patch(f"{path}/{{ns}}/status", {"status": {"typeChecking": {"expressionWarnings": [warning]}}})
    s.delete(f"{path}/{{ns}}")
