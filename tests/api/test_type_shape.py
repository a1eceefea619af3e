from __future__ import annotations

from typing import Annotated, Any, Optional

from konverge.api.markers import ListAtomic, ListMap, PatchMerge
from konverge.api.model import Model, decode
from konverge.api.type_shape import element_of, has_models, items_below, keys_of
from konverge.models import core_v1


class Leaf(Model):
    """Leads nowhere."""

    name: str | None = None
    tags: list[str] | None = None


class Tree(Model):
    """Leads to items in every way there is."""

    leaves: list[Leaf] | None = None
    by_name: dict[str, Leaf] | None = None
    grid: list[list[Leaf]] | None = None
    below: Tree | None = None
    either: Leaf | list[Leaf] | None = None
    trees: list[Tree] | None = None
    tags: list[str] | None = None


def test_items_are_found_in_every_shape() -> None:
    """Lists, dicts, lists of lists, unions and a type within itself; lists of scalars have no items of interest."""
    tree = decode(
        Tree,
        b'{"tags":["no"],"leaves":[{"name":"a"}],"byName":{"k":{"name":"b"}},"grid":[[{"name":"c"}]],'
        b'"below":{"leaves":[{"name":"d"}]},"either":[{"name":"e"}],"trees":[{"trees":[{"leaves":[{"name":"f"}]}]}]}',
    )
    found = items_below(tree)
    assert [item.name for item in found if isinstance(item, Leaf)] == ["a", "b", "c", "d", "e", "f"]
    assert sum(isinstance(item, Tree) for item in found) == 2
    assert items_below(decode(Tree, b'{"either":{"name":"a"},"trees":[]}')) == []
    assert items_below(Leaf(tags=["a"])) == []


def test_two_decodings_have_their_items_at_the_same_places() -> None:
    """This is what lets a write line them up."""
    data = b'{"spec":{"containers":[{"name":"a","ports":[{"containerPort":1}]}],"volumes":[{"name":"v"}]}}'
    first, second = items_below(decode(core_v1.Pod, data)), items_below(decode(core_v1.Pod, data))
    assert first == second
    assert len(first) == 3


def test_keys_of_a_list() -> None:
    """Map keys come before the key of patches, wherever the marker stands; an atomic list has none."""
    assert keys_of(Annotated[list[Leaf] | None, ListMap("a"), PatchMerge("b")]) == ListMap("a")
    assert keys_of(Annotated[list[Leaf] | None, PatchMerge("b")]) == ListMap("b")
    assert keys_of(Optional[Annotated[list[Leaf], ListMap("a")]]) == ListMap("a")  # noqa: UP045 - as Python has it
    assert keys_of(Annotated[list[str], PatchMerge()]) is None
    assert keys_of(Annotated[list[Leaf], ListAtomic()]) is None
    assert keys_of(list[Annotated[list[Leaf], ListMap("a")]]) is None


def test_elements_and_models() -> None:
    """The type of what is inside, Any where it is not known."""
    assert element_of(Annotated[list[Leaf] | None, ListMap("a")]) is Leaf
    assert element_of(dict[str, Leaf] | None) is Leaf
    assert element_of(Any) is Any
    assert element_of(str) is Any
    assert has_models(dict[str, list[Leaf]])
    assert not has_models(dict[str, Any])
