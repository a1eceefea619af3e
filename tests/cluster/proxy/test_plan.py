from __future__ import annotations

from typing import Any

from konverge.cluster.proxy.plan import Plan, PlannedPort, Target, plan_of, targets_of
from konverge.models import core_v1, discovery_v1


def service(**spec: Any) -> core_v1.Service:
    """Return a Service with one port, or with these."""
    usual = {"clusterIP": "127.96.0.9", "type": "ClusterIP", "ports": [{"port": 80, "name": "web"}]}
    value = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {**usual, **spec}}
    return core_v1.Service.from_dict(value)


def endpoint(address: str, **conditions: bool) -> dict[str, Any]:
    """Return an endpoint."""
    return {"addresses": [address], **({"conditions": conditions} if conditions else {})}


def slice_of(*endpoints: dict[str, Any], port: int = 8080, name: str = "web") -> discovery_v1.EndpointSlice:
    """Return a slice."""
    value = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "a-x"},
        "addressType": "IPv4",
        "endpoints": list(endpoints),
        "ports": [{"name": name, "port": port}],
    }
    return discovery_v1.EndpointSlice.from_dict(value)


def test_a_port_leads_to_what_is_ready() -> None:
    """By the port's name, each once, in order; of several slices."""
    slices = [
        slice_of(endpoint("127.65.0.3", ready=True), endpoint("127.65.0.4", ready=False)),
        slice_of(endpoint("127.65.0.2"), endpoint("127.65.0.3", ready=True)),
        slice_of(endpoint("127.65.0.2"), port=9090, name="metrics"),
    ]
    planned = PlannedPort(
        key="80", address="127.96.0.9", number=80, targets=(Target("127.65.0.2", 8080), Target("127.65.0.3", 8080))
    )
    assert plan_of(service(), slices) == Plan(ports=(planned,))


def test_who_ends_gets_nothing_new_unless_nobody_else_is_there() -> None:
    """As kube-proxy has it."""
    ending = endpoint("127.65.0.3", ready=False, serving=True, terminating=True)
    ended = endpoint("127.65.0.4", ready=False, serving=False, terminating=True)
    assert targets_of("web", [slice_of(endpoint("127.65.0.2"), ending)]) == (Target("127.65.0.2", 8080),)
    assert targets_of("web", [slice_of(ending, ended)]) == (Target("127.65.0.3", 8080),)
    assert targets_of("web", [slice_of(ended)]) == ()


def test_services_with_nothing_to_serve() -> None:
    """Headless ones, and names of elsewhere."""
    for spec in ({"clusterIP": "None"}, {"type": "ExternalName", "clusterIP": ""}):
        assert plan_of(service(**spec), [slice_of(endpoint("127.65.0.2"))]) == Plan()


def test_a_node_port_is_on_this_machine() -> None:
    """Beside the port at the cluster IP."""
    plan = plan_of(service(type="NodePort", ports=[{"port": 80, "nodePort": 30080}]), [])
    assert [(each.key, each.address, each.number) for each in plan.ports] == [
        ("80", "127.96.0.9", 80),
        ("node-30080", "127.0.0.1", 30080),
    ]


def test_a_node_port_with_the_number_of_the_port_itself() -> None:
    """Is a port of its own: a proxy keeps them apart by their keys."""
    plan = plan_of(service(type="NodePort", ports=[{"port": 30080, "nodePort": 30080}]), [])
    assert len({each.key for each in plan.ports}) == 2


def test_only_tcp_is_served() -> None:
    """What is not is said."""
    ports = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]
    plan = plan_of(service(ports=ports), [])
    assert [each.number for each in plan.ports] == [53]
    assert plan.unserved == ("53/UDP",)


def test_how_long_a_client_is_remembered() -> None:
    """As the Service says, or three hours."""
    config = {"clientIP": {"timeoutSeconds": 60}}
    asked = service(sessionAffinity="ClientIP", sessionAffinityConfig=config)
    assert [each.affinity for each in plan_of(asked, []).ports] == [60.0]
    assert [each.affinity for each in plan_of(service(sessionAffinity="ClientIP"), []).ports] == [10_800.0]
