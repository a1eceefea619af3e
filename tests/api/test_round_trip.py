from __future__ import annotations

import copy
import json
import pickle
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Annotated, Any, ClassVar

import pytest

from konverge.api.kind import Resource
from konverge.api.markers import ListMap, PatchMerge
from konverge.api.model import NULL, Model, field
from konverge.api.object import Object, has_changes, origin_of, read, write
from konverge.api.time import MicroTime


class Port(Model):
    """An item with a key that has a default."""

    port: int | None = None
    protocol: str | None = None
    name: str | None = None


class Rule(Model):
    """An item without keys that leads to more of them."""

    path: str | None = None
    ports: list[Port] | None = None


class Props(Model):
    """A schema-like struct that contains itself."""

    type: str | None = None
    properties: dict[str, Props] | None = None
    all_of: list[Props] | None = None
    items: Props | list[Props] | None = None


class Spec(Model):
    """One attribute of each sort."""

    replicas: int = 1
    ports: Annotated[list[Port] | None, ListMap("port", "protocol", protocol="TCP")] = None
    patched: Annotated[list[Port] | None, PatchMerge("name")] = None
    rules: list[Rule] | None = None
    other_rules: list[Rule] | None = None
    grid: list[list[Port]] | None = None
    by_name: dict[str, Rule] | None = None
    schema: Props | None = None
    anything: Any = None
    amount: int | str | float | None = None
    data: dict[str, bytes] | None = None
    moment: datetime | None = None
    micro: MicroTime | None = None
    tags: list[str] | None = None
    rule: Rule | None = None


class Thing(Object):
    """The object of these tests."""

    __resource__: ClassVar[Resource] = Resource(
        group="test.konverge.dev", version="v1", kind="Thing", plural="things", namespaced=True
    )

    spec: Spec = field(default_factory=Spec)


def thing(spec: str) -> Thing:
    """Read a thing from the text of its spec."""
    return read(Thing, f'{{"apiVersion":"test.konverge.dev/v1","kind":"Thing","spec":{spec}}}'.encode())


def sent(obj: Thing) -> Any:
    """The spec as it would go out."""
    return json.loads(write(obj))["spec"]


def text(obj: Thing) -> str:
    """The body as text, for spellings."""
    return write(obj).decode()


# --- lists ---


def test_map_keys_find_an_item_with_and_without_their_defaults() -> None:
    """A new item of the same key takes the old one's unknown fields; a key's default counts as the key."""
    obj = thing('{"ports":[{"port":1,"protocol":"TCP","x":"tcp"},{"port":1,"protocol":"UDP","x":"udp"}]}')
    obj.spec.ports = [Port(port=1, protocol="UDP", name="u"), Port(port=1, name="t"), Port(port=2)]
    assert sent(obj)["ports"] == [
        {"port": 1, "protocol": "UDP", "x": "udp", "name": "u"},
        {"port": 1, "x": "tcp", "name": "t"},
        {"port": 2},
    ]


def test_a_patch_merge_key_tells_items_apart_too() -> None:
    """A list that has no map keys uses the key of its patches."""
    obj = thing('{"patched":[{"name":"a","x":1},{"name":"b","x":2}]}')
    obj.spec.patched = [Port(name="b"), Port(name="a", port=5)]
    assert sent(obj)["patched"] == [{"name": "b", "x": 2}, {"name": "a", "port": 5, "x": 1}]


def test_a_key_that_changed_in_place() -> None:
    """The item is the same Python item, so its unknown fields stay with it."""
    obj = thing('{"patched":[{"name":"a","x":1},{"name":"b","x":2}]}')
    assert obj.spec.patched is not None
    obj.spec.patched[0].name = "c"
    assert sent(obj)["patched"] == [{"name": "c", "x": 1}, {"name": "b", "x": 2}]


