"""A definition: one named schema with the group and version it belongs to, whichever document it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from konverge.codegen.values import Kind

Schema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A schema that other schemas may refer to by `name`; one with a `kind` describes whole objects."""

    name: str
    class_name: str
    group: str
    version: str
    schema: Schema
    kind: Kind | None = None


def reference(schema: Schema) -> str | None:
    """Return the name of the definition a schema refers to: by `$ref`, or by an `allOf` that adds nothing else."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    options = schema.get("allOf", ())
    return reference(options[0]) if len(options) == 1 else None
