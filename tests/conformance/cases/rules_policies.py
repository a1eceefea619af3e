"""What an Ingress, a NetworkPolicy and a PodDisruptionBudget may not be."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import of_kind

case = Cases("policy rules")
NETWORKING = "networking.k8s.io/v1"
INGRESSES = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses"
POLICIES = "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies"
BUDGETS = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
BACKEND: dict[str, Any] = {"service": {"name": "s", "port": {"number": 80}}}
WRONG_SELECTORS: tuple[dict[str, Any], ...] = (
    {"matchLabels": {"a b": "c"}},
    {"matchLabels": {"a": "c d"}},
    {"matchExpressions": [{"key": "a", "operator": "In"}]},
    {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
    {"matchExpressions": [{"key": "a", "operator": "Near", "values": ["b"]}]},
    {"matchExpressions": [{"key": "a b", "operator": "In", "values": ["c d"]}]},
)


def parts(*each: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return parts of objects that have little in common but their type."""
    return each


def _ingress(**spec: Any) -> dict[str, Any]:
    return of_kind(NETWORKING, "Ingress", spec=spec)


def _of_path(**path: Any) -> dict[str, Any]:
    each = {"path": "/", "pathType": "Prefix", "backend": BACKEND, **path}
    return _ingress(rules=[{"http": {"paths": [{name: item for name, item in each.items() if item is not None}]}}])


@case("an ingress without what it needs")
def _(s: Script) -> None:
    s.post(INGRESSES, _ingress())
    s.post(INGRESSES, _ingress(rules=[{"http": {"paths": []}}]))
    s.post(INGRESSES, _ingress(rules=[{"http": {}}]))


@case("the backends of an ingress")
def _(s: Script) -> None:
    resource = {"kind": "K", "name": "n", "apiGroup": "example.com"}
    for backend in parts(
        {},
        {**BACKEND, "resource": resource},
        {"service": {"port": {"number": 80}}},
        {"service": {"name": "S", "port": {"number": 80}}},
        {"service": {"name": "1", "port": {"number": 80}}},
        {"service": {"name": "s"}},
        {"service": {"name": "s", "port": {"number": 80, "name": "a"}}},
        {"service": {"name": "s", "port": {"number": 70000}}},
        {"service": {"name": "s", "port": {"name": "A b"}}},
        {"resource": {}},
        {"resource": {**resource, "apiGroup": "A"}},
        {"resource": {**resource, "kind": "a/b"}},
        {"resource": {**resource, "name": ".."}},
    ):
        s.post(INGRESSES, _ingress(defaultBackend=backend))
        s.post(INGRESSES, _of_path(backend=backend))


@case("the paths of an ingress")
def _(s: Script) -> None:
    s.post(INGRESSES, _of_path(pathType=None))
    s.post(INGRESSES, _of_path(pathType="Other"))
    for path in ("", "a", "/a//b", "/a/./b", "/a/../b", "/a%2fb", "/a%2Fb", "/a/..", "/a/."):
        s.post(INGRESSES, _of_path(path=path))
    s.post(INGRESSES, _of_path(path="a", pathType="ImplementationSpecific"))
    s.post(INGRESSES, _of_path(path="/a//b", pathType="ImplementationSpecific"))


@case("the hosts of an ingress")
def _(s: Script) -> None:
    for host in ("192.0.2.1", "A", "a_b", "*", "*.*.a", "a.*", "a:80"):
        s.post(INGRESSES, _ingress(rules=[{"host": host}]))
        s.post(INGRESSES, _ingress(defaultBackend=BACKEND, tls=[{"hosts": [host]}]))
    s.post(INGRESSES, _ingress(defaultBackend=BACKEND, tls=[{"secretName": "A"}]))
    s.post(INGRESSES, _ingress(defaultBackend=BACKEND, ingressClassName="A"))
    made = _ingress(defaultBackend=BACKEND, ingressClassName="b")
    s.post(INGRESSES, {**made, "metadata": {"name": "a", "annotations": {"kubernetes.io/ingress.class": "c"}}})


