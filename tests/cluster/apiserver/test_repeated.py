from __future__ import annotations

from konverge.cluster.apiserver.repeated import repeated


def test_the_places_of_what_stands_before() -> None:
    """The first of equal values is none of them."""
    assert repeated("abcab") == {3, 4}
    assert repeated([]) == frozenset()
    assert repeated([("a", 1), ("a", 2), ("a", 1)]) == {2}
