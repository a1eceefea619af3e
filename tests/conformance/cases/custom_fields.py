"""Custom resources: unknown fields, defaults, and what is kept as it came."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import crd, custom, custom_path, of_spec

case = Cases("custom field")
TEXT = {"type": "string"}
OPEN = {"x-kubernetes-preserve-unknown-fields": True}


def _kind(script: Script, plural: str, /, **properties: Any) -> str:
    """Define a kind whose spec has these properties; return its path."""
    script.given(crd(plural, of_spec(**properties)))
    return custom_path(plural)


def _three(s: Script, path: str, body: dict[str, Any]) -> None:
    for way in ("Ignore", "Warn", "Strict"):
        s.post(path, body, dryRun="All", fieldValidation=way)


@case("unknown at the top")
def _(s: Script) -> None:
    path = _kind(s, "tops", a=TEXT)
    _three(s, path, custom("tops", "a", extra=1, spec={"a": "x"}))


@case("unknown at depth")
def _(s: Script) -> None:
    entry = {"type": "object", "properties": {"name": TEXT, "inner": {"type": "object", "properties": {"z": TEXT}}}}
    path = _kind(
        s, "depths", list={"type": "array", "items": entry}, map={"type": "object", "additionalProperties": entry}
    )
    _three(s, path, custom("depths", "a", spec={"list": [{"name": "a"}, {"inner": {"z": "1", "y": 2}}]}))
    _three(s, path, custom("depths", "a", spec={"map": {"k": {"name": "a", "x": 1}}}))
    _three(s, path, custom("depths", "a", spec={"one": 1, "list": [{"two": 2}]}))


@case("unknown in metadata")
def _(s: Script) -> None:
    path = _kind(s, "metas", a=TEXT)
    _three(s, path, custom("metas", "a", metadata={"colour": "red"}))
    _three(s, path, custom("metas", "a", metadata={"ownerReferences": [{"kindly": 1}]}))


@case("twice in one object")
def _(s: Script) -> None:
    path = _kind(s, "doubles", a=TEXT, m={"type": "object", "additionalProperties": TEXT})
    head = b'{"apiVersion":"doubles.example.com/v1","kind":"Double","metadata":{"name":"a"},'
    for body in (
        b'"spec":{"a":"1","a":"2"}}',
        b'"spec":{"a":"1"},"spec":{"a":"2"}}',
        b'"spec":{"m":{"k":"1","k":"2"},"b":1}}',
    ):
        for way in ("Ignore", "Warn", "Strict"):
            s.post(path, head + body, dryRun="All", fieldValidation=way)


@case("in YAML, unknown and twice")
def _(s: Script) -> None:
    path = _kind(s, "yamls", a=TEXT)
    text = b"apiVersion: yamls.example.com/v1\nkind: Yaml\nmetadata:\n  name: a\nspec:\n  a: x\n  b: y\n  a: z\n"
    for way in ("Ignore", "Warn", "Strict"):
        s.post(path, text, dryRun="All", fieldValidation=way, headers={"Content-Type": "application/yaml"})


@case("judged in an unknown way")
def _(s: Script) -> None:
    path = _kind(s, "ways", a=TEXT)
    s.post(path, custom("ways", "a"), fieldValidation="Perhaps")
    s.post(path, custom("ways", "a"), dryRun="Some")


@case("unknown in patches")
def _(s: Script) -> None:
    path = _kind(s, "patcheds", a=TEXT)
    s.post(path, custom("patcheds", "a", spec={"a": "x"}))
    for way in ("Ignore", "Warn", "Strict"):
        s.patch(f"{path}/a", {"spec": {"b": 1}}, fieldValidation=way)
        s.patch(f"{path}/a", [{"op": "add", "path": "/spec/c", "value": 1}], kind="json", fieldValidation=way)
        s.apply(f"{path}/a", custom("patcheds", "a", spec={"d": 1}), fieldValidation=way)
        s.put(f"{path}/a", custom("patcheds", "a", spec={"e": 1}), fieldValidation=way)


@case("kept at the top")
def _(s: Script) -> None:
    s.given(
        crd("opens", {"type": "object", **OPEN, "properties": {"spec": {"type": "object", "properties": {"a": TEXT}}}})
    )
    _three(s, custom_path("opens"), custom("opens", "a", extra={"x": 1}, spec={"a": "x", "b": 1}))


@case("kept below, and pruned below that")
def _(s: Script) -> None:
    inner = {"type": "object", "properties": {"z": TEXT}}
    path = _kind(s, "keepers", o={"type": "object", **OPEN, "properties": {"inner": inner}})
    _three(s, path, custom("keepers", "a", spec={"o": {"x": 1, "inner": {"z": "1", "y": 2}}}))


@case("in embedded objects")
def _(s: Script) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": TEXT}}}}
    path = _kind(s, "nesteds", o={**schema, "x-kubernetes-embedded-resource": True})
    inner = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "n", "odd": 1}, "spec": {"a": "x", "b": 1}, "c": 1}
    _three(s, path, custom("nesteds", "a", spec={"o": inner}))


@case("with defaults")
def _(s: Script) -> None:
    deep = {"type": "object", "properties": {"b": {**TEXT, "default": "deep"}, "c": {"type": "integer"}}}
    path = _kind(
        s,
        "defaults",
        a={**TEXT, "default": "x"},
        none=deep,
        made={**deep, "default": {"c": 1}},
        list={"type": "array", "items": deep},
        map={"type": "object", "additionalProperties": deep},
        many={"type": "array", "items": {"type": "integer"}, "default": [1, 2]},
    )
    s.post(path, custom("defaults", "a"))
    s.post(path, custom("defaults", "b", spec={}))
    s.post(path, custom("defaults", "c", spec={"none": {}, "list": [{}, {"b": "y"}], "map": {"k": {}}, "many": []}))
    s.patch(f"{path}/c", {"spec": {"a": None, "made": None}})
    s.put(f"{path}/b", custom("defaults", "b", spec={"a": "y"}))
    s.get(path)


@case("with null and a default")
def _(s: Script) -> None:
    path = _kind(
        s,
        "nulls",
        a={**TEXT, "default": "x"},
        b={**TEXT, "default": "x", "nullable": True},
        c={**TEXT, "nullable": True},
        d=TEXT,
        l={"type": "array", "items": {**TEXT, "nullable": True}},
    )
    s.post(path, custom("nulls", "a", spec={"a": None}))
    s.post(path, custom("nulls", "b", spec={"b": None}))
    s.post(path, custom("nulls", "c", spec={"c": None}))
    s.post(path, custom("nulls", "d", spec={"d": None}))
    s.post(path, custom("nulls", "e", spec={"l": [None]}))


@case("with defaults in the status")
def _(s: Script) -> None:
    schema = of_spec(a=TEXT)
    schema["properties"]["status"] = {
        "type": "object",
        "default": {},
        "properties": {"phase": {**TEXT, "default": "New"}},
    }
    s.given(crd("phases", schema, subresources={"status": {}}))
    path = custom_path("phases")
    s.post(path, custom("phases", "a", status={"phase": "Mine"}))
    s.patch(f"{path}/a/status", {"status": {"phase": None}})
    s.patch(f"{path}/a/status", {"status": {"phase": "Done"}})
    s.put(f"{path}/a", custom("phases", "a", spec={"a": "y"}))


@case("at the top, of a kind without spec")
def _(s: Script) -> None:
    s.given(crd("flats", {"type": "object", "properties": {"a": {**TEXT, "default": "x"}, "n": {"type": "integer"}}}))
    path = custom_path("flats")
    s.post(path, custom("flats", "a", n=3))
    s.patch(f"{path}/a", {"n": 4})
    s.patch(f"{path}/a", {"n": 4.5})


@case("with numbers as they are written")
def _(s: Script) -> None:
    path = _kind(s, "numbers", n={"type": "number"}, i={"type": "integer"}, x=OPEN)
    head = b'{"apiVersion":"numbers.example.com/v1","kind":"Number","metadata":{"name":"a"},"spec":'
    for spec in (
        b'{"n":1.0}',
        b'{"n":1e3}',
        b'{"n":1.5e-9}',
        b'{"n":1e21}',
        b'{"i":1.0}',
        b'{"i":1e2}',
        b'{"x":[1.0,1e2]}',
    ):
        s.post(path, head + spec + b"}", dryRun="All")


@case("of a schema that says nothing")
def _(s: Script) -> None:
    s.given(crd("silents", {"type": "object"}))
    path = custom_path("silents")
    s.post(path, custom("silents", "a", spec={"a": 1}, status={}))
    s.given(crd("hollows", {"type": "object", "properties": {"spec": {"type": "object"}}}))
    s.post(custom_path("hollows"), custom("hollows", "a", spec={"a": 1}))
