"""Server-side apply on custom resources: who owns what, and who may change it."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, custom, custom_path, of_spec

case = Cases("apply")
TEXT = {"type": "string"}
PATH = custom_path("applies")
A = f"{PATH}/a"
ENTRY = {
    "type": "object",
    "properties": {"k": TEXT, "v": TEXT, "p": {"type": "integer", "default": 1}},
    "required": ["k"],
}
KEYED = {"type": "array", "items": ENTRY, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
PROPERTIES: dict[str, Any] = {
    "a": TEXT,
    "b": TEXT,
    "n": {"type": "integer"},
    "default": {**TEXT, "default": "made"},
    "map": {"type": "object", "additionalProperties": TEXT},
    "object": {"type": "object", "properties": {"x": TEXT, "y": TEXT}},
    "atom": {"type": "object", "properties": {"x": TEXT, "y": TEXT}, "x-kubernetes-map-type": "atomic"},
    "list": {"type": "array", "items": TEXT},
    "set": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
    "keyed": KEYED,
    "two": {**KEYED, "x-kubernetes-list-map-keys": ["k", "p"]},
    "deep": {"type": "object", "properties": {"keyed": KEYED}},
    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}


def _kind(s: Script) -> None:
    schema = of_spec(**PROPERTIES)
    schema["properties"]["status"] = {"type": "object", "properties": {"phase": TEXT, "keyed": KEYED}}
    s.given(crd("applies", schema, subresources={"status": {}}))


def _of(
    name: str = "a", /, *, metadata: dict[str, Any] | None = None, status: Any = None, **spec: Any
) -> dict[str, Any]:
    made = custom("applies", name, metadata=metadata, spec=spec)
    return made if status is None else {**made, "status": status}


@case("that creates")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1", keyed=[{"k": "x", "v": "1"}]))
    s.get(A)


@case("without a manager, a name or a kind")
def _(s: Script) -> None:
    _kind(s)
    s.patch(A, _of(a="1"), kind="apply")
    s.apply(A, {"apiVersion": "applies.example.com/v1", "kind": "Applie", "spec": {"a": "1"}})
    s.apply(A, _of("b", a="1"))
    s.apply(A, {"metadata": {"name": "a"}})
    s.apply(A, {**_of(a="1"), "kind": "Other"})
    s.apply(A, {**_of(a="1"), "apiVersion": "applies.example.com/v2"})
    s.apply(A, {**_of(a="1"), "apiVersion": "v1"})


@case("of what is no object")
def _(s: Script) -> None:
    _kind(s)
    for body in (b"", b"[]", b"a: b: c", b"x", b"{", b"null"):
        s.apply(A, body)


@case("in YAML")
def _(s: Script) -> None:
    _kind(s)
    text = b"apiVersion: applies.example.com/v1\nkind: Applie\nmetadata: {name: a}\nspec:\n  a: yes\n"
    s.apply(A, text)
    s.apply(A, text.replace(b"yes", b"'yes'"))
    twice = text.replace(b"a: yes", b"b: 'x'\n  b: 'y'")
    for way in ("Ignore", "Warn", "Strict"):
        s.apply(A, twice, fieldValidation=way)


@case("with managedFields or a wrong version")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(metadata={"managedFields": [{"manager": "x", "operation": "Apply"}]}, a="1"))
    s.apply(A, _of(metadata={"resourceVersion": "1"}, a="1"))
    made = s.apply(A, _of(a="1"))["metadata"]
    s.apply(A, _of(metadata={"resourceVersion": "1"}, a="2"))
    s.apply(A, _of(metadata={"resourceVersion": made["resourceVersion"]}, a="2"))
    s.apply(A, _of(metadata={"uid": "x"}, a="2"))
    s.apply(f"{PATH}/b", _of("b", metadata={"uid": "x"}, a="2"))


@case("twice the same")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1", map={"x": "1"}))
    s.apply(A, _of(a="1", map={"x": "1"}))
    s.get(A)


@case("that leaves fields out")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1", b="2", object={"x": "1", "y": "2"}))
    s.apply(A, _of(a="1", object={"x": "1"}))
    s.apply(A, _of(a="1"))
    s.apply(A, _of())
    s.apply(A, custom("applies", "a"))


@case("that meets another manager")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1", b="1"), manager="one")
    s.apply(A, _of(a="2"), manager="two")
    s.apply(A, _of(a="1"), manager="two")
    s.apply(A, _of(a="3", b="3"), manager="two")
    s.apply(A, _of(a="3", b="3"), manager="two", force="true")
    s.apply(A, _of(a="1", b="1"), manager="one")
    s.apply(A, _of(b="3"), manager="one")


@case("that shares a field and gives it up")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1", b="1"), manager="one")
    s.apply(A, _of(a="1"), manager="two")
    s.apply(A, _of(b="1"), manager="one")
    s.apply(A, _of(b="1"), manager="two")
    s.apply(A, _of(), manager="one")


@case("after updates and patches")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, _of(a="1", b="1"), fieldManager="maker")
    s.apply(A, _of(a="2"))
    s.apply(A, _of(a="2"), force="true")
    s.patch(A, {"spec": {"a": "3"}}, fieldManager="patcher")
    s.apply(A, _of(a="2"))
    s.put(A, _of(a="4"), fieldManager="putter")
    s.get(A)


@case("over a list by keys")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(keyed=[{"k": "x", "v": "1"}, {"k": "y"}]), manager="one")
    s.apply(A, _of(keyed=[{"k": "z", "v": "1"}]), manager="two")
    s.apply(A, _of(keyed=[{"k": "x", "v": "2"}]), manager="two")
    s.apply(A, _of(keyed=[{"k": "y", "v": "2"}]), manager="two")
    s.apply(A, _of(keyed=[{"k": "x", "v": "1"}]), manager="one")
    s.apply(A, _of(keyed=[]), manager="one")


@case("over a list by two keys, one with a default")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(two=[{"k": "x", "v": "1"}, {"k": "x", "p": 2}]), manager="one")
    s.apply(A, _of(two=[{"k": "x", "p": 1, "v": "2"}]), manager="two")
    s.apply(A, _of(two=[{"k": "x", "p": 3, "v": "2"}]), manager="two")
    s.apply(A, _of(two=[{"k": "x", "p": 2}]), manager="one")


@case("over a list by keys, with faults")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(keyed=[{"v": "1"}]))
    s.apply(A, _of(keyed=[{"k": "x"}, {"k": "x"}]))
    s.apply(A, _of(keyed=["x"]))
    s.apply(A, _of(keyed={"k": "x"}))
    s.apply(A, _of(keyed=[None]))


@case("over sets")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(set=["a", "b"]), manager="one")
    s.apply(A, _of(set=["c", "b"]), manager="two")
    s.apply(A, _of(set=["a"]), manager="one")
    s.apply(A, _of(set=["c", "c"]), manager="two")
    s.apply(A, _of(set=[]), manager="two")
    s.apply(A, _of(), manager="one")


@case("over lists and objects that are one")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(list=["a", "b"], atom={"x": "1"}), manager="one")
    s.apply(A, _of(list=["c"]), manager="two")
    s.apply(A, _of(atom={"y": "1"}), manager="two")
    s.apply(A, _of(list=["c"], atom={"y": "1"}), manager="two", force="true")
    s.apply(A, _of(), manager="two")


@case("over maps of any keys")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(map={"a": "1", "b": "1"}), manager="one")
    s.apply(A, _of(map={"c": "1"}), manager="two")
    s.apply(A, _of(map={"a": "2"}), manager="two")
    s.apply(A, _of(map={}), manager="one")
    s.apply(A, _of(), manager="two")


@case("over what has no schema")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(free={"a": 1, "l": [{"x": 1}]}), manager="one")
    s.apply(A, _of(free={"b": {"c": 2}}), manager="two")
    s.apply(A, _of(free={"l": [{"x": 2}]}), manager="two")
    s.apply(A, _of(free={}), manager="one")


@case("of fields that are not in the schema")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(unknown="1"))
    s.apply(A, {**_of(a="1"), "extra": 1})
    s.apply(A, _of(object={"z": "1"}))
    s.apply(A, _of(metadata={"colour": "red"}))


@case("of values of the wrong type")
def _(s: Script) -> None:
    _kind(s)
    for spec in ({"a": 1}, {"n": "x"}, {"object": "x"}, {"list": "x"}, {"map": {"a": 1}}, {"set": [1]}, {"a": None}):
        s.apply(A, _of(**spec))
    s.apply(A, custom("applies", "a", spec="x"))


@case("of nulls")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1", object={"x": "1"}))
    for name in ("a", "object", "list", "map", "keyed", "default"):
        s.apply(A, _of(**{name: None}))


@case("of labels, annotations and finalizers")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(metadata={"labels": {"a": "1"}, "annotations": {"b": "1"}, "finalizers": ["example.com/a"]}))
    s.apply(A, _of(metadata={"labels": {"c": "1"}, "finalizers": ["example.com/b"]}), manager="two")
    s.apply(A, _of(metadata={"labels": {"a": "2"}}), manager="two")
    s.apply(A, _of(metadata={"labels": {}}))
    s.apply(A, _of(metadata={"finalizers": []}), manager="two")


@case("of owners")
def _(s: Script) -> None:
    _kind(s)
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "8f1e7c1e-0000-4000-8000-000000000001"}
    other = {**owner, "uid": "8f1e7c1e-0000-4000-8000-000000000002", "controller": True}
    s.apply(A, _of(metadata={"ownerReferences": [owner]}), manager="one")
    s.apply(A, _of(metadata={"ownerReferences": [other]}), manager="two")
    s.apply(A, _of(metadata={"ownerReferences": [{**owner, "name": "y"}]}), manager="two")
    s.apply(A, _of(), manager="one")


@case("of the status")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1", status={"phase": "ignored"}))
    s.apply(f"{A}/status", _of(status={"phase": "x", "keyed": [{"k": "a"}]}), manager="controller")
    s.apply(f"{A}/status", _of(a="2", status={"phase": "y"}), manager="controller")
    s.apply(f"{A}/status", _of(status={"phase": "z"}), manager="other")
    s.apply(f"{A}/status", custom("applies", "a", status={"phase": "z"}), manager="other", force="true")
    s.apply(A, _of(a="1", b="2"))
    s.apply(f"{PATH}/none/status", _of("none", status={"phase": "x"}))


@case("that resets managedFields")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1"), manager="one")
    s.patch(A, {"metadata": {"managedFields": []}})
    s.patch(A, {"metadata": {"managedFields": [{}]}})
    s.patch(A, {"metadata": {"managedFields": None}})
    s.apply(A, _of(a="1", b="2"), manager="two")
    s.patch(A, [{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}], kind="json")


@case("that writes managedFields by hand")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, _of(a="1"))
    entry = {"manager": "hand", "operation": "Apply", "apiVersion": "applies.example.com/v1", "fieldsType": "FieldsV1"}
    for changed in (
        {**entry, "fieldsV1": {"f:spec": {"f:a": {}}}},
        {**entry, "operation": "Nonsense", "fieldsV1": {}},
        {**entry, "fieldsType": "FieldsV2", "fieldsV1": {}},
        {**entry, "fieldsV1": {"x:spec": {}}},
        {**entry, "manager": "x" * 200, "fieldsV1": {}},
        {**entry, "apiVersion": "", "fieldsV1": {}},
    ):
        s.patch(A, {"metadata": {"managedFields": [changed]}})


@case("with forcing said badly")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1"), force="perhaps")
    s.patch(A, {"spec": {"a": "1"}}, force="true")
    s.apply(A, _of(a="1"), manager="x" * 129)
    s.apply(A, _of(a="1"), manager="")


@case("of an object that is being deleted")
def _(s: Script) -> None:
    _kind(s)
    s.post(PATH, _of(metadata={"finalizers": ["example.com/hold"]}, a="1"))
    s.delete(A)
    s.apply(A, _of(a="2"), force="true")
    s.apply(A, _of(metadata={"finalizers": ["example.com/more"]}))
    s.patch(A, {"metadata": {"finalizers": None}})
    s.apply(A, _of(a="3"))


@case("of defaults")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(a="1"), manager="one")
    s.apply(A, _of(default="made"), manager="two")
    s.apply(A, _of(default="other"), manager="one")
    s.apply(A, _of(default="mine"), manager="two")
    s.apply(A, _of(), manager="two")


@case("deep in a list")
def _(s: Script) -> None:
    _kind(s)
    s.apply(A, _of(deep={"keyed": [{"k": "x", "v": "1"}]}), manager="one")
    s.apply(A, _of(deep={"keyed": [{"k": "x", "v": "2"}]}), manager="two")
    s.apply(A, _of(deep={"keyed": [{"k": "x"}]}), manager="two")
    s.apply(A, _of(deep={}), manager="one")
    s.apply(A, _of(), manager="two")


@case("after the schema has changed")
def _(s: Script) -> None:
    s.given(crd("reapplies", of_spec(l={"type": "array", "items": TEXT}, m=PROPERTIES["object"])))
    path = f"{custom_path('reapplies')}/a"
    s.apply(path, custom("reapplies", "a", spec={"l": ["a"], "m": {"x": "1"}}), manager="one")
    schema = of_spec(l=PROPERTIES["set"], m=PROPERTIES["atom"], new={**TEXT, "default": "seen"})
    change = [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": schema}]
    s.patch(f"{CRDS}/reapplies.reapplies.example.com", change, kind="json")
    s.until(path, holding='"new":"seen"')
    s.apply(path, custom("reapplies", "a", spec={"l": ["b"]}), manager="two")
    s.apply(path, custom("reapplies", "a", spec={"m": {"y": "1"}}), manager="two")
    s.apply(path, custom("reapplies", "a", spec={"l": ["a"], "m": {"x": "1"}}), manager="one")
