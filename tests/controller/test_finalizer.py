from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from konverge.controller import add_finalizer, ensure_finalizer, has_finalizer, release_finalizer, remove_finalizer
from konverge.errors import RequestError

if TYPE_CHECKING:
    from tests.controller.conftest import World

PATH = "/apis/test.konverge.dev/v1/namespaces/shop/widgets/a"
OURS = "test.konverge.dev/clean-up"


def test_adding_and_removing_say_whether_they_changed_anything(world: World) -> None:
    """Twice is once, and others' finalizers stay."""
    obj = world.Widget.from_dict(world.widget(finalizers=["other.dev/x"]))
    assert add_finalizer(obj, OURS)
    assert not add_finalizer(obj, OURS)
    assert has_finalizer(obj, OURS)
    assert remove_finalizer(obj, OURS)
    assert not remove_finalizer(obj, OURS)
    assert obj.metadata.finalizers == ["other.dev/x"]


def test_a_finalizer_needs_a_domain(world: World) -> None:
    """The server would refuse it too, later."""
    with pytest.raises(RequestError, match="needs a domain"):
        add_finalizer(world.Widget(), "clean-up")


async def test_they_are_written_only_when_needed(world: World) -> None:
    """One patch adds it, one removes it, with the version that was read; the others send nothing."""
    world.server.objects[PATH] = world.widget()
    obj = await world.client.get(world.Widget, "a", namespace="shop")
    world.server.calls.clear()
    assert await ensure_finalizer(world.client, obj, OURS)
    assert not await ensure_finalizer(world.client, obj, OURS)
    assert world.server.objects[PATH]["metadata"]["finalizers"] == [OURS]
    assert await release_finalizer(world.client, obj, OURS)
    assert not await release_finalizer(world.client, obj, OURS)
    assert world.server.objects[PATH]["metadata"]["finalizers"] == []
    assert world.server.calls == ['patch widgets.test.konverge.dev "shop/a"'] * 2


async def test_an_object_that_is_gone_needs_no_release(world: World) -> None:
    """Someone else was faster: nothing is left to do."""
    obj = world.Widget.from_dict(world.widget(finalizers=[OURS]))
    assert await release_finalizer(world.client, obj, OURS)


async def test_a_dying_object_takes_no_new_one(world: World) -> None:
    """The message says what to look at first."""
    obj = world.Widget.from_dict(world.widget(deletionTimestamp="2026-01-01T00:00:00Z"))
    with pytest.raises(RequestError, match="deletion_timestamp first"):
        await ensure_finalizer(world.client, obj, OURS)
