"""The rules of strategic merge patches for a built-in kind, read off its schema."""

from __future__ import annotations

from functools import cache
from typing import Any

from konverge.api.patch_schema import PatchField
from konverge.cluster.apiserver.builtin.catalogue import schema_name
from konverge.cluster.apiserver.builtin.schemas import REFERENCE, JsonSchema, schemas
from konverge.cluster.apiserver.writing.expected import Expected


class SchemaRules:
    """Looks fields up when they are asked for: a kind may contain itself."""

    def __init__(self, schema: JsonSchema) -> None:
        self._fields: dict[str, Any] = schema.get("properties", {})
        self._found: dict[str, PatchField] = {}

    def get(self, name: str, /) -> PatchField | None:
        """Return the rules of a field."""
        schema = self._fields.get(name)
        if schema is None:
            return None
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = _field(schema)
        return found


def _field(schema: JsonSchema) -> PatchField:
    strategy = schema.get("x-kubernetes-patch-strategy", "")
    return PatchField(
        strategy=tuple(strategy.split(",")) if strategy else (),
        merge_key=schema.get("x-kubernetes-patch-merge-key"),
        schema=_below(schema),
    )


def _below(schema: JsonSchema) -> SchemaRules | None:
    """The rules of an object, of a list's items or of a map's values."""
    name = _reference(schema)
    if name:
        return _rules(name)
    inner = schema.get("items") or schema.get("additionalProperties")
    return _below(inner) if isinstance(inner, dict) else None


def _reference(schema: JsonSchema) -> str:
    reference = schema.get("$ref") or next((one.get("$ref") for one in schema.get("allOf", ())), None)
    return reference.removeprefix(REFERENCE) if reference else ""


@cache
def _rules(name: str) -> SchemaRules:
    return SchemaRules(schemas()[name])


def patch_rules(expected: Expected) -> SchemaRules:
    """Return the rules of a kind."""
    group, _, version = expected.api_version.rpartition("/")
    name = schema_name(group, version, expected.kind)
    return SchemaRules({}) if name is None else _rules(name)
