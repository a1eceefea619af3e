from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from konverge import ObjectKey, unstructured
from konverge.controller import (
    CreateEvent,
    EnqueueRequestForObject,
    EnqueueRequestForOwner,
    EnqueueRequestsFromMap,
    Request,
    Scheduled,
    UpdateEvent,
)
from konverge.controller.handler import handler_of
from konverge.errors import RequestError
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.controller.conftest import World


def child(world: World, **metadata: Any) -> core_v1.ConfigMap:
    """A ConfigMap with this metadata."""
    return core_v1.ConfigMap.from_dict(world.config_map(**metadata))


def test_the_object_itself(world: World) -> None:
    """Its own namespace and name."""
    assert EnqueueRequestForObject().requests(CreateEvent(child(world))) == (Request("shop", "c"),)


def test_the_controller_owner_alone(world: World) -> None:
    """An owner that is no controller does not count, unless every owner is asked for."""
    event = CreateEvent(child(world, **world.owned_by("a", controller=False)))
    assert EnqueueRequestForOwner(world.Widget).requests(event) == ()
    assert EnqueueRequestForOwner(world.Widget, every=True).requests(event) == (Request("shop", "a"),)


@pytest.mark.parametrize(
    ("api_version", "found"),
    [("test.konverge.dev/v1", 1), ("test.konverge.dev/v2beta1", 1), ("other.konverge.dev/v1", 0), ("v1", 0)],
)
def test_the_group_counts_and_the_version_does_not(world: World, api_version: str, found: int) -> None:
    """A reference written by an older version still leads to the owner; a kind of another group does not."""
    event = CreateEvent(child(world, **world.owned_by("a", api_version=api_version)))
    assert len(list(EnqueueRequestForOwner(world.Widget).requests(event))) == found


def test_an_owner_without_namespace(world: World) -> None:
    """A cluster-scoped owner's request has none."""
    reference = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u", "controller": True}
    event = CreateEvent(child(world, ownerReferences=[reference]))
    assert EnqueueRequestForOwner(core_v1.Node).requests(event) == (Request("", "n"),)


def test_a_change_of_owner_concerns_both(world: World) -> None:
    """The one that lost it and the one that got it, each once."""
    event = UpdateEvent(child(world, **world.owned_by("a")), child(world, **world.owned_by("b")))
    assert set(EnqueueRequestForOwner(world.Widget).requests(event)) == {Request("shop", "a"), Request("shop", "b")}


def test_a_scope_that_nobody_knows(world: World) -> None:
    """An unstructured owner kind needs to be told, or asked of the server."""
    kind = unstructured("test.konverge.dev/v1", "Widget")
    event = CreateEvent(child(world, **world.owned_by("a")))
    with pytest.raises(RequestError, match="give namespaced=True or False"):
        list(EnqueueRequestForOwner(kind).requests(event))
    assert EnqueueRequestForOwner(kind, namespaced=False).requests(event) == (Request("", "a"),)


def test_a_map_function(world: World) -> None:
    """It is asked about the old and the new object; what it names twice is one request."""
    handler = EnqueueRequestsFromMap(lambda obj: [ObjectKey("shop", obj.data["for"]), Request("shop", "all")])
    old, new = child(world), child(world)
    old.data, new.data = {"for": "x"}, {"for": "y"}
    assert handler.requests(UpdateEvent(old, new)) == (
        Request("shop", "x"),
        Request("shop", "all"),
        Request("shop", "y"),
    )


async def test_an_async_map_function(world: World) -> None:
    """It is awaited."""

    async def of(obj: core_v1.ConfigMap) -> list[Any]:
        return [obj.metadata, Scheduled(Request("shop", "later"), after=5)]

    answer: Any = EnqueueRequestsFromMap(of).requests(CreateEvent(child(world)))
    assert await answer == (Request("shop", "c"), Scheduled(Request("shop", "later"), after=5))


def test_a_map_function_that_returns_no_requests(world: World) -> None:
    """A bare name is a mistake that says what to return; None is nothing."""
    event = CreateEvent(child(world))
    with pytest.raises(RequestError, match="return requests"):
        EnqueueRequestsFromMap(lambda _: ["x"]).requests(event)
    assert EnqueueRequestsFromMap(lambda _: None).requests(event) == ()


def test_what_is_taken_for_a_handler() -> None:
    """A handler, or a function; a class is a forgotten pair of parentheses."""
    one = EnqueueRequestForObject()
    assert handler_of(one) is one
    assert isinstance(handler_of(lambda _: []), EnqueueRequestsFromMap)
    with pytest.raises(RequestError, match="is a class: give an instance"):
        handler_of(EnqueueRequestForObject)  # type: ignore[arg-type]  # the mistake


def test_reprs(world: World) -> None:
    """A handler says what it does."""
    assert repr(EnqueueRequestForOwner(world.Widget, every=True)) == (
        "EnqueueRequestForOwner(Widget.test.konverge.dev, every=True)"
    )
    assert repr(EnqueueRequestForObject()) == "EnqueueRequestForObject()"
