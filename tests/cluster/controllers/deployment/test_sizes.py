from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making.workloads import deployment, replica_set

from konverge.cluster.controllers.deployment import sizes


@pytest.mark.parametrize(
    ("surge", "unavailable", "expected"),
    [(1, 0, (1, 0)), ("25%", "25%", (3, 2)), (0, "1%", (0, 1)), (0, 0, (0, 1)), (0, 99, (0, 10))],
)
def test_bounds_are_never_both_nothing(surge: int | str, unavailable: int | str, expected: tuple[int, int]) -> None:
    """Percentages round up for the surge and down for what may be missing; one of the two lets a rollout move."""
    rolling = deployment(10, surge=surge, unavailable=unavailable)
    assert (sizes.max_surge(rolling), sizes.max_unavailable(rolling)) == expected


def test_a_rollout_grows_by_the_surge_and_shrinks_by_what_is_made_up_for() -> None:
    """Ten pods, three more and two fewer: the Go documentation's own example."""
    rolling = deployment(10, surge=3, unavailable=2)
    new, old = replica_set("new", 0), replica_set("old", 10)
    assert sizes.new_size(rolling, new, [old]) == 3
    new = replica_set("new", 3, available=0)
    assert sizes.old_sizes(rolling, new, [old]) == [(old, 8)]


def test_what_does_not_work_goes_first() -> None:
    """A stuck old ReplicaSet is emptied before one that works is touched, the younger of the two though it is."""
    rolling = deployment(4, surge=1, unavailable=0)
    good, bad = replica_set("good", 4, age=20), replica_set("bad", 1, available=0, age=10)
    new = replica_set("new", 0)
    assert sizes.old_sizes(rolling, new, [good, bad]) == [(bad, 0)]


def test_new_pods_that_do_not_work_stop_a_rollout() -> None:
    """They count as missing, so nothing old is given up for them."""
    rolling = deployment(4, surge=1, unavailable=0)
    assert not sizes.old_sizes(rolling, replica_set("new", 1, available=0), [replica_set("old", 4)])


def test_a_change_of_size_is_spread_by_share() -> None:
    """From 10 to 20 pods in the middle of a rollout with a surge of two: eight and four become fifteen and seven."""
    rolling = deployment(20, surge=2, unavailable=2)
    old, new = replica_set("old", 8, age=10), replica_set("new", 4)
    assert sizes.proportional(rolling, [old, new], [12, 12]) == [(old, 15), (new, 7)]


def test_the_only_one_with_pods_is_found() -> None:
    """One is resized as a whole; where none has pods, the newest is to have them; of several, none."""
    old, new, other = replica_set("old", 0), replica_set("new", 0), replica_set("other", 2)
    assert sizes.only_active(new, [old]) is new
    assert sizes.only_active(new, [old, other]) is other
    assert sizes.only_active(replica_set("new", 1), [other]) is None
    assert sizes.only_active(None, []) is None


COUNTS = st.integers(0, 12)


@given(wanted=st.integers(1, 12), surge=st.integers(0, 4), missing=st.integers(0, 4), new=COUNTS, olds=st.lists(COUNTS))
def test_a_step_keeps_within_its_bounds(wanted: int, surge: int, missing: int, new: int, olds: list[int]) -> None:
    """No step makes more pods than the surge allows, nor fewer available ones than were and had to be."""
    rolling = deployment(wanted, surge=surge, unavailable=missing)
    fresh = replica_set("new", min(new, wanted))
    old = [replica_set(f"old-{number}", size, age=99 - number) for number, size in enumerate(olds)]
    total = sum(map(sizes.size_of, [fresh, *old]))
    most = wanted + sizes.max_surge(rolling)
    grown = sizes.new_size(rolling, fresh, old) - sizes.size_of(fresh)
    assert grown == 0 or total + grown <= most
    left = total - sum(sizes.size_of(each) - size for each, size in sizes.old_sizes(rolling, fresh, old))
    assert left >= min(total, wanted - sizes.max_unavailable(rolling))


@given(wanted=st.integers(1, 12), surge=st.integers(0, 3), missing=st.integers(0, 3), olds=st.lists(COUNTS, max_size=3))
def test_a_rollout_always_ends(wanted: int, surge: int, missing: int, olds: list[int]) -> None:
    """Where all pods work, step follows step until only new ones are left."""
    rolling = deployment(wanted, surge=surge, unavailable=missing)
    fresh, old = replica_set("new", 0), [replica_set(f"old-{n}", size, age=99 - n) for n, size in enumerate(olds)]
    for _ in range(200):
        grown = sizes.new_size(rolling, fresh, old)
        if grown != sizes.size_of(fresh):
            fresh = replica_set("new", grown)
        elif shrunk := {each.metadata.name: size for each, size in sizes.old_sizes(rolling, fresh, old)}:
            old = [
                replica_set(each.metadata.name or "", shrunk.get(each.metadata.name, sizes.size_of(each)))
                for each in old
            ]
        else:
            break
    assert (sizes.size_of(fresh), sum(map(sizes.size_of, old))) == (wanted, 0)
