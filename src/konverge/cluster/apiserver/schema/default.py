"""Defaulting: what the author does not say is filled in from the schema, on write and on read.

A null counts as unsaid where the schema is not nullable. Each default is a copy of its own.
"""

from __future__ import annotations

from typing import Any

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.schema.structural import Structural


def apply_defaults(value: Any, node: Structural | None) -> None:
    """Fill in the defaults of a value, in place."""
    if node is None or not node.has_defaults:
        return
    if type(value) is dict:
        _default_object(value, node)
    elif type(value) is list:
        _default_items(value, node)


def _default_object(value: dict[str, Any], node: Structural) -> None:
    for name, child in node.defaulted:
        if name in value:
            item = value[name]
            if item is None and child.default is not None and not child.nullable:
                value[name] = json_copy(child.default)
        elif child.default is not None:
            value[name] = json_copy(child.default)
        else:
            continue
        if child.has_defaults:
            apply_defaults(value[name], child)
    if node.additional is not None:
        _default_additional(value, node, node.additional)


def _default_additional(value: dict[str, Any], node: Structural, child: Structural) -> None:
    for name, item in value.items():
        if name in node.properties:
            continue
        if item is None and not child.nullable:
            value[name] = json_copy(child.default)
        apply_defaults(value[name], child)


def _default_items(value: list[Any], node: Structural) -> None:
    child = node.items
    if child is None:
        return
    for index, item in enumerate(value):
        if item is None and not child.nullable:
            value[index] = json_copy(child.default)
        apply_defaults(value[index], child)
