"""Hints of an endpoint: for which zone and node it is meant, by the trafficDistribution of its Service; pure."""

from __future__ import annotations

from typing import Final

from konverge.models import core_v1, discovery_v1

_SAME_NODE: Final = "PreferSameNode"
_CLOSE: Final = ("PreferClose", "PreferSameZone", _SAME_NODE)
_MODE: Final = "service.kubernetes.io/topology-mode"
_OLD_MODE: Final = "service.kubernetes.io/topology-aware-hints"


def hints_of(service: core_v1.Service, endpoint: discovery_v1.Endpoint) -> discovery_v1.EndpointHints | None:
    """Return the hints of an endpoint that is ready; None where traffic may come from everywhere."""
    asked = service.spec.traffic_distribution
    is_ready = endpoint.conditions is not None and endpoint.conditions.ready
    if asked not in _CLOSE or _has_mode(service) or not is_ready:
        return None
    zones = [discovery_v1.ForZone(name=endpoint.zone)] if endpoint.zone else None
    wants_node = asked == _SAME_NODE and endpoint.node_name
    nodes = [discovery_v1.ForNode(name=endpoint.node_name)] if wants_node and endpoint.node_name else None
    return discovery_v1.EndpointHints(for_zones=zones, for_nodes=nodes) if zones or nodes else None


def _has_mode(service: core_v1.Service) -> bool:
    """Whether an annotation asks for hints by the sizes of zones, which goes before."""
    annotations = service.metadata.annotations or {}
    return annotations.get(_OLD_MODE, annotations.get(_MODE, "")) in {"Auto", "auto"}
