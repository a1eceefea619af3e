from __future__ import annotations

import pytest

from konverge.cluster.controllers.garbage_collector.absent import AbsentOwners
from konverge.cluster.controllers.garbage_collector.graph import FOREGROUND, ORPHAN, Graph, Seen, Stage
from konverge.cluster.controllers.garbage_collector.identity import Identity, Reference


def identity(name: str, *, namespace: str = "shop", kind: str = "ConfigMap") -> Identity:
    """Who an object is."""
    return Identity(kind, "v1", namespace, name, f"uid-{name}")


def seen(
    name: str, *owners: Reference, namespace: str = "shop", finalizers: tuple[str, ...] = (), **more: bool
) -> Seen:
    """What a watch shows of an object."""
    return Seen(identity(name, namespace=namespace), owners, finalizers, **more)


def owner(name: str, *, block: bool = False, kind: str = "ConfigMap") -> Reference:
    """A reference to an owner."""
    return Reference(kind, "v1", name, f"uid-{name}", block)


@pytest.fixture
def graph() -> Graph:
    """An empty graph."""
    return Graph(AbsentOwners())


def test_an_object_of_nobody_is_not_looked_at(graph: Graph) -> None:
    """Most objects own nothing and are owned by nobody."""
    assert graph.observe(seen("a")).look_at == ()


def test_an_owner_that_was_not_seen_is_looked_at(graph: Graph) -> None:
    """It may exist, and its watch be late; or it may not."""
    assert graph.observe(seen("a", owner("b"))).look_at == ("uid-b",)
    node = graph.get("uid-b")
    assert node is not None
    assert node.virtual


def test_an_owner_that_is_seen_later_is_known(graph: Graph) -> None:
    """The order of watches does not matter."""
    graph.observe(seen("a", owner("b")))
    assert graph.observe(seen("b")).look_at == ()
    node = graph.get("uid-b")
    assert node is not None
    assert not node.virtual
    assert [each.identity.name for each in node.dependents] == ["a"]


def test_dependents_of_what_is_gone_are_looked_at(graph: Graph) -> None:
    """And the owner is known to be absent, so nobody has to ask for it."""
    graph.observe(seen("b"))
    graph.observe(seen("a", owner("b")))
    assert graph.forget(identity("b")).look_at == ("uid-a",)
    assert graph.is_absent(identity("b"))
    graph.forget(identity("a"))
    assert len(graph) == 0


def test_a_virtual_owner_that_is_absent_takes_its_dependents_along(graph: Graph) -> None:
    """A live read has not found it."""
    graph.observe(seen("a", owner("b")))
    assert graph.found_absent(identity("b")).look_at == ("uid-a",)
    assert graph.is_absent(identity("b"))
    graph.forget(identity("a"))
    assert len(graph) == 0


def test_one_more_dependent_of_what_is_gone_is_looked_at_itself(graph: Graph) -> None:
    """Its owner need not be asked for again."""
    graph.observe(seen("b"))
    graph.observe(seen("a", owner("b")))
    graph.forget(identity("b"))
    assert graph.observe(seen("c", owner("b"))).look_at == ("uid-c",)


def test_an_owner_known_by_two_names_is_tried_by_both(graph: Graph) -> None:
    """Two dependents disagree on the kind of one uid; the absence of one is not that of the other."""
    graph.observe(seen("a", owner("b", kind="Secret")))
    graph.observe(seen("c", owner("b")))
    assert graph.found_absent(identity("b", kind="Secret")).look_at == ("uid-a", "uid-b")
    assert graph.is_absent(identity("b", kind="Secret"))
    assert not graph.is_absent(identity("b"))
    node = graph.get("uid-b")
    assert node is not None
    assert node.identity == identity("b")
    assert graph.observe(seen("b")).look_at == ("uid-a",)  # who knew it by the wrong name


def test_an_owner_in_another_namespace_is_reported(graph: Graph) -> None:
    """Its dependent is looked at: it has no owner where it is."""
    graph.observe(seen("b", namespace="far"))
    found = graph.observe(seen("a", owner("b")))
    assert found.look_at == ("uid-a",)
    assert found.misplaced == [(identity("a"), identity("b"))]


def test_an_owner_that_turns_up_in_another_namespace_is_reported(graph: Graph) -> None:
    """The other order."""
    graph.observe(seen("a", owner("b")))
    found = graph.observe(seen("b", namespace="far"))
    assert found.look_at == ("uid-a",)
    assert found.misplaced == [(identity("a"), identity("b"))]


def test_an_owner_without_a_namespace_is_everyones(graph: Graph) -> None:
    """Objects of any namespace may name it."""
    graph.observe(seen("b", namespace=""))
    for namespace in ("shop", "far", ""):
        assert graph.observe(seen(f"a-{namespace}", owner("b"), namespace=namespace)).look_at == ()


def test_foreground_looks_at_the_dependents_and_then_at_the_owner(graph: Graph) -> None:
    """Again at the owner only when the last that blocks is gone: a look for each would be quadratic."""
    graph.observe(seen("owner"))
    for name in ("a", "b"):
        graph.observe(seen(name, owner("owner", block=True)))
    graph.observe(seen("free", owner("owner")))
    found = graph.observe(seen("owner", finalizers=(FOREGROUND,), being_deleted=True))
    assert found.look_at == ("uid-a", "uid-b", "uid-free", "uid-owner")
    assert graph.forget(identity("a")).look_at == ()
    assert graph.forget(identity("b")).look_at == ("uid-owner",)


def test_a_dependent_that_stops_blocking_lets_its_owner_be_looked_at(graph: Graph) -> None:
    """By an edit of the reference, or by losing it."""
    graph.observe(seen("owner", finalizers=(FOREGROUND,), being_deleted=True))
    assert graph.observe(seen("a", owner("owner", block=True))).look_at == ("uid-a",)
    assert graph.observe(seen("b", owner("owner", block=True))).look_at == ("uid-b",)
    assert graph.observe(seen("a", owner("owner"))).look_at == ()
    assert graph.observe(seen("b")).look_at == ("uid-owner",)


def test_an_owner_to_be_orphaned_is_looked_at_once(graph: Graph) -> None:
    """When its deletion begins, not with each change after it."""
    orphaning = seen("owner", finalizers=(ORPHAN,), being_deleted=True)
    graph.observe(seen("owner"))
    assert graph.observe(orphaning).look_at == ("uid-owner",)
    assert graph.observe(orphaning).look_at == ()


@pytest.mark.parametrize(
    ("finalizers", "being_deleted", "stage"),
    [
        ((ORPHAN,), False, Stage.LIVE),
        ((), True, Stage.GOING),
        (("test.konverge.dev/held",), True, Stage.GOING),
        ((FOREGROUND,), True, Stage.FOREGROUND),
        ((FOREGROUND, ORPHAN), True, Stage.ORPHANING),
    ],
)
def test_the_stage_follows_from_the_finalizers(finalizers: tuple[str, ...], being_deleted: bool, stage: Stage) -> None:
    """They mean nothing until the object is deleted; orphaning comes before waiting."""
    assert seen("a", finalizers=finalizers, being_deleted=being_deleted).stage is stage


def test_what_is_absent_is_forgotten_in_the_order_of_use() -> None:
    """The number is bounded."""
    absent = AbsentOwners(most=2)
    absent.add(identity("a"))
    absent.add(identity("b"))
    assert identity("a") in absent
    absent.add(identity("c"))
    assert identity("b") not in absent
    assert identity("a") in absent
