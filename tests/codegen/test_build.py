"""From schemas to types."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.codegen import crd
from konverge.codegen.build import build
from konverge.codegen.emit import emit
from konverge.errors import ConfigError


def crd_of(properties: dict[str, Any], *, kind: str = "Thing", group: str = "test.dev") -> dict[str, Any]:
    """Return a CRD whose spec has these properties."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": f"{kind.lower()}s"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def source_of(properties: dict[str, Any], **names: str) -> str:
    """Return the module that is generated for such a CRD."""
    (module,) = build(crd.definitions([crd_of(properties, **names)], source="test"), source="a test")
    return emit(module)


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        ({"type": "string"}, "a: str | None = None"),
        ({"type": "string", "format": "date-time"}, "a: datetime | None = None"),
        ({"type": "string", "format": "byte"}, "a: bytes | None = None"),
        ({"type": "string", "format": "password"}, "a: Annotated[str | None, Sensitive()] = None"),
        ({"type": "string", "enum": ["x"], "default": "x"}, "a: str | None = None"),
        ({"type": "number"}, "a: float | None = None"),
        ({"x-kubernetes-int-or-string": True}, "a: int | str | None = None"),
        ({"anyOf": [{"type": "boolean"}, {"type": "string"}]}, "a: bool | str | None = None"),
        ({"oneOf": [{"type": "object"}, {"type": "string"}]}, "a: Any = None"),
        ({"x-kubernetes-preserve-unknown-fields": True}, "a: Any = None"),
        ({"type": "object"}, "a: dict[str, Any] | None = None"),
        ({"type": "object", "additionalProperties": True}, "a: dict[str, Any] | None = None"),
        (
            {"type": "object", "additionalProperties": {"type": "integer", "nullable": True}},
            "a: dict[str, int | None] | None = None",
        ),
        ({"type": "array"}, "a: list[Any] | None = None"),
        (
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "a: Annotated[list[str] | None, ListSet()] = None",
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
            "a: Annotated[dict[str, str] | None, MapAtomic()] = None",
        ),
    ],
)
def test_types(schema: dict[str, Any], line: str) -> None:
    """Each shape of a schema has its Python type; enums and defaults leave no trace."""
    assert f"    {line}\n" in source_of({"a": schema})


def test_list_map_keys_carry_their_defaults() -> None:
    """A key that the server fills in is known to the marker, even if it is no Python name."""
    properties: dict[str, Any] = {
        "a": {"type": "string"},
        "b": {"type": "string", "default": "TCP"},
        "c-d": {"type": "integer", "default": 1},
    }
    item = {"type": "object", "required": ["a"], "properties": properties}
    keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b", "c-d"]}
    text = source_of({"list": {"type": "array", "items": item, **keys}})
    assert 'ListMap("a", "b", "c-d", b="TCP", **{"c-d": 1})' in text
    assert "list_: Annotated[list[ThingSpecList] | None" in text


def test_nested_classes_with_the_same_path_are_numbered() -> None:
    """`fooBar` and `foo.bar` would be one class name, so the second gets a number."""
    leaf = {"type": "object", "properties": {"x": {"type": "string"}}}
    text = source_of({"fooBar": leaf, "foo": {"type": "object", "properties": {"bar": leaf}}})
    assert "class ThingSpecFooBar(Model)" in text
    assert "class ThingSpecFooBar2(Model)" in text
    assert '"""The spec.foo.bar of a Thing."""' in text


def test_a_kind_may_be_called_like_something_of_konverge() -> None:
    """The import steps aside, not the kind."""
    text = source_of({"a": {"type": "string"}}, kind="Object")
    assert "from konverge.api.object import Object as _Object" in text
    assert "class Object(_Object):" in text


def test_the_same_kind_twice_is_refused() -> None:
    """One sentence names both."""
    twice = crd.definitions([crd_of({}), crd_of({})], source="test")
    with pytest.raises(ConfigError, match=r"two kinds for the class Thing: test.dev/v1.Thing and test.dev/v1.Thing"):
        build(twice, source="a test")


def test_crds_of_an_old_version_are_refused() -> None:
    """The message says what to do."""
    with pytest.raises(ConfigError, match=r"things.test.dev is of .*v1beta1: convert it to apiextensions.k8s.io/v1"):
        crd.definitions([crd_of({}) | {"apiVersion": "apiextensions.k8s.io/v1beta1"}], source="test")


@pytest.mark.parametrize("part", ["group", "scope", "names", "versions"])
def test_incomplete_crds_are_refused(part: str) -> None:
    """The message names the part that is missing."""
    broken = crd_of({})
    del broken["spec"][part]
    with pytest.raises(ConfigError, match=f"things.test.dev is not complete: it has no '{part}'"):
        crd.definitions([broken], source="test")


def test_documents_without_a_crd_are_refused() -> None:
    """Other objects and empty documents are passed over, but something must be left."""
    with pytest.raises(ConfigError, match=r"bundle\.yaml: there is no CustomResourceDefinition"):
        crd.definitions([None, {"kind": "Deployment"}, "text", {"kind": "List", "items": []}], source="bundle.yaml")
