"""Schemas in a CRD, read to the bottom: the published schema of CRDs says nothing of what stands below `items`.

Nor of what stands below `additionalProperties` and a few others, where a schema may stand for something else. Go reads
them by code of its own: types are checked there too, but unknown fields are dropped without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.cluster.apiserver.builtin.go_finding import Found, Place
from konverge.cluster.apiserver.builtin.go_scalar import GoType
from konverge.cluster.apiserver.builtin.go_type import type_of

_STRUCT: Final = "JSONSchemaProps"
_TYPE: Final = f"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.{_STRUCT}"
_MAPS: Final = ("properties", "patternProperties", "definitions")
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_OPEN: Final = ("items", "additionalProperties", "additionalItems", "dependencies")


def read_schemas(crd: dict[str, Any]) -> str:
    """Read what the CRD's decoder left unread, in place; return the first fault in Go's words, or an empty text."""
    found, kind = Found(), type_of(_TYPE)
    for version in (crd.get("spec") or {}).get("versions") or ():
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if schema is not None:
            _read_below(schema, Place(_STRUCT, "spec.versions.schema.openAPIV3Schema"), found, kind)
    return found.error


def _read_below(schema: dict[str, Any], place: Place, found: Found, kind: GoType) -> None:
    for name, child in _known_parts(schema):
        _read_below(child, place.below(_STRUCT, name), found, kind)
    if not isinstance(schema.get("items", {}), dict | list):
        del schema["items"]  # Go takes it for nothing, without a word
    for name in _OPEN:
        if name in schema:
            _read_open(schema[name], name, place.below(_STRUCT, name), found=found, kind=kind)


def _known_parts(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in _MAPS:
        yield from ((name, child) for child in (schema.get(name) or {}).values())
    for name in _LISTS:
        yield from ((name, child) for child in schema.get(name) or ())
    if schema.get("not") is not None:
        yield "not", schema["not"]


def _read_open(value: Any, name: str, place: Place, *, found: Found, kind: GoType) -> None:
    """Read what may be a schema, several, or something else."""
    if name.startswith("additional") and not isinstance(value, bool | dict):
        found.error = found.error or "boolean or JSON schema expected"
        return
    several = name == "dependencies" and isinstance(value, dict)
    parts = list(value.values()) if several else value if isinstance(value, list) else [value]
    for part in parts:
        if isinstance(part, dict) or name == "items":
            kind.read(part, place, found)
            if not found.error:
                _read_below(part, place, found, kind)