@case("a change of an ingress")
def _(s: Script) -> None:
    s.post(INGRESSES, _ingress(defaultBackend=BACKEND))
    one = f"{INGRESSES}/a"
    s.patch(one, {"spec": {"defaultBackend": None}})
    s.patch(one, {"spec": {"rules": [{"host": "A"}]}})
    s.patch(one, {"metadata": {"labels": {"a b": "c"}}})
    for point in ({"ip": "x"}, {"hostname": "A"}, {"hostname": "192.0.2.1"}, {"ip": "192.0.2.1"}):
        s.patch(f"{one}/status", {"status": {"loadBalancer": {"ingress": [point]}}})


def _policy(**spec: Any) -> dict[str, Any]:
    return of_kind(NETWORKING, "NetworkPolicy", spec={"podSelector": {}, **spec})


@case("the peers of a network policy")
def _(s: Script) -> None:
    for peer in (
        {},
        {"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}},
        {"ipBlock": {}},
        *({"ipBlock": {"cidr": text}} for text in ("x", "10.0.0.0", "10.0.0.1/8", "10.0.0.0/08", "10.0.0.0/33")),
        *({"ipBlock": {"cidr": "10.0.0.0/8", "except": [text]}} for text in ("x", "10.0.0.0/8", "11.0.0.0/16")),
        *({"ipBlock": {"cidr": "fd00::/8", "except": [text]}} for text in ("10.0.0.0/8", "fd00::/8")),
        *({"podSelector": each} for each in WRONG_SELECTORS),
        *({"namespaceSelector": each} for each in WRONG_SELECTORS[:1]),
    ):
        s.post(POLICIES, _policy(ingress=[{"from": [peer]}]))
        s.post(POLICIES, _policy(egress=[{"to": [peer]}]))


@case("the ports of a network policy")
def _(s: Script) -> None:
    for port in (
        {"protocol": "ICMP"},
        {"port": 0},
        {"port": 70000},
        {"port": "a_b"},
        {"port": "a", "endPort": 80},
        {"endPort": 80},
        {"port": 80, "endPort": 79},
        {"port": 80, "endPort": 70000},
        {"port": 80, "endPort": 0},
    ):
        s.post(POLICIES, _policy(ingress=[{"ports": [port]}]))
    s.post(POLICIES, _policy(egress=[{"ports": [{"port": 0}]}]))


@case("the rest of a network policy")
def _(s: Script) -> None:
    s.post(POLICIES, _policy(policyTypes=["Other"]))
    s.post(POLICIES, _policy(policyTypes=["Ingress", "Egress", "Ingress"]))
    for selector in WRONG_SELECTORS:
        s.post(POLICIES, _policy(podSelector=selector))
    s.post(POLICIES, _policy())
    s.patch(f"{POLICIES}/a", {"spec": {"ingress": [{"from": [{}]}]}})
    s.patch(f"{POLICIES}/a", {"spec": {"policyTypes": ["Other"]}})
    s.patch(f"{POLICIES}/a", {"metadata": {"labels": {"a b": "c"}}})


def _budget(**spec: Any) -> dict[str, Any]:
    return of_kind("policy/v1", "PodDisruptionBudget", spec=spec)


@case("a disruption budget")
def _(s: Script) -> None:
    s.post(BUDGETS, _budget(minAvailable=1, maxUnavailable="50%", selector={"matchLabels": {"a": "b"}}))
    s.post(BUDGETS, _budget(minAvailable=1, maxUnavailable=1))
    for name in ("minAvailable", "maxUnavailable"):
        for bound in (-1, "a", "10", "101%", "-1%", "1000000000000%", "%"):
            s.post(BUDGETS, _budget(**{name: bound}))
    s.post(BUDGETS, _budget(minAvailable=1, unhealthyPodEvictionPolicy="Other"))
    for selector in WRONG_SELECTORS:
        s.post(BUDGETS, _budget(minAvailable=1, selector=selector))


@case("a change of a disruption budget")
def _(s: Script) -> None:
    s.post(BUDGETS, _budget(minAvailable=1))
    s.patch(f"{BUDGETS}/a", {"spec": {"maxUnavailable": 1}})
    s.patch(f"{BUDGETS}/a", {"spec": {"minAvailable": "x"}})
    for name in ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"):
        s.patch(f"{BUDGETS}/a/status", {"status": {name: -1}})
