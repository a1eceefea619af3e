from __future__ import annotations

import copy
import logging
from typing import Any

import pytest

from konverge.cluster.apiserver.apply.custom import custom_field_manager, custom_types
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.failure import Failure

MORNING, NOON = "2026-01-01T08:00:00Z", "2026-01-01T12:00:00Z"
TEXT = {"type": "string"}
BY_NAME = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
ITEM = {"type": "object", "properties": {"name": TEXT, "value": TEXT}}
FIELDS = {
    "text": TEXT,
    "other": TEXT,
    "flag": {"type": "boolean"},
    "set": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
    "items": {"type": "array", "items": ITEM, **BY_NAME},
    "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}
SPEC = {"type": "object", "properties": FIELDS}
TYPES = custom_types("g", {"v1": {"type": "object", "properties": {"spec": SPEC, "status": SPEC}}})
MANAGER = custom_field_manager("K", "g/v1", TYPES, with_status=["g/v1"])


def thing(spec: Any = None, **metadata: Any) -> dict[str, Any]:
    """Return an object."""
    whole = {"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "x", **metadata}}
    return whole if spec is None else {**whole, "spec": spec}


def owned(value: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an object by their managers."""
    return {entry["manager"]: entry["fieldsV1"] for entry in value["metadata"].get("managedFields", [])}


def times(value: dict[str, Any]) -> dict[str, Any]:
    """Return the times of an object's managers."""
    return {entry["manager"]: entry.get("time") for entry in value["metadata"]["managedFields"]}


def created(spec: Any, **metadata: Any) -> dict[str, Any]:
    """Return an object that `author` created in the morning, as it is stored."""
    made = MANAGER.update(None, thing(spec, **metadata), manager="author", time=MORNING)
    made["metadata"]["uid"] = "u"
    return made


def test_a_create_owns_everything_but_what_is_nobodys() -> None:
    """Name, version and kind belong to no one; structs that were not there before are owned too."""
    made = created({"text": "a", "items": [{"name": "n"}], "open": {"a": {"b": [1]}}}, labels={"l": "m"})
    assert owned(made) == {
        "author": {
            "f:metadata": {"f:labels": {".": {}, "f:l": {}}},
            "f:spec": {
                ".": {},
                "f:text": {},
                "f:items": {".": {}, 'k:{"name":"n"}': {".": {}, "f:name": {}}},
                "f:open": {".": {}, "f:a": {".": {}, "f:b": {}}},
            },
        }
    }
    assert made["metadata"]["managedFields"][0] | {"fieldsV1": {}} == {
        "manager": "author",
        "operation": "Update",
        "apiVersion": "g/v1",
        "time": MORNING,
        "fieldsType": "FieldsV1",
        "fieldsV1": {},
    }


def test_an_update_takes_what_it_changes() -> None:
    """Changed fields change hands, removed ones are nobody's, and only who changed something has a new time."""
    live = created({"text": "a", "other": "b", "flag": True})
    new = MANAGER.update(live, thing({"text": "c", "flag": True}, uid="u"), manager="other", time=NOON)
    assert owned(new) == {"author": {"f:spec": {".": {}, "f:flag": {}}}, "other": {"f:spec": {"f:text": {}}}}
    assert times(new) == {"author": MORNING, "other": NOON}


def test_an_update_of_nothing_changes_no_owner() -> None:
    """Neither fields nor times."""
    live = created({"text": "a"})
    new = MANAGER.update(live, thing({"text": "a"}, uid="u"), manager="other", time=NOON)
    assert new == live


def test_true_is_not_one() -> None:
    """A change that Python takes for none is one."""
    live = created({"open": {"a": 1, "b": [1], "c": 1}})
    new = MANAGER.update(live, thing({"open": {"a": True, "b": [True], "c": 1.0}}, uid="u"), manager="o", time=NOON)
    assert owned(new)["o"] == {"f:spec": {"f:open": {"f:a": {}, "f:b": {}}}}


def test_the_subresource_sets_only_its_part() -> None:
    """What the strategy resets is not owned, and the author's managedFields are not taken."""
    live = created({"text": "a"})
    wanted = {**thing({"text": "b"}, uid="u", labels={"l": "m"}, managedFields=[]), "status": {"text": "s"}}
    new = MANAGER.update(live, wanted, manager="controller", time=NOON, subresource="status")
    assert owned(new)["controller"] == {"f:status": {".": {}, "f:text": {}}}
    assert "status" not in owned(MANAGER.update(None, {**thing(), "status": {"text": "s"}}, manager="m", time=NOON))


def test_an_author_may_say_who_owns_what() -> None:
    """Well-formed managedFields are taken, malformed ones ignored, and a list of one empty entry forgets all."""
    live = created({"text": "a", "other": "b"})
    entry = {**live["metadata"]["managedFields"][0], "fieldsV1": {"f:spec": {"f:text": {}}}}
    given = thing({"text": "a", "other": "b"}, uid="u", managedFields=[entry])
    assert owned(MANAGER.update(live, copy.deepcopy(given), manager="m", time=NOON)) == {"author": entry["fieldsV1"]}
    given["metadata"]["managedFields"] = [{**entry, "fieldsType": "X"}]
    assert owned(MANAGER.update(live, copy.deepcopy(given), manager="m", time=NOON)) == owned(live)
    given["metadata"]["managedFields"] = [{}]
    forgotten = MANAGER.update(live, copy.deepcopy(given), manager="m", time=NOON)
    assert "managedFields" not in forgotten["metadata"]
    again = MANAGER.update(forgotten, thing({"text": "z"}, uid="u"), manager="m", time=NOON)
    assert "managedFields" not in again["metadata"]


def test_what_was_there_before_the_first_apply() -> None:
    """An object that no one kept account of belongs to `before-first-apply` when it is first applied to."""
    live = thing({"text": "a", "other": "b"}, uid="u")
    made = MANAGER.apply(live, thing({"text": "a"}), manager="m", time=NOON)
    assert owned(made) == {
        "m": {"f:spec": {"f:text": {}}},
        "before-first-apply": {"f:spec": {".": {}, "f:text": {}, "f:other": {}}},
    }


def test_an_apply_of_what_is_there_has_no_time() -> None:
    """A new owner of the same values changes nothing, so its entry has no time; as on the real server."""
    live = created({"text": "a"})
    made = MANAGER.apply(live, thing({"text": "a"}), manager="m", time=NOON)
    assert times(made) == {"m": None, "author": MORNING}


def test_an_apply_gives_up_what_it_leaves_out() -> None:
    """What no one else claims is removed; what an updater owns stays, without the applier."""
    live = MANAGER.apply(None, thing({"text": "a", "other": "b", "set": ["x", "y"]}), manager="m", time=MORNING)
    live["metadata"]["uid"] = "u"
    changed = thing({"text": "a", "other": "z", "set": ["x", "y", "w"]}, uid="u")
    live = MANAGER.update(live, changed, manager="updater", time=MORNING)
    made = MANAGER.apply(live, thing({"set": ["y"]}), manager="m", time=NOON)
    assert made["spec"] == {"other": "z", "set": ["y", "w"]}
    assert owned(made) == {
        "m": {"f:spec": {"f:set": {'v:"y"': {}}}},
        "updater": {"f:spec": {"f:other": {}, "f:set": {'v:"w"': {}}}},
    }


def test_the_order_of_a_merged_list() -> None:
    """Items that were applied come in the applied order; the others stay near what they stood by."""
    live = created({"items": [{"name": name, "value": "1"} for name in "abcd"]})
    patch = thing({"items": [{"name": name} for name in ("e", "c", "a")]})
    made = MANAGER.apply(live, patch, manager="m", time=NOON)
    assert [item["name"] for item in made["spec"]["items"]] == ["b", "e", "c", "d", "a"]


def test_a_conflict() -> None:
    """Another's field cannot be changed without force; the message names owner and field."""
    live = created({"text": "a", "items": [{"name": "n", "value": "1"}]})
    with pytest.raises(Failure) as one:
        MANAGER.apply(live, thing({"text": "b"}), manager="m", time=NOON)
    message = 'Apply failed with 1 conflict: conflict with "author" using g/v1: .spec.text'
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "author" using g/v1', "field": ".spec.text"}
    assert one.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "Conflict",
        "details": {"causes": [cause]},
        "code": 409,
    }
    patch = thing({"text": "b", "items": [{"name": "n", "value": "2"}]})
    with pytest.raises(Failure) as two:
        MANAGER.apply(live, patch, manager="m", time=NOON)
    assert two.value.message == (
        'Apply failed with 2 conflicts: conflicts with "author" using g/v1:\n'
        '- .spec.text\n- .spec.items[name="n"].value'
    )
    made = MANAGER.apply(live, patch, manager="m", time=NOON, force=True)
    assert made["spec"] == patch["spec"]
    assert owned(made)["author"] == {
        "f:spec": {".": {}, "f:items": {".": {}, 'k:{"name":"n"}': {".": {}, "f:name": {}}}}
    }


def test_values_that_are_the_same_are_shared() -> None:
    """Two may own one field; a change by one is then a conflict with the other."""
    live = MANAGER.apply(None, thing({"text": "a"}), manager="one", time=MORNING)
    live = MANAGER.apply(live, thing({"text": "a"}), manager="two", time=NOON)
    assert owned(live) == {name: {"f:spec": {"f:text": {}}} for name in ("one", "two")}
    with pytest.raises(Failure, match=r'conflict with "one": \.spec\.text'):
        MANAGER.apply(live, thing({"text": "b"}), manager="two", time=NOON)


def test_the_result_shares_nothing() -> None:
    """Neither the live object nor the patch is seen to change with the result."""
    live, patch = created({"open": {"a": {"b": 1}}}), thing({"items": [{"name": "n"}]})
    before = copy.deepcopy((live, patch))
    made = MANAGER.apply(live, patch, manager="m", time=NOON)
    made["spec"]["open"]["a"]["b"] = 2
    made["spec"]["items"][0]["value"] = "z"
    assert (live, patch) == before


def test_an_object_that_cannot_be_read_loses_its_owners(caplog: pytest.LogCaptureFixture) -> None:
    """Its write goes on, and the log says so without its contents."""
    caplog.set_level(logging.WARNING)
    made = MANAGER.update(None, thing({"text": {"secret": "s3cr3t"}}), manager="m", time=NOON)
    assert "managedFields" not in made["metadata"]
    assert "managedFields are dropped" in caplog.text
    assert "s3cr3t" not in caplog.text


def test_an_owner_in_another_version() -> None:
    """Its fields are compared in that version, to which the object is converted."""

    def convert(value: dict[str, Any], api_version: str) -> dict[str, Any]:
        names = {"g/v1": ("words", "text"), "g/v2": ("text", "words")}[api_version]
        spec = {names[1] if name == names[0] else name: part for name, part in (value.get("spec") or {}).items()}
        return {**value, "apiVersion": api_version, "spec": spec}

    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"words": TEXT, "other": TEXT}}},
    }
    types = TYPES | custom_types("g", {"v2": schema})
    first = FieldManager(kind="K", api_version="g/v1", types=types, convert=convert)
    second = FieldManager(kind="K", api_version="g/v2", types=types, convert=convert)
    live = first.apply(None, thing({"text": "a"}), manager="m", time=MORNING)
    seen = convert(live, "g/v2")
    with pytest.raises(Failure, match=r'conflict with "m": \.spec\.text'):
        second.apply(seen, {**thing({"words": "b"}), "apiVersion": "g/v2"}, manager="n", time=NOON)
    moved = second.apply(seen, {**thing({"other": "o"}), "apiVersion": "g/v2"}, manager="m", time=NOON)
    assert moved["spec"] == {"other": "o"}
    assert moved["metadata"]["managedFields"][0]["apiVersion"] == "g/v2"


def test_a_version_that_a_built_in_kind_does_not_have_any_more() -> None:
    """Who wrote in it is forgotten."""
    manager = FieldManager(kind="K", api_version="g/v1", types=TYPES)
    live = created({"text": "a", "other": "b"})
    live["metadata"]["managedFields"][0]["apiVersion"] = "g/v0"
    made = manager.apply(live, thing({"text": "c"}), manager="m", time=NOON)
    assert owned(made) == {"m": {"f:spec": {"f:text": {}}}}
    assert made["spec"] == {"text": "c", "other": "b"}
