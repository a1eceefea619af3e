"""Default: what fills in a value of one type, in place; and `constants`, the plainest of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.strategy import JsonObject

Default = Callable[[JsonObject], None]


def constants(**values: Any) -> Default:
    """Return a default that puts in these values where there is none yet."""
    flat = all(not isinstance(value, dict | list) for value in values.values())
    return _flat(values) if flat else _deep(values)


def _flat(values: Mapping[str, Any]) -> Default:
    items = tuple(values.items())

    def fill(value: JsonObject) -> None:
        for name, item in items:
            if value.get(name) is None:
                value[name] = item

    return fill


def _deep(values: Mapping[str, Any]) -> Default:
    def fill(value: JsonObject) -> None:
        for name, item in values.items():
            if value.get(name) is None:
                value[name] = json_copy(item)

    return fill


def texts(**values: str) -> Default:
    """Return a default that puts in these texts where there is none, or an empty one."""

    def fill(value: JsonObject) -> None:
        for name, text in values.items():
            if not value.get(name):
                value[name] = text

    return fill
