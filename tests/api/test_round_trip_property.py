"""The round trip against a simple model: the same edits made on the plain JSON, where nothing can get lost.

An object is generated with unknown fields at every level and numbers and times in odd spellings. Each edit is made
twice: on the typed object, and on the JSON it was read from. The body that is sent must be that JSON, number by number
in the server's spelling.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import Annotated, Any, ClassVar

from hypothesis import given, settings
from hypothesis import strategies as st

from konverge.api.kind import Resource
from konverge.api.markers import ListMap, PatchMerge
from konverge.api.model import NULL, Model, field
from konverge.api.object import Object, has_changes, read, replace, write


class Number(str):
    """A JSON number by its spelling."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)


class Item(Model):
    """A struct with one of everything, itself included."""

    name: str | None = None
    value: int | None = None
    ratio: float | None = None
    when: datetime | None = None
    tags: list[str] | None = None
    anything: Any = None
    struct: Item | None = None
    keyless: list[Item] | None = None
    keyed: Annotated[list[Item] | None, ListMap("name")] = None
    patched: Annotated[list[Item] | None, PatchMerge("name")] = None
    by_key: dict[str, Item] | None = None
    nested: list[list[Item]] | None = None


class Thing(Object):
    """An object around it."""

    __resource__: ClassVar[Resource] = Resource(
        group="test.konverge.dev", version="v1", kind="Thing", plural="things", namespaced=True
    )

    spec: Item = field(default_factory=Item)
    status: Item = field(default_factory=Item)


KNOWN = frozenset(Item.__struct_encode_fields__)
LISTS = ("keyless", "keyed", "patched")
CONTAINERS = (*LISTS, "tags", "byKey", "nested")
RATIOS = ("1.10", "1e3", "-0.0", "0.5", "2E-3")
TIMES = ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+02:00", "2026-01-31T12:00:00.120Z")


# --- generating the JSON ---


def unknown(draw: st.DrawFn) -> dict[str, Any]:
    """Fields that no type knows, with numbers whose spelling a float would lose."""
    values = st.sampled_from([Number("1.10"), Number("1e3"), Number(str(10**30)), "text", None, True, [Number("1.0")]])
    return draw(st.dictionaries(st.sampled_from(["x", "y", "zUnknown"]), values, max_size=2))


@st.composite
def items(draw: st.DrawFn, depth: int, names: Iterator[int], *, named: bool) -> dict[str, Any]:
    """One item: a name that no other has, or none, so that items without one may look alike."""
    found: dict[str, Any] = unknown(draw)
    if named or draw(st.booleans()):
        found["name"] = f"n{next(names)}"
    scalars = {
        "value": st.sampled_from([Number("0"), Number("1")]),
        "ratio": st.sampled_from([Number(ratio) for ratio in RATIOS]),
        "when": st.sampled_from(TIMES),
        "tags": st.lists(st.sampled_from("abc"), max_size=2),
        "anything": st.sampled_from([{"deep": [Number("1.10"), {"x": Number("1e3")}]}, [Number("7.0"), "a"]]),
    }
    for name in draw(st.sets(st.sampled_from(sorted(scalars)), max_size=2)):
        found[name] = draw(scalars[name])
    if depth > 0:
        below = items(depth - 1, names, named=False)
        keyed = items(depth - 1, names, named=True)
        parts: dict[str, st.SearchStrategy[Any]] = {
            "struct": below,
            "keyless": st.lists(below, max_size=3) | st.lists(lookalikes(), min_size=2, max_size=3),
            "keyed": st.lists(keyed, max_size=3),
            "patched": st.lists(keyed, max_size=2),
            "byKey": st.dictionaries(st.sampled_from("pq"), below, max_size=2),
            "nested": st.lists(st.lists(below, max_size=2), max_size=2),
        }
        for name in draw(st.sets(st.sampled_from(sorted(parts)), max_size=3)):
            found[name] = draw(parts[name])
    return found


@st.composite
def lookalikes(draw: st.DrawFn) -> dict[str, Any]:
    """An item that differs from others of its sort in nothing that its type knows."""
    return {"value": Number("0"), "x": draw(st.sampled_from([Number("1"), Number("2.0"), "three"]))}


