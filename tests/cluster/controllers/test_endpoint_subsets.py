"""The subsets of Endpoints."""

from __future__ import annotations

from konverge.cluster.controllers.endpoint_subsets import Backend, subsets_of
from konverge.models import core_v1


def backend(ip: str, port: int | None, *, ready: bool = True) -> Backend:
    """Return a port of an address."""
    found = None if port is None else core_v1.EndpointPort(name=f"p{port}", port=port, protocol="TCP")
    return Backend(core_v1.EndpointAddress(ip=ip), found, is_ready=ready)


def shown(*backends: Backend) -> list[tuple[list[str], list[str], list[int]]]:
    """Return subsets as addresses that are ready, those that are not, and ports."""
    return [
        (
            [each.ip for each in subset.addresses or ()],
            [each.ip for each in subset.not_ready_addresses or ()],
            [each.port for each in subset.ports or ()],
        )
        for subset in subsets_of(backends)
    ]


def test_ports_that_lead_to_the_same_addresses_share_a_subset() -> None:
    """Addresses are in the order of their texts, ports in that of a hash, as the real one has them."""
    backends = [backend(ip, port) for port in (80, 81) for ip in ("10.0.0.10", "10.0.0.9")]
    assert shown(*backends) == [(["10.0.0.10", "10.0.0.9"], [], [81, 80])]


def test_ports_that_do_not_are_apart() -> None:
    """A pod may lack a port that another one has."""
    assert shown(backend("10.0.0.1", 80), backend("10.0.0.1", 81), backend("10.0.0.2", 81)) == [
        (["10.0.0.1", "10.0.0.2"], [], [81]),
        (["10.0.0.1"], [], [80]),
    ]


def test_addresses_that_are_not_ready_stand_beside_those_that_are() -> None:
    """In the same subset."""
    assert shown(backend("10.0.0.1", 80), backend("10.0.0.2", 80, ready=False)) == [(["10.0.0.1"], ["10.0.0.2"], [80])]


def test_without_ports_there_are_only_addresses() -> None:
    """As for a headless service that has none."""
    assert shown(backend("10.0.0.1", None)) == [(["10.0.0.1"], [], [])]
    assert shown() == []
