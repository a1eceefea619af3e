"""The field at a JSON path of a schema: what type a column has, and whether a path leads anywhere."""

from __future__ import annotations

import re
from typing import Any

from konverge.api.definition import Column
from konverge.manifest.place import Place

_STEP = re.compile(r"\.([A-Za-z_$][\w$-]*)|\[(?:'([^']+)'|\"([^\"]+)\"|(\d+|\*))\]")
_SCALARS = ("string", "integer", "number", "boolean")


def field_at(schema: dict[str, Any], path: str) -> dict[str, Any] | None:
    """Return the schema at a path of names and indexes; None where it leads nowhere, or is an expression."""
    steps = list(_STEP.finditer(path))
    if not steps or "".join(step[0] for step in steps) != path:
        return None
    if [step[1] for step in steps[:1]] == ["metadata"]:
        return {"type": "string", "format": "date-time"} if path.endswith("Timestamp") else {"type": "string"}
    found: dict[str, Any] | None = schema
    for step in steps:
        found = _below(found, step) if found else None
    return found


def _below(schema: dict[str, Any], step: re.Match[str]) -> dict[str, Any] | None:
    if step[4] is not None:
        found = schema.get("items")
    else:
        name = step[1] or step[2] or step[3]
        found = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
    return found if isinstance(found, dict) else None


def column_type(schema: dict[str, Any], column: Column, place: Place) -> str:
    """Return the type of a column by the field it shows."""
    found = field_at(schema, column.path) or {}
    if found.get("type") not in _SCALARS:
        raise place.refusal(
            f"the column {column.name!r} shows {column.path}, of which the schema does not tell a column's type",
            'check the path, or say it: kv.Column(…, type="string")',
        )
    return "date" if found.get("format") == "date-time" else str(found["type"])


def require_field(schema: dict[str, Any], path: str, *, types: tuple[str, ...], place: Place) -> None:
    """Refuse a path that leads to no field of these types."""
    found = field_at(schema, path) or {}
    if found.get("type") not in types:
        words = " or ".join(types)
        raise place.refusal(f"{path} leads to no field of type {words}", "write a path such as .spec.replicas")