@st.composite
def things(draw: st.DrawFn, names: Iterator[int]) -> dict[str, Any]:
    """A whole object."""
    found: dict[str, Any] = {"apiVersion": "test.konverge.dev/v1", "kind": "Thing", **unknown(draw)}
    found["metadata"] = {"name": "thing", "uid": "u", **unknown(draw)}
    found["spec"] = draw(items(2, names, named=False))
    found["spec"].setdefault("keyless", draw(st.lists(lookalikes(), max_size=3)))
    if draw(st.booleans()):
        found["status"] = draw(items(1, names, named=False))
    return found


def dump(value: Any) -> str:
    """Write JSON with the numbers as they are spelled."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{dump(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dump, value)) + "]"
    return json.dumps(value)


def load(data: bytes) -> Any:
    """Read JSON with the numbers as they are spelled."""
    return json.loads(data, parse_float=Number, parse_int=Number)


# --- editing both sides alike ---


class Editor:
    """Makes one random edit at a time on an item and on its JSON."""

    def __init__(self, draw: Callable[..., Any], names: Iterator[int], top: tuple[Item, dict[str, Any]]) -> None:
        self.draw = draw
        self.names = names
        self.top = top

    def edit(self, item: Item, plain: dict[str, Any]) -> None:
        """Go down at random, then change something."""
        while below := self.below(item, plain):
            if self.draw(st.booleans()):
                break
            item, plain = self.draw(st.sampled_from(below))
        actions = (self.set_scalar, self.touch, self.clear, self.null, self.lists, self.dicts, self.structs)
        self.draw(st.sampled_from(actions))(item, plain)

    def below(self, item: Item, plain: dict[str, Any]) -> list[tuple[Item, dict[str, Any]]]:
        """The items directly below one, each with its JSON."""
        found: list[tuple[Item, dict[str, Any]]] = []
        if isinstance(item.struct, Item):
            found.append((item.struct, plain["struct"]))
        for name in LISTS:
            found += zip(getattr(item, name) or (), plain.get(name) or (), strict=True)
        found += [(value, plain["byKey"][key]) for key, value in (item.by_key or {}).items()]
        for inner, inner_plain in zip(item.nested or (), plain.get("nested") or (), strict=True):
            found += zip(inner, inner_plain, strict=True)
        return found

    def new(self) -> tuple[Item, dict[str, Any]]:
        """Make an item that looks like no other."""
        name = f"new{next(self.names)}"
        return Item(name=name, value=5, ratio=2.5), {"name": name, "value": Number("5"), "ratio": Number("2.5")}

    def set_scalar(self, item: Item, plain: dict[str, Any]) -> None:
        """Set a field to another value; a key too, for the item stays the same Python item."""
        match self.draw(st.sampled_from(["name", "value", "tags", "when", "anything"])):
            case "name":
                item.name = plain["name"] = f"renamed{next(self.names)}"
            case "value":
                item.value, plain["value"] = 42, Number("42")
            case "tags":
                item.tags, plain["tags"] = ["q"], ["q"]
            case "when":
                item.when, plain["when"] = datetime(2030, 1, 1, tzinfo=timezone.utc), "2030-01-01T00:00:00Z"  # noqa: UP017 - beside timezone(…) below
            case "anything" if isinstance(item.anything, dict):
                item.anything["deep"].append(False)
                plain["anything"]["deep"].append(False)

    def touch(self, item: Item, plain: dict[str, Any]) -> None:
        """Set what is there already, in other words: the server's spelling stays."""
        if item.ratio is not None and item.ratio is not NULL:
            item.ratio = float(item.ratio)
        if isinstance(item.when, datetime) and plain["when"] in TIMES:
            item.when = item.when.astimezone(timezone(timedelta(hours=-7)))
        if isinstance(item.tags, list):
            item.tags = tuple(item.tags)  # type: ignore[assignment]  # what an author may well do

    def clear(self, item: Item, plain: dict[str, Any]) -> None:
        """Unset a field; none of these was null on the wire, where unsetting it would change nothing."""
        name = self.draw(st.sampled_from(["value", "ratio", "when", "tags", "anything"]))
        setattr(item, name, None)
        plain.pop(name, None)

    def null(self, item: Item, plain: dict[str, Any]) -> None:
        """Send null."""
        name = self.draw(st.sampled_from(["value", "ratio", "anything"]))
        setattr(item, name, NULL)
        plain[name] = None

    def lists(self, item: Item, plain: dict[str, Any]) -> None:
        """Reorder, remove, insert, replace by a new item of the same key, or move to the list at the top."""
        name = self.draw(st.sampled_from([*LISTS, "nested"]))
        if not getattr(item, name):
            return
        if name == "nested":
            index = self.draw(st.integers(0, len(plain["nested"]) - 1))
            values, plains = item.nested[index] if item.nested else [], plain["nested"][index]
        else:
            values, plains = getattr(item, name), plain[name]
        self.change_list(values, plains, keyed=name in ("keyed", "patched"))

    def change_list(self, values: list[Item], plains: list[Any], *, keyed: bool) -> None:
        """Make one change in a list."""
        action = self.draw(st.sampled_from(["order", "remove", "insert", "replace", "move"]))
        if action == "insert":
            place = self.draw(st.integers(0, len(values)))
            value, plain = self.new()
            values.insert(place, value)
            plains.insert(place, plain)
        elif not values:
            return
        elif action == "order":
            order = self.draw(st.permutations(range(len(values))))
            values[:] = [values[index] for index in order]
            plains[:] = [plains[index] for index in order]
        elif action == "remove":
            place = self.draw(st.integers(0, len(values) - 1))
            del values[place], plains[place]
        elif action == "replace" and keyed:
            self.replace_keyed(values, plains)
        elif action == "move" and values is not self.top[0].keyless:
            place = self.draw(st.integers(0, len(values) - 1))
            assert self.top[0].keyless is not None
            self.top[0].keyless.append(values.pop(place))
            self.top[1]["keyless"].append(plains.pop(place))

    def replace_keyed(self, values: list[Item], plains: list[Any]) -> None:
        """Put a new item with the same key in the place of one that was read."""
        place = self.draw(st.integers(0, len(values) - 1))
        if str(values[place].name).startswith("n") and not str(values[place].name).startswith("new"):
            values[place] = Item(name=values[place].name, value=9)
            kept = {name: value for name, value in plains[place].items() if name not in KNOWN}
            plains[place] = {**kept, "name": plains[place]["name"], "value": Number("9")}

    def dicts(self, item: Item, plain: dict[str, Any]) -> None:
        """Add, remove or rename an entry."""
        if item.by_key is None:
            return
        key = self.draw(st.sampled_from([*item.by_key, "added"]))
        if key == "added":
            item.by_key[f"k{next(self.names)}"], made = self.new()
            plain["byKey"][list(item.by_key)[-1]] = made
        elif self.draw(st.booleans()):
            del item.by_key[key], plain["byKey"][key]
        else:
            name = f"k{next(self.names)}"
            item.by_key[name] = item.by_key.pop(key)
            plain["byKey"][name] = plain["byKey"].pop(key)

    def structs(self, item: Item, plain: dict[str, Any]) -> None:
        """Put a new struct in the place of one: what the type does not know is kept."""
        if isinstance(item.struct, Item):
            item.struct, made = self.new()
            kept = {name: value for name, value in plain["struct"].items() if name not in KNOWN}
            plain["struct"] = {**kept, **made}


