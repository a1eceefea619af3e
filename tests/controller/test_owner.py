from __future__ import annotations

import pickle

import pytest

from konverge import ObjectMeta, Unstructured, controller_of
from konverge.controller import (
    AlreadyOwned,
    has_owner_reference,
    is_controlled_by,
    remove_controller_reference,
    remove_owner_reference,
    set_controller_reference,
    set_owner_reference,
)
from konverge.errors import RequestError
from konverge.models import core_v1


def config_map(name: str, namespace: str | None = "shop", uid: str | None = None) -> core_v1.ConfigMap:
    """A ConfigMap; with a uid it may own."""
    return core_v1.ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace, uid=uid))


OWNER = config_map("owner", uid="1")


def test_the_controller_is_set_once() -> None:
    """The reference blocks the owner's deletion, and setting it again changes nothing."""
    child = config_map("child")
    assert set_controller_reference(OWNER, child)
    assert not set_controller_reference(OWNER, child)
    (reference,) = child.metadata.owner_references or []
    assert (reference.controller, reference.block_owner_deletion, reference.uid) == (True, True, "1")
    assert is_controlled_by(child, OWNER)


def test_another_controller_is_an_error() -> None:
    """The error names both, and keeps the reference through pickling."""
    child = config_map("child")
    set_controller_reference(OWNER, child)
    with pytest.raises(AlreadyOwned, match='"shop/child" is controlled by ConfigMap "owner" already') as caught:
        set_controller_reference(config_map("other", uid="2"), child)
    assert caught.value.owner.uid == "1"
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.owner.uid) == (str(caught.value), "1")


def test_an_owner_that_was_created_anew_takes_over() -> None:
    """The same kind and name with another uid replaces the old reference instead of adding one."""
    child = config_map("child")
    set_controller_reference(OWNER, child)
    assert set_controller_reference(config_map("owner", uid="9"), child)
    assert [reference.uid for reference in child.metadata.owner_references or ()] == ["9"]


def test_owners_beside_the_controller() -> None:
    """There may be many, and each can be removed."""
    child, other = config_map("child"), config_map("other", uid="2")
    set_controller_reference(OWNER, child)
    assert set_owner_reference(other, child)
    found = controller_of(child)
    assert found is not None
    assert found.uid == "1"
    assert has_owner_reference(other, child)
    assert not remove_controller_reference(other, child)
    assert remove_owner_reference(other, child)
    assert not remove_owner_reference(other, child)
    assert remove_controller_reference(OWNER, child)
    assert child.metadata.owner_references is None


@pytest.mark.parametrize(
    ("child", "remedy"),
    [
        (config_map("child", "elsewhere"), "do not cross namespaces"),
        (config_map("child", None), 'set its metadata.namespace to "shop"'),
        (core_v1.Node(metadata=ObjectMeta(name="n")), "can only be owned by what has none"),
        (Unstructured(api_version="v1", kind="X", metadata=ObjectMeta(name="n")), "set its metadata.namespace"),
    ],
)
def test_owners_of_another_namespace_are_refused(child: core_v1.ConfigMap, remedy: str) -> None:
    """The garbage collector would delete such a child; the message says what to do instead."""
    with pytest.raises(RequestError, match=remedy):
        set_controller_reference(OWNER, child)
    with pytest.raises(RequestError, match=remedy):
        set_owner_reference(OWNER, child)


def test_a_cluster_scoped_owner_may_own_anything() -> None:
    """It has no namespace to differ in."""
    assert set_controller_reference(core_v1.Node(metadata=ObjectMeta(name="n", uid="5")), config_map("child"))


def test_an_owner_needs_a_uid() -> None:
    """One that was never created cannot own."""
    with pytest.raises(RequestError, match="has no uid"):
        set_owner_reference(config_map("new"), config_map("child"))
