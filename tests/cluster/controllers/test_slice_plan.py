"""How endpoints are spread over slices."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from konverge import ObjectMeta
from konverge.cluster.controllers.slice_plan import Group, Plan, plan
from konverge.models import discovery_v1

PORTS = [discovery_v1.EndpointPort(name="http", port=80, protocol="TCP")]
OTHER_PORTS = [discovery_v1.EndpointPort(name="http", port=81, protocol="TCP")]


def endpoint(number: int, *, ready: bool = True) -> discovery_v1.Endpoint:
    """Return an endpoint of an address of its own."""
    conditions = discovery_v1.EndpointConditions(ready=ready)
    return discovery_v1.Endpoint(addresses=[f"192.0.2.{number}"], conditions=conditions)


def slice_(name: str, *numbers: int, ports: list[discovery_v1.EndpointPort] = PORTS) -> discovery_v1.EndpointSlice:
    """Return a slice with these endpoints."""
    endpoints = [endpoint(number) for number in numbers]
    metadata = ObjectMeta(name=name, namespace="default")
    return discovery_v1.EndpointSlice(metadata=metadata, address_type="IPv4", ports=ports, endpoints=endpoints)


def group(*numbers: int) -> Group:
    """Return a group of these endpoints."""
    return Group("IPv4", PORTS, [endpoint(number) for number in numbers])


def shown(found: Plan) -> dict[str, list[str]]:
    """Return a plan as names and numbers."""
    return {
        "create": [_numbers(each.endpoints) for each in found.creates],
        "update": [f"{each.metadata.name}: {_numbers(each.endpoints or [])}" for each in found.updates],
        "delete": [str(each.metadata.name) for each in found.deletes],
    }


def _numbers(endpoints: list[discovery_v1.Endpoint]) -> str:
    return " ".join(each.addresses[0].rpartition(".")[2] for each in endpoints)


def test_what_is_there_is_left_alone() -> None:
    """Equal endpoints make no write."""
    assert shown(plan([group(1, 2)], [slice_("a", 1, 2)], most=3)) == {"create": [], "update": [], "delete": []}


def test_new_endpoints_go_where_something_is_written_anyway() -> None:
    """The slice that loses one takes the new one."""
    found = plan([group(1, 3, 4)], [slice_("a", 1, 2), slice_("b", 3)], most=2)
    assert shown(found) == {"create": [], "update": ["a: 1 4"], "delete": []}


def test_new_endpoints_fill_the_fullest_slice_that_takes_them_all() -> None:
    """And what no slice takes makes new ones."""
    found = plan([group(1, 2, 3, 4)], [slice_("a", 1), slice_("b", 2, 3)], most=3)
    assert shown(found)["update"] == ["b: 2 3 4"]
    assert shown(plan([group(1, 2, 3)], [slice_("a", 1)], most=2)) == {"create": ["2 3"], "update": [], "delete": []}


def test_an_endpoint_that_changes_stays_where_it_is() -> None:
    """It is the same one, whatever becomes of its conditions."""
    changed = Group("IPv4", PORTS, [endpoint(1, ready=False), endpoint(2)])
    assert shown(plan([changed], [slice_("a", 1, 2)], most=3))["update"] == ["a: 1 2"]


def test_a_slice_that_would_go_is_written_over() -> None:
    """One write instead of two, though its ports are others."""
    found = plan([group(1)], [slice_("a", 1, ports=OTHER_PORTS)], most=3)
    assert shown(found) == {"create": [], "update": ["a: 1"], "delete": []}


def test_nothing_is_said_by_one_empty_slice() -> None:
    """It is made once and kept."""
    nothing = Group("IPv4", [], [])
    assert shown(plan([nothing], [], most=3))["create"] == [""]
    empty = slice_("a", ports=[])
    assert shown(plan([nothing], [empty], most=3)) == {"create": [], "update": [], "delete": []}


@given(st.lists(st.sets(st.integers(1, 12), max_size=3), max_size=4), st.sets(st.integers(1, 12), min_size=1))
def test_every_endpoint_is_in_one_slice_and_none_is_too_full(before: list[set[int]], wanted: set[int]) -> None:
    """Whatever was there, and nothing is left of what is not wanted."""
    taken: set[int] = set()
    existing = []
    for index, numbers in enumerate(before):
        existing.append(slice_(f"s{index}", *sorted(numbers - taken)))
        taken |= numbers
    found = plan([group(*sorted(wanted))], existing, most=3)
    gone = {each.metadata.name for each in found.deletes}
    left = [each.endpoints or [] for each in existing if each.metadata.name not in gone]
    held = [each.addresses[0] for endpoints in (*left, *(new.endpoints for new in found.creates)) for each in endpoints]
    assert sorted(held) == sorted(f"192.0.2.{number}" for number in wanted)
    assert all(len(endpoints) <= 3 for endpoints in left)
