from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from konverge import ObjectMeta
from konverge.controller import AlreadyOwned, NotAdopted, sync_children
from konverge.errors import Forbidden, RequestError
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.controller.conftest import World

ROOT = "/api/v1/namespaces/shop/configmaps"


def wanted(name: str, **data: str) -> core_v1.ConfigMap:
    """A ConfigMap of the author's making, without a namespace."""
    return core_v1.ConfigMap(metadata=ObjectMeta(name=name), data=data)


def names(objects: Any) -> list[str]:
    """The names of some objects."""
    return [obj.metadata.name for obj in objects]


async def test_the_set_is_applied_and_the_surplus_deleted(world: World) -> None:
    """What is new is created, what differs updated, what is the same left, what is too many deleted."""
    owner = world.Widget.from_dict(world.widget("a"))
    first = await sync_children(world.client, owner, [wanted("one", a="1"), wanted("two", a="1"), wanted("three")])
    assert names(first.created) == ["one", "two", "three"]
    second = await sync_children(world.client, owner, [wanted("one", a="1"), wanted("two", a="2"), wanted("four")])
    assert names(second.created) == ["four"]
    assert names(second.updated) == ["two"]
    assert names(second.unchanged) == ["one"]
    assert names(second.deleted) == ["three"]
    assert second.changed
    reference = world.server.objects[f"{ROOT}/one"]["metadata"]["ownerReferences"][0]
    assert (reference["uid"], reference["controller"]) == ("uid-a", True)
    third = await sync_children(world.client, owner, [wanted("one", a="1"), wanted("two", a="2"), wanted("four")])
    assert not third.changed


async def test_an_empty_set_needs_to_be_told_the_kinds(world: World) -> None:
    """Without a desired one, the kind to search is given."""
    owner = world.Widget.from_dict(world.widget("a"))
    await sync_children(world.client, owner, [wanted("one")])
    assert not (await sync_children(world.client, owner, [])).changed
    assert names((await sync_children(world.client, owner, [], kinds=[core_v1.ConfigMap])).deleted) == ["one"]


async def test_what_is_not_ours_is_left_alone(world: World) -> None:
    """Neither an object without owner, nor one of another owner, nor one that is being deleted anyway."""
    owner = world.Widget.from_dict(world.widget("a"))
    others = {
        "free": world.config_map("free"),
        "theirs": world.config_map("theirs", **world.owned_by("b")),
        "also": world.config_map("also", **world.owned_by("a", controller=False)),
        "dying": world.config_map("dying", deletionTimestamp="2026-01-01T00:00:00Z", **world.owned_by("a")),
    }
    world.server.objects |= {f"{ROOT}/{name}": obj for name, obj in others.items()}
    assert not (await sync_children(world.client, owner, [], kinds=[core_v1.ConfigMap])).changed


async def test_a_child_of_another_controller_is_an_error(world: World) -> None:
    """Before anything is written."""
    owner = world.Widget.from_dict(world.widget("a"))
    world.server.objects[f"{ROOT}/theirs"] = world.config_map("theirs", **world.owned_by("b"))
    with pytest.raises(AlreadyOwned, match='controlled by Widget "b" already'):
        await sync_children(world.client, owner, [wanted("new"), wanted("theirs")])
    assert f"{ROOT}/new" not in world.server.objects


async def test_what_nobody_controls_is_adopted_unless_told_not_to(world: World) -> None:
    """By default it is taken for a child that lost its owner; where names are others' choice, it is refused."""
    owner = world.Widget.from_dict(world.widget("a"))
    world.server.objects[f"{ROOT}/free"] = world.config_map("free")
    with pytest.raises(NotAdopted, match='ConfigMap "shop/free" is there already, and nothing controls it'):
        await sync_children(world.client, owner, [wanted("new"), wanted("free")], adopt=False)
    assert f"{ROOT}/new" not in world.server.objects
    await sync_children(world.client, owner, [wanted("new"), wanted("free")])
    assert world.server.objects[f"{ROOT}/free"]["metadata"]["ownerReferences"][0]["uid"] == "uid-a"
    again = await sync_children(world.client, owner, [wanted("new"), wanted("free")], adopt=False)
    assert names(again.unchanged) == ["new", "free"]


@pytest.mark.parametrize("others", [[], ["bad-too"]])
async def test_one_that_is_refused_does_not_stop_the_others(world: World, others: list[str]) -> None:
    """What comes after it is applied, the surplus is deleted, and then the error is raised; of several, all."""
    owner = world.Widget.from_dict(world.widget("a"))
    await sync_children(world.client, owner, [wanted("surplus")])
    world.server.refusals = [(403, "Forbidden") for _ in ("bad", *others)]
    with pytest.raises(ExceptionGroup if others else Forbidden) as error:
        await sync_children(world.client, owner, [wanted(name) for name in ("bad", *others, "good")])
    assert [path for path in world.server.objects if path.startswith(ROOT)] == [f"{ROOT}/good"]
    if isinstance(error.value, ExceptionGroup):
        assert [type(each) for each in error.value.exceptions] == [Forbidden, Forbidden]


async def test_the_authors_objects_stay_as_they_are(world: World) -> None:
    """Owner and namespace are set on copies."""
    child = wanted("one")
    await sync_children(world.client, world.Widget.from_dict(world.widget("a")), [child])
    assert child == wanted("one")


async def test_mistakes_are_named(world: World) -> None:
    """Two children of one name, and one without."""
    owner = world.Widget.from_dict(world.widget("a"))
    with pytest.raises(RequestError, match='"shop/one" is desired twice'):
        await sync_children(world.client, owner, [wanted("one"), wanted("one")])
    with pytest.raises(RequestError, match="has no name"):
        await sync_children(world.client, owner, [core_v1.ConfigMap()])
