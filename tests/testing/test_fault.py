"""Which call meets which fault."""

from __future__ import annotations

from collections import Counter

import pytest

from konverge.errors import RequestError
from konverge.testing.fault import BEFALLS, CALLS, Call, Fault, FaultPlan, Planned, call_of


@pytest.mark.parametrize(
    ("method", "path", "query", "expected"),
    [
        ("GET", "/api/v1/namespaces/shop/pods", {}, Call.LIST),
        ("GET", "/api/v1/pods", {"limit": "500"}, Call.LIST),
        ("GET", "/api/v1/namespaces", {}, Call.LIST),
        ("GET", "/api/v1/namespaces/shop", {}, Call.GET),
        ("GET", "/api/v1/namespaces/shop/pods/a", {}, Call.GET),
        ("GET", "/apis/apps/v1/namespaces/shop/deployments", {}, Call.LIST),
        ("GET", "/apis/apps/v1/namespaces/shop/deployments/a/status", {}, Call.GET),
        ("GET", "/apis/apps/v1", {}, Call.GET),
        ("GET", "/version", {}, Call.GET),
        ("GET", "/api/v1/pods", {"watch": "true"}, Call.WATCH),
        ("GET", "/api/v1/pods", {"watch": "true", "sendInitialEvents": "true"}, Call.STREAMED_LIST),
        ("PATCH", "/api/v1/namespaces/shop/pods/a", {}, Call.WRITE),
        ("DELETE", "/api/v1/namespaces/shop/pods", {}, Call.WRITE),
    ],
)
def test_the_sort_of_a_call(method: str, path: str, query: dict[str, str], expected: Call) -> None:
    """The method, the path and the query tell what a request is."""
    assert call_of(method, path, query) is expected


def test_every_fault_can_befall_something() -> None:
    """None would stay in the bag for ever."""
    assert set(BEFALLS) == set(Fault)
    assert all(BEFALLS.values())


def test_each_fault_is_met_once_by_a_call_it_can_befall() -> None:
    """What is drawn fits the call; what could not be carried out comes again."""
    spent: list[str] = []
    plan = FaultPlan(seed=1, chance=1.0, on_spent=lambda: spent.append("spent"))
    plan.add(tuple(Fault) * 3)
    first = plan.draw(Call.WATCH)
    assert first is not None
    plan.put_back(first)
    while not spent:
        for call in Call:
            planned = plan.draw(call)
            if planned is not None:
                assert call in BEFALLS[planned.fault]
                plan.carried_out(planned, call)
    assert plan.met == Counter(dict.fromkeys(Fault, 3))
    assert plan.met_by.total() == plan.met.total()
    assert plan.draw(Call.WATCH) is None


def test_faults_can_be_for_some_calls_alone() -> None:
    """Those that are planned for watches leave writes alone; one that no call would meet is refused."""
    plan = FaultPlan(seed=1, chance=1.0)
    plan.add([Fault.CUT], frozenset({Call.WATCH}))
    assert plan.draw(Call.WRITE) is None
    drawn = plan.draw(Call.WATCH)
    assert drawn is not None
    assert drawn.fault is Fault.CUT
    with pytest.raises(RequestError, match='no call would ever meet "stall": it befalls watch, streamed list'):
        plan.add([Fault.STALL], CALLS)


def test_the_seed_decides() -> None:
    """The same calls meet the same faults again, and others with another seed."""

    def drawn(seed: int) -> list[Planned | None]:
        plan = FaultPlan(seed=seed, chance=0.5)
        plan.add(tuple(Fault) * 10)
        return [plan.draw(call) for call in tuple(Call) * 20]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