def test_a_key_wins_over_the_python_item() -> None:
    """Where an item takes another's key, it is that one to the server; no fields are handed on by position."""
    obj = thing('{"patched":[{"name":"a","x":1},{"name":"b","x":2}]}')
    assert obj.spec.patched is not None
    first, second = obj.spec.patched
    first.name, second.name = "b", "c"
    assert sent(obj)["patched"] == [{"name": "b", "x": 2}, {"name": "c"}]


def test_a_key_that_stands_twice() -> None:
    """It tells nothing: the Python items do, and for new ones what they look like, then the key among the rest."""
    obj = thing('{"patched":[{"name":"a","port":1,"x":1},{"name":"a","port":2,"x":2}]}')
    assert obj.spec.patched is not None
    obj.spec.patched[1].port = 3
    assert sent(obj)["patched"] == [{"name": "a", "port": 1, "x": 1}, {"name": "a", "port": 3, "x": 2}]
    obj.spec.patched = [Port(name="a", port=9), Port(name="a", port=1)]
    assert sent(obj)["patched"] == [{"name": "a", "port": 9, "x": 2}, {"name": "a", "port": 1, "x": 1}]
    obj.spec.patched = [Port(name="a", port=8), Port(name="a", port=9)]
    assert sent(obj)["patched"] == [{"name": "a", "port": 8}, {"name": "a", "port": 9}]


def test_items_without_any_key() -> None:
    """Items whose key fields are all unset are told apart as in a list without keys."""
    obj = thing('{"patched":[{"port":1,"x":1},{"port":2,"x":2}]}')
    obj.spec.patched = [Port(port=2), Port(port=3)]
    assert sent(obj)["patched"] == [{"port": 2, "x": 2}, {"port": 3}]


def test_a_keyless_list_goes_by_the_python_items() -> None:
    """Reordered, removed from and added to, each item keeps its own unknown fields."""
    obj = thing('{"rules":[{"path":"/a","x":1},{"path":"/b","x":2},{"path":"/c","x":3}]}')
    assert obj.spec.rules is not None
    first, _, third = obj.spec.rules
    third.path = "/changed"
    obj.spec.rules = [third, Rule(path="/new"), first]
    assert sent(obj)["rules"] == [{"path": "/changed", "x": 3}, {"path": "/new"}, {"path": "/a", "x": 1}]


def test_items_that_look_alike_keep_their_own_fields() -> None:
    """A swap of two items that differ only in what the type does not know is a change, and is sent."""
    obj = thing('{"rules":[{"path":"/a","x":1},{"path":"/a","x":2}]}')
    assert obj.spec.rules is not None
    obj.spec.rules.reverse()
    assert sent(obj)["rules"] == [{"path": "/a", "x": 2}, {"path": "/a", "x": 1}]
    assert has_changes(obj)
    del obj.spec.rules[0]
    assert sent(obj)["rules"] == [{"path": "/a", "x": 1}]


def test_a_list_built_anew_with_the_same_items_is_no_change() -> None:
    """A reconcile that sets the whole list each time must not write each time."""
    obj = thing('{"rules":[{"path":"/a","x":1},{"path":"/b","ports":[{"port":1,"x":1}]}]}')
    obj.spec.rules = [Rule(path="/a"), Rule(path="/b", ports=[Port(port=1)])]
    assert not has_changes(obj)
    obj.spec.rules = [Rule(path="/b", ports=[Port(port=2)]), Rule(path="/a")]
    assert sent(obj)["rules"] == [{"path": "/b", "ports": [{"port": 2}]}, {"path": "/a", "x": 1}]


def test_new_items_that_look_like_several_get_no_ones_fields() -> None:
    """Which of them is meant cannot be known, so none is guessed."""
    obj = thing('{"rules":[{"path":"/a","x":1},{"path":"/a","x":2}]}')
    obj.spec.rules = [Rule(path="/a")]
    assert sent(obj)["rules"] == [{"path": "/a"}]


