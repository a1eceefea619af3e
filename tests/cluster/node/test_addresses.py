from __future__ import annotations

import pytest

from konverge.cluster.node.addresses import Addresses
from konverge.errors import KonvergeError


def test_each_pod_has_an_address_of_its_own() -> None:
    """The same one each time it is asked for."""
    addresses = Addresses("10.244.0.0/16")
    assert [addresses.of(uid) for uid in ("a", "b", "a")] == ["10.244.0.2", "10.244.0.3", "10.244.0.2"]


def test_what_pods_have_already_is_not_given_again() -> None:
    """A node that is started anew learns of them first."""
    addresses = Addresses("10.244.0.0/16")
    addresses.note([("old", "10.244.0.2")])
    assert (addresses.of("new"), addresses.of("old")) == ("10.244.0.3", "10.244.0.2")


def test_an_address_comes_back_after_all_the_others() -> None:
    """A range of eight has five for pods."""
    addresses = Addresses("10.0.0.0/29")
    first = [addresses.of(str(uid)) for uid in range(5)]
    with pytest.raises(KonvergeError, match="all addresses"):
        addresses.of("one too many")
    addresses.release("3")
    assert addresses.of("next") == first[3]


def test_a_name_that_is_used_again_frees_the_address_before_it() -> None:
    """Also where nobody saw the first pod go: more pods than there are addresses have had the name."""
    addresses = Addresses("10.244.0.0/29")
    for number in range(20):
        addresses.follow("default/db-0", f"uid-{number}")
        assert addresses.of(f"uid-{number}") == addresses.of(f"uid-{number}")
    addresses.follow("default/db-0", None)
