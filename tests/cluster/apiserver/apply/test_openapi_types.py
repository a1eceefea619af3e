from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.apply.comparison import whole
from konverge.cluster.apiserver.apply.openapi_types import OpenApiTypes, custom_type
from konverge.cluster.apiserver.apply.reconciliation import reconciled
from konverge.cluster.apiserver.apply.types import DEDUCED, UNTYPED_ATOMIC, Form, Scalar, Type
from konverge.cluster.apiserver.apply.validation import validate

QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
RAW = "io.k8s.apimachinery.pkg.runtime.RawExtension"


def reference(name: str, **more: Any) -> dict[str, Any]:
    """Return a reference as the real server writes one beside a default."""
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}], "default": {}, **more}


COMPONENTS: dict[str, Any] = {
    "Node": {
        "type": "object",
        "properties": {
            "children": {"type": "array", "items": reference("Node"), "x-kubernetes-list-type": "atomic"},
            "left": reference("Node"),
            "whole": reference("Node", **{"x-kubernetes-map-type": "atomic"}),
            "size": reference(QUANTITY),
            "raw": {"$ref": f"#/components/schemas/{RAW}"},
            "port": reference("IntOrString"),
            "time": {"type": "string", "format": "date-time"},
            "merged": {
                "type": "array",
                "items": reference("Node"),
                "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": "time",
            },
            "retained": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "retainKeys"},
            "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
        },
    },
    QUANTITY: {"oneOf": [{"type": "string"}, {"type": "number"}]},
    RAW: {"type": "object"},
    "IntOrString": {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]},
}


@pytest.fixture
def fields() -> dict[str, Type]:
    """Return the types of the fields of a component that refers to itself."""
    node = OpenApiTypes(COMPONENTS).type("Node")
    assert node.map is not None
    assert node.map.element is None
    return node.map.fields


def test_references(fields: dict[str, Type]) -> None:
    """A component is one type wherever it is referred to, unless a field says otherwise of it."""
    left, atomic = fields["left"].map, fields["whole"].map
    assert left is not None
    assert atomic is not None
    assert left.fields is atomic.fields
    assert (left.is_atomic, atomic.is_atomic) == (False, True)


def test_components_with_a_form_of_their_own(fields: dict[str, Type]) -> None:
    """Quantities are scalars of any kind, raw extensions one thing, and numbers or texts either."""
    assert fields["size"].scalar is Scalar.UNTYPED
    assert fields["size"].map is None
    assert fields["raw"] is UNTYPED_ATOMIC
    assert fields["port"].form(1) is fields["port"].form("a") is Form.SCALAR
    assert fields["time"].scalar is Scalar.UNTYPED


def test_lists(fields: dict[str, Type]) -> None:
    """The list's type decides; without one, how a strategic merge treats it."""
    kinds = {name: kind.list for name, kind in fields.items() if kind.list and not kind.map}
    assert {name: (kind.is_atomic, kind.keys) for name, kind in kinds.items() if kind} == {
        "children": (True, ()),
        "merged": (False, ("time",)),
        "retained": (True, ()),
        "finalizers": (False, ()),
    }


def test_a_component_that_is_not_there() -> None:
    """It is no type."""
    with pytest.raises(KeyError):
        OpenApiTypes(COMPONENTS).type("Nothing")


def test_custom_schemas() -> None:
    """Unknown fields are kept where the schema says so, and below; embedded objects have metadata."""
    schema = {
        "type": "object",
        "properties": {
            "closed": {"type": "object", "properties": {"a": {"type": "string"}}},
            "free": {"type": "object"},
            "open": {
                "type": "object",
                "properties": {"in": {"type": "object", "properties": {"a": {"type": "string"}}}},
                "x-kubernetes-preserve-unknown-fields": True,
            },
            "embedded": {"type": "object", "x-kubernetes-embedded-resource": True},
        },
    }
    root = custom_type(schema).map
    assert root is not None
    parts = {name: root.fields[name].map for name in ("closed", "free", "open", "embedded", "metadata")}
    elements = {name: part.element for name, part in parts.items() if part}
    assert elements == {"closed": None, "free": DEDUCED, "open": DEDUCED, "embedded": None, "metadata": None}
    inner = parts["open"]
    assert inner is not None
    assert inner.fields["in"].map is not None
    assert inner.fields["in"].map.element is DEDUCED
    embedded = parts["embedded"]
    assert embedded is not None
    assert embedded.fields["metadata"] is root.fields["metadata"]


def test_without_a_schema_everything_is_read_off_the_value() -> None:
    """Maps have owners for each key, lists have one."""
    kind = custom_type(None)
    validate(kind, {"a": {"b": [1, {"c": 2}]}}, allows_duplicates=False)
    assert whole(kind, {"a": {"b": [1]}}) == {".": {}, "f:a": {".": {}, "f:b": {}}}


def test_a_granular_part_that_is_atomic_now() -> None:
    """Who owned something in it owns it as a whole; an open part is left alone."""
    atomic = {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-map-type": "atomic"}
    items = {"type": "array", "items": {"type": "string"}}
    open_part = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    kind = custom_type({"type": "object", "properties": {"one": atomic, "items": items, "open": open_part}})
    left_alone = {"f:open": {"f:a": {"f:b": {}}}, "f:one": {}, "f:gone": {"f:x": {}}}
    assert reconciled(left_alone, kind) is left_alone
    before: dict[str, Any] = {"f:one": {"f:a": {}}, "f:items": {'v:"x"': {}}, "f:open": {"f:a": {}}}
    assert reconciled(before, kind) == {"f:one": {}, "f:items": {}, "f:open": {"f:a": {}}}
