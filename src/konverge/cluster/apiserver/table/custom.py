"""Tables of custom resources: a CRD's printer columns, each a JSON path and a type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.table.age import age_of_text
from konverge.cluster.apiserver.table.columns import Column, age_description, name_column
from konverge.cluster.apiserver.table.json_path import JsonPath, PathError
from konverge.cluster.apiserver.table.shown import shown

_SMALLEST: Final = -(1 << 63)


@dataclass(frozen=True, slots=True)
class CustomColumn:
    """A printer column, ready for use."""

    definition: Column
    path: JsonPath

    def cell(self, value: Mapping[str, Any]) -> Any:
        """Return an object's cell; None where the path finds nothing of the column's type."""
        try:
            found = self.path.find(value)
        except PathError:
            return None
        if not found:
            return None
        return _cell(self.definition["type"], found[0])


def custom_columns(declared: Sequence[Mapping[str, Any]]) -> list[CustomColumn]:
    """Return the columns after the name: those that a CRD declares, or else the age."""
    return list(_parsed(declared or (_age(),)))


def _age() -> Mapping[str, Any]:
    path = ".metadata.creationTimestamp"
    return {"name": "Age", "type": "date", "jsonPath": path, "description": age_description()}


def _parsed(declared: Sequence[Mapping[str, Any]]) -> Iterator[CustomColumn]:
    for column in declared:
        text = column["jsonPath"]
        try:
            path = JsonPath.parse(text)
        except PathError:
            return  # the real server stops here too: what was understood before it is shown
        described = column.get("description") or f"Custom resource definition column (in JSONPath format): {text}"
        definition = {
            "name": column["name"],
            "type": column["type"],
            "format": column.get("format", ""),
            "description": described,
            "priority": column.get("priority", 0),
        }
        yield CustomColumn(definition, path)


def definitions(columns: Sequence[CustomColumn]) -> list[Column]:
    """Return the columns as a table describes them, the name first."""
    return [name_column(), *(column.definition for column in columns)]


def cells(columns: Sequence[CustomColumn], value: Mapping[str, Any]) -> list[Any]:
    """Return an object's row."""
    return [value["metadata"].get("name", ""), *(column.cell(value) for column in columns)]


def _cell(kind: str, value: Any) -> Any:
    match kind:
        case "string":
            return shown(value)
        case "integer":
            return _integer(value)
        case "number":
            return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        case "boolean":
            return value if isinstance(value, bool) else None
        case "date":
            return age_of_text(value) if isinstance(value, str) else None
    return None


def _integer(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number = int(value)
    return number if _SMALLEST <= number < -_SMALLEST else _SMALLEST  # what Go makes of a number that is too large
