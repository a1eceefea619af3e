"""How endpoints are spread over slices with as few writes as possible; pure.

A slice has one family of addresses and one set of ports. An endpoint stays in the slice in which it is; new ones go
where something is written anyway, then into the fullest slice that has room for all of them, then into new slices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from konverge.models import discovery_v1

Slice = discovery_v1.EndpointSlice
Endpoint = discovery_v1.Endpoint


@dataclass(frozen=True, slots=True)
class Group:
    """Endpoints that may share a slice."""

    family: str
    ports: list[discovery_v1.EndpointPort]
    endpoints: list[Endpoint]

    @property
    def key(self) -> tuple[object, ...]:
        """What slices must have in common."""
        return _key(self.family, self.ports)


@dataclass(slots=True)
class Plan:
    """What to write."""

    creates: list[Group] = field(default_factory=list)
    updates: list[Slice] = field(default_factory=list)
    deletes: list[Slice] = field(default_factory=list)


def _key(family: str, ports: Iterable[discovery_v1.EndpointPort]) -> tuple[object, ...]:
    shown = ((each.name or "", each.port or 0, each.protocol or "TCP", each.app_protocol or "") for each in ports)
    return (family, *sorted(shown))


def identity(endpoint: Endpoint) -> tuple[object, ...]:
    """Return what makes an endpoint the same one, whatever else of it changes."""
    target = endpoint.target_ref
    return (*endpoint.addresses, target.uid if target else "", target.name if target else "")


def plan(groups: Sequence[Group], existing: Sequence[Slice], *, most: int) -> Plan:
    """Spread the groups over the slices that are there, and new ones; slices may have `most` endpoints."""
    found = Plan()
    wanted = {group.key: group for group in groups}
    for key, group in wanted.items():
        slices = [each for each in existing if _key(each.address_type, each.ports or ()) == key]
        _spread(group, slices, found, most=most)
    found.deletes += [each for each in existing if _key(each.address_type, each.ports or ()) not in wanted]
    return _with_reuse(found)


def _spread(group: Group, slices: Sequence[Slice], found: Plan, *, most: int) -> None:
    if not group.endpoints:
        _hold_place(group, slices, found)
        return
    waiting = {identity(endpoint): endpoint for endpoint in group.endpoints}
    same, changed = [], []
    for slice_ in slices:
        kept = [waiting.pop(name) for each in slice_.endpoints or () if (name := identity(each)) in waiting]
        if not kept:
            found.deletes.append(slice_)
        elif kept == slice_.endpoints:
            same.append(slice_)
        else:
            slice_.endpoints = kept
            changed.append(slice_)
    new = list(waiting.values())
    for slice_ in sorted(changed, key=lambda each: -len(each.endpoints or ())):
        new = _fill(slice_, new, most=most)
    if new and (roomy := _fullest_with_room(same, len(new), most=most)) is not None:
        new = _fill(roomy, new, most=most)
        changed.append(roomy)
    found.updates += changed
    found.creates += [Group(group.family, group.ports, new[start : start + most]) for start in range(0, len(new), most)]


def _hold_place(group: Group, slices: Sequence[Slice], found: Plan) -> None:
    """Keep one slice without endpoints, which says that there are none."""
    empty = [each for each in slices if not each.endpoints][:1]
    found.deletes += [each for each in slices if each not in empty]
    if not empty:
        found.creates.append(group)


def _fill(slice_: Slice, new: list[Endpoint], *, most: int) -> list[Endpoint]:
    """Put endpoints into a slice and return those that found no room."""
    present = slice_.endpoints or []
    room = most - len(present)
    slice_.endpoints = [*present, *new[:room]]
    return new[room:]


def _fullest_with_room(slices: Iterable[Slice], count: int, *, most: int) -> Slice | None:
    fit = [each for each in slices if len(each.endpoints or ()) + count <= most]
    return max(fit, key=lambda each: len(each.endpoints or ()), default=None)


def _with_reuse(found: Plan) -> Plan:
    """Write a new slice over one that would go, where their families agree: one write instead of two."""
    for group in list(found.creates):
        old = next((each for each in found.deletes if each.address_type == group.family), None)
        if old is not None:
            old.ports, old.endpoints = group.ports, group.endpoints
            found.creates.remove(group)
            found.deletes.remove(old)
            found.updates.append(old)
    return found
