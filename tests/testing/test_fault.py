"""Which call meets which fault."""

from __future__ import annotations

from collections import Counter

import pytest

from konverge.testing.fault import BEFALLS, Call, Fault, FaultPlan, call_of


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
            fault = plan.draw(call)
            if fault is not None:
                assert call in BEFALLS[fault]
                plan.carried_out(fault)
    assert plan.met == Counter(dict.fromkeys(Fault, 3))
    assert plan.draw(Call.WATCH) is None


def test_the_seed_decides() -> None:
    """The same calls meet the same faults again, and others with another seed."""

    def drawn(seed: int) -> list[Fault | None]:
        plan = FaultPlan(seed=seed, chance=0.5)
        plan.add(tuple(Fault) * 10)
        return [plan.draw(call) for call in tuple(Call) * 20]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
