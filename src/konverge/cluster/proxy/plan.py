"""Plans: which ports a Service is to be reached at, and what is behind them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from konverge.models import core_v1, discovery_v1

NODE_ADDRESS: Final = "127.0.0.1"  # where node ports are
_TCP: Final = "TCP"
_NO_ADDRESS: Final = ("", "None")
_AFFINITY_SECONDS: Final = 10_800  # three hours, the server's own default


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """A port of a pod."""

    address: str
    port: int

    def __str__(self) -> str:
        return f"{self.address}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPort:
    """One port of a Service, at its cluster IP or on the node."""

    key: str  # tells it from the service's other ports for as long as it is the same one
    address: str
    number: int
    targets: tuple[Target, ...]  # those that may get a new connection, in order
    affinity: float = 0.0  # seconds for which a client is sent to where it was before; 0: not at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a Service is to be served, and which of its ports are not."""

    ports: tuple[PlannedPort, ...] = ()
    unserved: tuple[str, ...] = ()  # as a sentence has them: "53/UDP"


def plan_of(service: core_v1.Service, slices: Sequence[discovery_v1.EndpointSlice]) -> Plan:
    """Return how a Service is to be served; headless ones and names of elsewhere have nothing to serve."""
    spec = service.spec
    address = spec.cluster_ip or ""
    if spec.type == "ExternalName" or address in _NO_ADDRESS or service.metadata.deletion_timestamp:
        return Plan()
    ports = [port for port in spec.ports or () if (port.protocol or _TCP) == _TCP]
    others = [port for port in spec.ports or () if (port.protocol or _TCP) != _TCP]
    planned = [each for port in ports for each in _planned(service, port, targets_of(port.name or "", slices))]
    return Plan(ports=tuple(planned), unserved=tuple(f"{port.port}/{port.protocol}" for port in others))


def _planned(service: core_v1.Service, port: core_v1.ServicePort, targets: tuple[Target, ...]) -> Iterable[PlannedPort]:
    spec, affinity = service.spec, _affinity(service.spec)
    yield PlannedPort(
        key=str(port.port), address=spec.cluster_ip or "", number=port.port, targets=targets, affinity=affinity
    )
    if port.node_port and spec.type in {"NodePort", "LoadBalancer"}:
        number = port.node_port
        # Often the same number as the port's own.
        key = f"node-{number}"
        yield PlannedPort(key=key, address=NODE_ADDRESS, number=number, targets=targets, affinity=affinity)


def _affinity(spec: core_v1.ServiceSpec) -> float:
    if spec.session_affinity != "ClientIP":
        return 0.0
    client = spec.session_affinity_config.client_ip if spec.session_affinity_config else None
    return float((client.timeout_seconds if client else None) or _AFFINITY_SECONDS)


def targets_of(port_name: str, slices: Sequence[discovery_v1.EndpointSlice]) -> tuple[Target, ...]:
    """Return who gets new connections: whoever is ready, and where nobody is, whoever still serves while it ends."""
    ready: list[Target] = []
    ending: list[Target] = []
    for each in slices:
        numbers = [port.port for port in each.ports or () if (port.name or "") == port_name and port.port]
        for endpoint in each.endpoints or ():
            found = [Target(endpoint.addresses[0], number) for number in numbers]
            if is_ready(endpoint):
                ready += found
            elif is_ending(endpoint):
                ending += found
    return tuple(sorted(dict.fromkeys(ready or ending)))


def is_ready(endpoint: discovery_v1.Endpoint) -> bool:
    """Say whether an endpoint takes new connections; one of which nothing is known does."""
    return endpoint.conditions is None or endpoint.conditions.ready is not False


def is_ending(endpoint: discovery_v1.Endpoint) -> bool:
    """Say whether an endpoint still serves while it is being ended."""
    conditions = endpoint.conditions
    return conditions is not None and bool(conditions.serving) and bool(conditions.terminating)
