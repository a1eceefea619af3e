"""The hints of endpoints."""

from __future__ import annotations

import pytest

from konverge import ObjectMeta
from konverge.cluster.controllers.endpoint_hints import hints_of
from konverge.models import core_v1, discovery_v1

BOTH = discovery_v1.EndpointHints(
    for_zones=[discovery_v1.ForZone(name="z")], for_nodes=[discovery_v1.ForNode(name="n")]
)
ZONE = discovery_v1.EndpointHints(for_zones=[discovery_v1.ForZone(name="z")])


def service(prefers: str | None, **annotations: str) -> core_v1.Service:
    """Return a service that prefers some traffic."""
    spec = core_v1.ServiceSpec(traffic_distribution=prefers)
    return core_v1.Service(metadata=ObjectMeta(name="web", annotations=annotations), spec=spec)


def endpoint(*, ready: bool = True) -> discovery_v1.Endpoint:
    """Return an endpoint on a node of a zone."""
    conditions = discovery_v1.EndpointConditions(ready=ready)
    return discovery_v1.Endpoint(addresses=["10.0.0.1"], conditions=conditions, node_name="n", zone="z")


@pytest.mark.parametrize(
    ("prefers", "hints"), [(None, None), ("PreferClose", ZONE), ("PreferSameZone", ZONE), ("PreferSameNode", BOTH)]
)
def test_hints_are_what_the_service_prefers(prefers: str | None, hints: discovery_v1.EndpointHints | None) -> None:
    """The zone, or the node as well."""
    assert hints_of(service(prefers), endpoint()) == hints


def test_no_hints_lead_to_what_is_not_ready() -> None:
    """Nor are there any where an annotation wants another way of giving them."""
    assert hints_of(service("PreferClose"), endpoint(ready=False)) is None
    annotated = service("PreferClose", **{"service.kubernetes.io/topology-mode": "Auto"})
    assert hints_of(annotated, endpoint()) is None
