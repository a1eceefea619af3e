from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from konverge.api.meta import ObjectMeta, OwnerReference
from konverge.api.object import has_changes, read, replace, write
from konverge.api.unstructured import Fields, PartialObjectMetadata, Unstructured

STORED = (
    b'{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","uid":"u","future":1.10,'
    b'"ownerReferences":[{"uid":"o","future":1}]},'
    b'"spec":{"size":1.10,"big":1000000000000000000000000000000,"rules":[{"a":1e3},{"a":-0.0}],"items":[1]},'
    b'"content":{"kept":true},"items":["top"]}'
)


def widget() -> Unstructured:
    """Read the object of these tests."""
    return read(Unstructured, STORED)


COPIES: list[Callable[[Unstructured], Unstructured]] = [
    copy.copy,
    copy.deepcopy,
    replace,
    lambda obj: pickle.loads(pickle.dumps(obj)),
]


def test_access_by_attribute_and_by_item() -> None:
    """Both ways lead to the same values, at any depth and in lists."""
    obj = widget()
    assert (obj.api_version, obj.kind, obj.gvk.group) == ("example.com/v1", "Widget", "example.com")
    assert obj.spec.rules[0].a == obj["spec"]["rules"][0]["a"] == 1000.0
    assert obj["metadata"]["uid"] == obj.metadata.uid == "u"
    assert obj["kind"] == "Widget"
    assert "spec" in obj
    assert "kind" in obj
    assert "status" not in obj


def test_names_that_are_taken() -> None:
    """A key that is an attribute of the object or a method of a dict is reached by item."""
    obj = widget()
    assert obj["content"] == {"kept": True}
    assert obj.content["content"] == {"kept": True}
    assert obj.items == ["top"]
    assert obj.spec["items"] == [1]


def test_what_is_not_there() -> None:
    """An absent field is an AttributeError that says what there is, or a KeyError."""
    obj = widget()
    with pytest.raises(AttributeError, match="Widget has no field 'status', only: spec, content, items"):
        _ = obj.status
    with pytest.raises(AttributeError, match="no field 'nothing' here, only: size"):
        _ = obj.spec.nothing
    with pytest.raises(AttributeError, match="only: nothing"):
        _ = Fields().a
    with pytest.raises(KeyError):
        obj["status"]
    assert obj.content.get("status") is None


def test_an_untouched_object_goes_out_as_it_came() -> None:
    """Not one byte differs."""
    assert write(widget()) == STORED
    assert not has_changes(widget())
    bare = b'{"apiVersion":"v1","kind":"X","metadata":null,"a":1}'
    assert write(read(Unstructured, bare)) == bare
    assert write(read(Unstructured, b'{"apiVersion":"v1","kind":"X"}')) == b'{"apiVersion":"v1","kind":"X"}'


@pytest.mark.parametrize("copied", COPIES)
def test_copies_keep_everything(copied: Callable[[Unstructured], Unstructured]) -> None:
    """The spelling of numbers and what the metadata's type does not know survive a copy and a change."""
    obj = copied(widget())
    assert obj == widget()
    assert write(obj) == STORED
    obj.spec.rules[0].b = 1
    obj.metadata.labels = {"a": "b"}
    body = write(obj)
    assert b'"rules":[{"a":1e3,"b":1},{"a":-0.0}]' in body
    assert b'"size":1.10,"big":1000000000000000000000000000000' in body
    assert b'"future":1.10' in body
    assert json.loads(body)["metadata"]["ownerReferences"] == [{"uid": "o", "future": 1}]


def test_deep_copies_are_apart() -> None:
    """Changing one leaves the other alone; the fields below are attributes still."""
    obj = widget()
    other = copy.deepcopy(obj)
    other.spec.rules[0].a = 5
    assert obj.spec.rules[0].a == 1000.0
    assert type(other.spec.rules[0]) is Fields


def test_setting_and_deleting() -> None:
    """By attribute and by item, of the object and of its fields."""
    obj = widget()
    obj.status = {"ready": True}
    obj.status.count = 1
    obj["extra"] = [{"a": 1}]
    obj["kind"] = "Gadget"
    obj["metadata"] = ObjectMeta(name="g")
    del obj.spec
    del obj["items"]
    assert json.loads(write(obj)) == {
        "apiVersion": "example.com/v1",
        "kind": "Gadget",
        "metadata": {"name": "g", "future": 1.1},
        "content": {"kept": True},
        "status": {"ready": True, "count": 1},
        "extra": [{"a": 1}],
    }
    assert obj.extra[0].a == 1
    with pytest.raises(AttributeError, match="no field 'spec'"):
        del obj.spec
    with pytest.raises(AttributeError, match="metadata cannot be deleted"):
        del obj.metadata


