from typing import Any

import pytest

from konverge.cluster.apiserver.cel.declared_type import declared_type
from konverge.cluster.apiserver.cel.estimate import Estimate

REQUEST = 3 * 1024 * 1024


@pytest.mark.parametrize(
    ("schema", "shown", "most", "least"),
    [
        ({"type": "string"}, "string", REQUEST - 2, 2),
        ({"type": "string", "maxLength": 5}, "string", 20, 2),
        ({"type": "string", "enum": ["a", "bé"]}, "string", 3, 2),
        ({"type": "string", "format": "byte", "maxLength": 5}, "bytes", 5, 2),
        ({"type": "string", "format": "date-time", "maxLength": 5}, "timestamp", 32, 21),
        ({"type": "string", "format": "duration"}, "duration", 32, 3),
        ({"type": "integer"}, "int", 0, 1),
        ({"type": "number"}, "double", 0, 1),
        ({"type": "boolean", "nullable": True}, "bool", 0, 4),
        ({"x-kubernetes-int-or-string": True, "maxLength": 3}, "dyn", 12, 1),
        ({"type": "array", "items": {"type": "integer"}}, "list(int)", (REQUEST - 2) // 2, 2),
        ({"type": "array", "maxItems": 3, "items": {"type": "string"}}, "list(string)", 3, 2),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "map(string, string)", (REQUEST - 2) // 8, 2),
        ({"type": "object", "properties": {"ab": {"type": "boolean"}}, "required": ["ab"]}, "T", 0, 12),
        ({"type": "object", "properties": {"a": {"type": "string", "default": ""}}, "required": ["a"]}, "T", 0, 2),
    ],
)
def test_type(schema: dict[str, Any], shown: str, most: int, least: int) -> None:
    """A schema has a type, the most elements it allows, and the least bytes of a value."""
    declared = declared_type(schema)
    assert declared is not None
    assert (str(declared.named("T", {})), declared.max_elements, declared.min_size) == (shown, most, least)


@pytest.mark.parametrize(
    "schema", [{}, {"type": "array"}, {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}}]
)
def test_no_type(schema: dict[str, Any]) -> None:
    """What is unknown has no type."""
    assert declared_type(schema) is None


def test_fields() -> None:
    """An object's fields are named by identifiers; what has no type or no such name is left out."""
    schema = {"type": "object", "properties": {"a-b": {"type": "object"}, "1x": {"type": "string"}, "any": {}}}
    declared = declared_type(schema)
    structs: dict[str, Any] = {}
    assert declared is not None
    declared.named("T", structs)
    assert {name: list(fields) for name, fields in structs.items()} == {"T": ["a__dash__b"], "T.a__dash__b": []}


def test_resource_root() -> None:
    """A whole resource has its kind and its name, also where its schema says nothing of them."""
    declared = declared_type({"type": "object"}, is_resource_root=True)
    assert declared is not None
    assert declared.fields is not None
    assert list(declared.fields) == ["kind", "apiVersion", "metadata"]


def test_size_of_a_path() -> None:
    """A path leads from a variable through fields, items, values and keys to a size."""
    items = {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 2}}
    declared = declared_type({"type": "object", "properties": {"m": {"type": "object", "additionalProperties": items}}})
    assert declared is not None
    assert declared.size_of(["self", "m", "@values"]) == Estimate(0, 3)
    assert declared.size_of(["self", "m", "@values", "@items"]) == Estimate(0, 8)
    assert declared.size_of(["self", "m", "@keys"]) == Estimate(0, 0)
    assert declared.size_of(["self", "x"]) is None
