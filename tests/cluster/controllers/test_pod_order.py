from __future__ import annotations

import pytest
from making.workloads import NOW, pod

from konverge.cluster.controllers.pod_order import victims

PAIRS = {
    "not bound": (pod("a", node=None), pod("b")),
    "pending": (pod("a", phase="Pending"), pod("b")),
    "not ready": (pod("a", ready_for=None), pod("b")),
    "cheaper": (pod("a", cost="-1"), pod("b")),
    "younger": (pod("z", ready_for=10.0), pod("b", ready_for=1000.0)),
    "restarted more often": (pod("a", ready_for=None, restarts=3), pod("b", ready_for=None)),
    "of the same magnitude of age, by uid": (pod("a", ready_for=40.0), pod("b", ready_for=50.0)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_costs_least_goes_first(name: str) -> None:
    """One rule after the other decides, whichever way round the pods come."""
    first, other = PAIRS[name]
    for given in ([first, other], [other, first]):
        assert victims(given, 1, related=given, now=NOW) == [first]


def test_crowded_nodes_give_first() -> None:
    """Pods of the same owner's owner on the node count."""
    alone, crowded = pod("a", node="empty"), pod("b", node="full")
    related = [alone, crowded, pod("c", node="full")]
    assert victims([alone, crowded], 1, related=related, now=NOW) == [crowded]


def test_nonsense_costs_nothing() -> None:
    """An annotation that is no number counts as none."""
    assert victims([pod("a", cost="x"), pod("b", cost="-5")], 1, related=[], now=NOW)[0].metadata.name == "b"