def test_an_object_of_the_authors_making() -> None:
    """It goes out with its own kind, and with what is set."""
    obj = Unstructured(api_version="v1", kind="ConfigMap", metadata=ObjectMeta(name="a"), content={"data": {"k": "v"}})  # type: ignore[arg-type]  # a plain dict is opened
    assert obj.data.k == "v"
    obj.metadata.owner_references = [OwnerReference(api_version="v1", kind="Pod", name="p", uid="u")]
    assert json.loads(write(obj))["data"] == {"k": "v"}
    assert json.loads(write(Unstructured(api_version="v1", kind="Pod"))) == {"apiVersion": "v1", "kind": "Pod"}
    obj.content = {"data": {"k": "w"}}  # type: ignore[assignment]  # a plain dict is opened
    assert obj.data.k == "w"


def test_null_and_none_are_sent() -> None:
    """In plain JSON None is data."""
    obj = widget()
    obj.spec.size = None
    assert json.loads(write(obj))["spec"]["size"] is None


def test_fields_are_a_dict() -> None:
    """They compare, merge, pickle and copy as one, and a field cannot answer for Python's own names."""
    fields = Fields({"a": {"b": 1}}, c=[{"d": 2}])
    fields.update({"e": {"f": 3}})
    fields |= {"g": {"h": 4}}
    fields.setdefault("i", {}).j = 5
    assert fields == {"a": {"b": 1}, "c": [{"d": 2}], "e": {"f": 3}, "g": {"h": 4}, "i": {"j": 5}}
    assert (fields.a.b, fields.c[0].d, fields.e.f, fields.g.h) == (1, 2, 3, 4)
    assert fields.setdefault("a") is fields.a
    for other in (pickle.loads(pickle.dumps(fields)), copy.copy(fields), copy.deepcopy(fields), fields.copy()):
        assert other == fields
        assert type(other) is Fields
        assert type(other.c[0]) is Fields
    assert copy.deepcopy(Fields(__deepcopy__=1, __reduce_ex__=2)) == {"__deepcopy__": 1, "__reduce_ex__": 2}
    with pytest.raises(TypeError, match="unhashable"):
        hash(fields)


def test_plain_values_are_taken_over_by_value() -> None:
    """A plain dict that was set is not shared; fields of another object are."""
    mine: dict[str, Any] = {"a": 1}
    obj = widget()
    obj.spec = mine
    mine["a"] = 2
    assert obj.spec.a == 1
    other = widget()
    other.spec = obj.spec
    assert other.spec is obj.spec


def test_the_repr_of_a_secret_hides_its_values() -> None:
    """In the plain form too; of another kind everything is shown."""
    secret = Unstructured.from_dict({"apiVersion": "v1", "kind": "Secret", "data": {"k": "aHVudGVyMg=="}, "type": "T"})
    assert "aHVudGVyMg" not in repr(secret)
    assert "data" in repr(secret)
    assert "'type': 'T'" in repr(secret)
    assert "'kept': True" in repr(widget())


def test_metadata_only() -> None:
    """It keeps what its type does not know as well."""
    obj = read(PartialObjectMetadata, b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","x":1.10},"y":1}')
    assert (obj.kind, obj.metadata.name) == ("Pod", "a")
    obj.metadata.labels = {"a": "b"}
    assert b'"x":1.10' in write(obj)
    assert b'"y":1' in write(obj)
    built = PartialObjectMetadata(api_version="v1", kind="Pod", metadata=ObjectMeta(name="a"))
    assert json.loads(write(built)) == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"p": "hunter2"}}
APPLIED = {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "hunter2"}}


@pytest.mark.parametrize(
    "content",
    [
        SECRET,
        {"apiVersion": "v1", "kind": "Secret", "stringData": {"p": "hunter2"}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": APPLIED},
        {"apiVersion": "v1", "kind": "List", "items": [SECRET, 1]},
        {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "List", "items": [SECRET]}]},
        {"apiVersion": "v1", "kind": "SecretList", "items": [{"data": {"p": "hunter2"}, "metadata": APPLIED}]},
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "status": {"token": "hunter2"}},
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "hunter2"}},
    ],
)
def test_no_repr_shows_a_secret(content: dict[str, Any]) -> None:
    """Secrets are hidden by kind, in lists too."""
    shown = repr(Unstructured.from_dict(content))
    assert "hunter2" not in shown
    assert "<redacted>" in shown


def test_a_repr_shows_what_is_no_secret() -> None:
    """Another group's Secret, a token that is somewhere else and odd content are shown as they are."""
    other = {"apiVersion": "example.com/v1", "kind": "Secret", "data": {"p": "shown"}, "items": 5}
    assert "shown" in repr(Unstructured.from_dict(other))
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "status": "shown"}
    assert "shown" in repr(Unstructured.from_dict(request))
