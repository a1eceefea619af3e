"""Whether what may not change is the same: an empty list is none, as it is to Go."""

from __future__ import annotations

from typing import Any

from konverge.api.json_value import json_equal


def is_same(left: Any, right: Any) -> bool:
    """Compare two values of the wire."""
    return json_equal(_without_empties(left), _without_empties(right))


def _without_empties(value: Any) -> Any:
    if isinstance(value, dict):
        parts = ((name, _without_empties(part)) for name, part in value.items())
        return {name: part for name, part in parts if part is not None}
    return ([_without_empties(item) for item in value] or None) if isinstance(value, list) else value