def test_never_by_position() -> None:
    """New items in the places of old ones take nothing over."""
    obj = thing('{"rules":[{"path":"/a","x":1}]}')
    obj.spec.rules = [Rule(path="/other")]
    assert sent(obj)["rules"] == [{"path": "/other"}]


def test_the_same_item_twice() -> None:
    """It is itself both times, as it would be in plain JSON."""
    obj = thing('{"rules":[{"path":"/a","x":1}]}')
    assert obj.spec.rules is not None
    obj.spec.rules.append(obj.spec.rules[0])
    assert sent(obj)["rules"] == [{"path": "/a", "x": 1}] * 2


def test_an_item_moved_to_another_list() -> None:
    """It takes its unknown fields along, those below it too, into a list, a struct or a dict that is new."""
    obj = thing('{"rules":[{"path":"/a","x":1,"ports":[{"port":1,"x":2}]},{"path":"/b","x":3}]}')
    assert obj.spec.rules is not None
    first, second = obj.spec.rules
    assert first.ports is not None
    obj.spec.rules = []
    obj.spec.other_rules = [first]
    obj.spec.by_name = {"b": second, "c": Rule(ports=[first.ports[0]])}
    assert sent(obj) == {
        "rules": [],
        "otherRules": [{"path": "/a", "x": 1, "ports": [{"port": 1, "x": 2}]}],
        "byName": {"b": {"path": "/b", "x": 3}, "c": {"ports": [{"port": 1, "x": 2}]}},
    }


def test_lists_of_lists() -> None:
    """Both levels go by the Python items."""
    obj = thing('{"grid":[[{"port":1,"x":1}],[{"port":2,"x":2},{"port":3,"x":3}]]}')
    assert obj.spec.grid is not None
    obj.spec.grid.reverse()
    obj.spec.grid[0].reverse()
    obj.spec.grid[1][0].name = "n"
    assert sent(obj)["grid"] == [[{"port": 3, "x": 3}, {"port": 2, "x": 2}], [{"port": 1, "x": 1, "name": "n"}]]


@pytest.mark.parametrize(("value", "expected"), [(None, {}), ([], {"rules": []}), (NULL, {"rules": None})])
def test_lists_taken_away(value: Any, expected: Any) -> None:
    """None leaves the list out, an empty one is sent, and NULL is null."""
    obj = thing('{"rules":[{"path":"/a","x":1}]}')
    obj.spec.rules = value
    assert sent(obj) == expected


def test_a_tuple_is_as_good_as_a_list() -> None:
    """Its items are found as those of a list are."""
    obj = thing('{"rules":[{"path":"/a","x":1}],"tags":["a"]}')
    assert obj.spec.rules is not None
    obj.spec.rules[0].path = "/b"
    obj.spec.rules = (*obj.spec.rules, Rule(path="/c"))  # type: ignore[assignment]  # that is the point
    obj.spec.tags = ("a",)  # type: ignore[assignment]  # that is the point
    assert sent(obj) == {"rules": [{"path": "/b", "x": 1}, {"path": "/c"}], "tags": ["a"]}


# --- structs and dicts ---


def test_a_struct_in_the_place_of_another() -> None:
    """What the type does not know is kept there; what it knows is what the new struct shows."""
    obj = thing('{"rule":{"path":"/a","ports":[{"port":1,"x":1}],"x":2}}')
    obj.spec.rule = Rule(ports=[Port(port=1)])
    assert sent(obj)["rule"] == {"ports": [{"port": 1, "x": 1}], "x": 2}
    obj.spec.rule = None
    assert sent(obj) == {}


def test_dict_entries() -> None:
    """Entries go by key, and a renamed one brings its unknown fields; removed ones are gone."""
    obj = thing('{"byName":{"a":{"path":"/a","x":1},"b":{"x":2},"c":{"x":3}}}')
    assert obj.spec.by_name is not None
    obj.spec.by_name["a"] = Rule(path="/new")
    obj.spec.by_name["d"] = obj.spec.by_name.pop("b")
    del obj.spec.by_name["c"]
    assert sent(obj)["byName"] == {"a": {"path": "/new", "x": 1}, "d": {"x": 2}}