COPIES: dict[str, Callable[[Thing], Thing]] = {
    "same": lambda thing: thing,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "replace": replace,
}


def check(data: st.DataObject) -> None:
    """Generate, edit on both sides, compare."""
    names = count()
    plain = data.draw(things(names))
    original = dump(plain).encode()
    thing = read(Thing, original)
    assert write(thing) == original
    assert not has_changes(thing)
    for _ in range(data.draw(st.integers(0, 6))):
        thing = COPIES[data.draw(st.sampled_from(sorted(COPIES)))](thing)
        Editor(data.draw, names, (thing.spec, plain["spec"])).edit(thing.spec, plain["spec"])
    assert load(write(thing)) == load(dump(plain).encode())
    assert has_changes(thing) == (tidy(json.loads(original)) != tidy(json.loads(dump(plain))))


def tidy(value: Any) -> Any:
    """Leave out the empty lists and maps of fields that are such: to a server they are as good as absent."""
    if isinstance(value, list):
        return [tidy(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: tidy(item) for name, item in value.items() if name not in CONTAINERS or item not in (None, [], {})}


def test_the_body_is_the_original_plus_the_changes(share: float, soak: bool) -> None:
    """Whatever is edited, in whatever order, through whatever copies: the body is the edited JSON, and no more."""
    chosen = settings(max_examples=int(3_000 * share), deadline=None, derandomize=not soak, database=None)
    chosen(given(st.data())(check))()
