"""Objects whose lists and maps have nothing where something should be."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.builtin_objects import of_kind

case = Cases("null rules")
CORE: Final = "/api/v1/namespaces/{ns}"
NETWORKING: Final = "/apis/networking.k8s.io/v1/namespaces/{ns}"


def _post(s: Script, path: str, made: tuple[str, str], *specs: dict[str, Any]) -> None:
    for spec in specs:
        s.post(path, of_kind(*made, spec=spec))


@case("in a service")
def _(s: Script) -> None:
    specs: list[dict[str, Any]] = [
        {"ports": [None]},
        {"ports": None, "clusterIP": None},
        {"ports": [{"port": 80, "targetPort": None}], "selector": {"a": None}, "clusterIPs": None},
        {"ports": [{"port": None}], "externalIPs": [None], "sessionAffinityConfig": {"clientIP": None}},
        {"type": "LoadBalancer", "ports": [{"port": 80}], "loadBalancerSourceRanges": [None]},
        {"type": "NodePort", "ports": [{"nodePort": 30009}, None]},
    ]
    _post(s, f"{CORE}/services", ("v1", "Service"), *specs)


@case("in an ingress and a network policy")
def _(s: Script) -> None:
    ingresses: list[dict[str, Any]] = [
        {"rules": [None], "tls": [None]},
        {"rules": [{"http": {"paths": [None]}}]},
        {"defaultBackend": {"service": {}}, "rules": None, "tls": [{"hosts": [None]}]},
    ]
    _post(s, f"{NETWORKING}/ingresses", ("networking.k8s.io/v1", "Ingress"), *ingresses)
    policies: list[dict[str, Any]] = [
        {"podSelector": {"matchExpressions": [None]}},
        {"podSelector": {}, "ingress": [{"from": [None], "ports": [None]}]},
        {"podSelector": {}, "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": [None]}}]}]},
    ]
    _post(s, f"{NETWORKING}/networkpolicies", ("networking.k8s.io/v1", "NetworkPolicy"), *policies)


@case("in an autoscaler, a budget and a claim")
def _(s: Script) -> None:
    target = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}, "maxReplicas": 1}
    scalers: list[dict[str, Any]] = [
        {**target, "metrics": [None]},
        {**target, "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"averageValue": None}}}]},
        {**target, "behavior": {"scaleUp": {"policies": [None]}, "scaleDown": None}},
        {"scaleTargetRef": None},
    ]
    path = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers"
    _post(s, path, ("autoscaling/v2", "HorizontalPodAutoscaler"), *scalers)
    _post(
        s,
        "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
        ("policy/v1", "PodDisruptionBudget"),
        {},
        {"minAvailable": None},
    )
    claims: list[dict[str, Any]] = [
        {},
        {"accessModes": [None], "resources": {"requests": {"storage": None}}},
        {"accessModes": ["ReadWriteOnce"], "resources": {"requests": None}, "dataSourceRef": {}, "selector": None},
    ]
    _post(s, f"{CORE}/persistentvolumeclaims", ("v1", "PersistentVolumeClaim"), *claims)


@case("in limits, quotas and classes")
def _(s: Script) -> None:
    limits: list[dict[str, Any]] = [{"limits": [None]}, {"limits": [{"type": "Container", "max": {"cpu": None}}]}]
    _post(s, f"{CORE}/limitranges", ("v1", "LimitRange"), *limits)
    selector = {"matchExpressions": [None]}
    quotas: list[dict[str, Any]] = [{"hard": {"x": None}}, {"scopes": [None]}, {"scopeSelector": selector}]
    _post(s, f"{CORE}/resourcequotas", ("v1", "ResourceQuota"), *quotas)
    slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices"
    made = of_kind("discovery.k8s.io/v1", "EndpointSlice")
    s.post(slices, {**made, "addressType": "IPv4", "endpoints": [None], "ports": [None]})
    s.post(slices, {**made, "addressType": "IPv6", "endpoints": [{"addresses": [None], "hints": {"forZones": [None]}}]})
    classed = of_kind("storage.k8s.io/v1", "StorageClass")
    terms = [None, {"matchLabelExpressions": [None]}]
    s.post("/apis/storage.k8s.io/v1/storageclasses", {**classed, "provisioner": "a", "allowedTopologies": terms})