def test_types_that_contain_themselves() -> None:
    """Unknown fields survive at any depth of a schema, through a union too."""
    deep = '{"properties":{"a":{"items":{"type":"b","x":1},"allOf":[{"items":[{"x":2},{"x":3}],"x":4}]}}}'
    obj = thing(f'{{"schema":{deep}}}')
    schema = obj.spec.schema
    assert schema is not None
    assert schema.properties is not None
    inner = schema.properties["a"]
    assert isinstance(inner.items, Props)
    inner.items.type = "c"
    assert inner.all_of is not None
    assert isinstance(inner.all_of[0].items, list)
    inner.all_of[0].items.reverse()
    changed = deep.replace('"b"', '"c"').replace('{"x":2},{"x":3}', '{"x":3},{"x":2}')
    assert sent(obj)["schema"] == json.loads(changed)


class BiggerRule(Rule):
    """A class of an author's own, which knows a field more."""

    x: int | None = None


class BiggerSpec(Spec):
    """The same of a spec."""

    future: int | None = None
    rule: BiggerRule | None = None


class BiggerThing(Thing):
    """Reads what `Thing` does not know."""

    spec: BiggerSpec = field(default_factory=BiggerSpec)


def test_subclasses_of_a_class() -> None:
    """A subclass that knows more reads it, and an item of a subclass merges with one of its base."""
    data = b'{"kind":"Thing","spec":{"future":1,"y":2,"rule":{"x":1,"z":1},"rules":[{"x":1,"z":2}]}}'
    bigger = read(BiggerThing, data)
    assert bigger.spec.rule is not None
    bigger.spec.future, bigger.spec.rule.x = None, 5
    assert json.loads(write(bigger))["spec"] == {"y": 2, "rule": {"x": 5, "z": 1}, "rules": [{"x": 1, "z": 2}]}
    plain = read(Thing, data)
    plain.spec.rule = BiggerRule(path="/a")
    assert sent(plain)["rule"] == {"path": "/a", "x": 1, "z": 1}
    plain.spec.rule = BiggerRule(x=7)
    assert sent(plain)["rule"] == {"x": 7, "z": 1}


def test_a_value_of_another_type() -> None:
    """It is sent as it shows, and the rest of the object goes on as before."""
    obj = thing('{"rule":{"path":"/a","x":1},"rules":[{"x":1}]}')
    obj.spec.rule = {"path": "/b"}  # type: ignore[assignment]  # that is the point
    assert sent(obj) == {"rule": {"path": "/b"}, "rules": [{"x": 1}]}


# --- spellings ---


SPELLINGS = '{"amount":1.10,"anything":{"a":[1e3,-0.0,1.10],"b":1000000000000000000000000000000},"replicas":1}'


def test_numbers_keep_their_spelling() -> None:
    """Untouched numbers do, next to changed ones too; a number set to another is sent as Python spells it."""
    obj = thing(SPELLINGS)
    obj.spec.anything["a"].append(1)
    assert '"a":[1e3,-0.0,1.10,1],"b":1000000000000000000000000000000}' in text(obj)
    obj.spec.anything["a"][1] = 0.0
    obj.spec.amount = 1.1
    assert '"a":[1e3,0.0,1.10,1]' in text(obj)
    assert '"amount":1.10' in text(obj)
    obj.spec.amount = 1
    assert '"amount":1,' in text(obj)


@pytest.mark.parametrize(("old", "new", "expected"), [("1", True, "true"), ("1.0", 1, "1"), ("1", "1", '"1"')])
def test_values_that_python_holds_for_equal(old: str, new: Any, expected: str) -> None:
    """1, 1.0, True and "1" are four values on the wire."""
    obj = thing(f'{{"amount":{old}}}')
    obj.spec.amount = new
    assert f'"amount":{expected}' in text(obj)


