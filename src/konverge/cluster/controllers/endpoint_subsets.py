"""Subsets of Endpoints: ports that lead to the same addresses share one; pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from konverge.cluster.controllers.port_order import rank_in_endpoints
from konverge.models import core_v1

Address = core_v1.EndpointAddress
Port = core_v1.EndpointPort


@dataclass(frozen=True, slots=True)
class Backend:
    """One port of one address; None where a service has no ports."""

    address: Address
    port: Port | None
    is_ready: bool


def subsets_of(backends: Iterable[Backend]) -> list[core_v1.EndpointSubset]:
    """Return the subsets, with everything in one order, so that equal ones are equal."""
    by_port: dict[tuple[object, ...], tuple[Port | None, dict[tuple[str, str], Backend]]] = {}
    for backend in backends:
        _, found = by_port.setdefault(_port_key(backend.port), (backend.port, {}))
        found[_address_key(backend.address)] = backend
    grouped: dict[tuple[object, ...], tuple[list[Port], list[Backend]]] = {}
    for port, members in sorted(by_port.values(), key=lambda found: rank_in_endpoints(found[0]) if found[0] else 0):
        same = tuple((key, members[key].is_ready) for key in sorted(members))
        ports, _ = grouped.setdefault(same, ([], [members[key] for key in sorted(members)]))
        ports += [port] if port is not None else []
    return [_subset(ports, members) for ports, members in grouped.values()]


def _subset(ports: list[Port], members: list[Backend]) -> core_v1.EndpointSubset:
    return core_v1.EndpointSubset(
        addresses=[each.address for each in members if each.is_ready] or None,
        not_ready_addresses=[each.address for each in members if not each.is_ready] or None,
        ports=ports or None,
    )


def _port_key(port: Port | None) -> tuple[object, ...]:
    return () if port is None else (port.name or "", port.port, port.protocol, port.app_protocol or "")


def _address_key(address: Address) -> tuple[str, str]:
    return address.ip, (address.target_ref.uid or "") if address.target_ref is not None else ""