def test_times_keep_their_spelling() -> None:
    """The same moment in another time zone is no change; another moment is sent."""
    obj = thing('{"moment":"2026-01-31T12:00:00.120+02:00","micro":"2026-01-31T12:00:00.100000Z"}')
    assert obj.spec.moment is not None
    obj.spec.moment = obj.spec.moment.astimezone(timezone(timedelta(hours=-3)))
    obj.spec.micro = MicroTime(2026, 1, 31, 12, 0, 0, 100_000, tzinfo=UTC)
    assert not has_changes(obj)
    obj.spec.micro = MicroTime(2026, 1, 31, 13, tzinfo=UTC)
    assert sent(obj) == {"moment": "2026-01-31T12:00:00.120+02:00", "micro": "2026-01-31T13:00:00.000000Z"}


def test_bytes_keep_their_spelling() -> None:
    """Base64 that was not touched goes back as it came."""
    obj = thing('{"data":{"a":"AP8=","b":"AA=="}}')
    assert obj.spec.data is not None
    obj.spec.data["b"] = b"\x01"
    assert sent(obj)["data"] == {"a": "AP8=", "b": "AQ=="}


class Level(StrEnum):
    """An enumeration of an author's own."""

    HIGH = "high"


def test_an_enum_is_its_value() -> None:
    """Setting the member of the value that is there is no change."""
    obj = thing('{"amount":"high"}')
    obj.spec.amount = Level.HIGH
    assert not has_changes(obj)


def test_a_default_that_was_filled_in_is_not_sent() -> None:
    """It is no change of the author's; another value is, and so is taking one away that was there."""
    obj = thing('{"x":1}')
    assert obj.spec.replicas == 1
    obj.spec.replicas = 1
    assert sent(obj) == {"x": 1}
    obj.spec.replicas = 2
    assert sent(obj) == {"x": 1, "replicas": 2}
    other = thing('{"replicas":5}')
    other.spec.replicas = None  # type: ignore[assignment]  # what unsets it
    assert sent(other) == {}


def test_null_in_plain_json_is_data() -> None:
    """A None in a dict or list goes out as null, as it came in."""
    obj = thing('{"anything":{"a":null,"b":[null,1]}}')
    obj.spec.anything["c"] = None
    assert sent(obj)["anything"] == {"a": None, "b": [None, 1], "c": None}


# --- copies ---


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda obj: pickle.loads(pickle.dumps(obj))])
def test_items_of_a_copy_are_known(copied: Any) -> None:
    """The copy's items count as the decoded ones, also where one was removed before."""
    obj = thing('{"rules":[{"path":"/a","x":1},{"path":"/b","x":2},{"path":"/c","x":3}]}')
    assert obj.spec.rules is not None
    del obj.spec.rules[1]
    other = copied(obj)
    other.spec.rules.reverse()
    other.spec.rules[0].path = "/changed"
    assert sent(other)["rules"] == [{"path": "/changed", "x": 3}, {"path": "/a", "x": 1}]
    assert sent(obj)["rules"] == [{"path": "/a", "x": 1}, {"path": "/c", "x": 3}]


def test_items_of_another_class_version_are_not_mixed_up() -> None:
    """Where the remembered items cannot be lined up with the bytes, keys and looks still find them."""
    obj = thing('{"rules":[{"path":"/a","x":1},{"path":"/b","x":2}],"patched":[{"name":"a","x":3}]}')
    origin = origin_of(obj)
    assert origin is not None
    assert obj.spec.rules is not None
    assert obj.spec.patched is not None
    origin.items.pop()
    obj.spec.rules[1].path = "/c"
    obj.spec.patched[0].port = 1
    assert sent(obj) == {
        "rules": [{"path": "/a", "x": 1}, {"path": "/c"}],
        "patched": [{"name": "a", "x": 3, "port": 1}],
    }
