"""`render`: a list, or one object, as a Table of meta.k8s.io; the rows of built-in kinds come from `table.builtin`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table import builtin, custom
from konverge.cluster.apiserver.table.columns import Column, columns
from konverge.cluster.apiserver.table.scale import is_scale, scale_columns, scale_row

_INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


def render(
    resource: Resource,
    objects: Sequence[JsonObject],
    *,
    include_object: str = "Metadata",
    with_columns: bool = True,
    version: str = "v1",
    metadata: Mapping[str, Any],
) -> JsonObject:
    """Return objects as a table.

    `metadata` is the list's, or that of the one object: its resourceVersion, continue and remainingItemCount are kept.
    A watch shows the columns with its first event only (`with_columns`).
    """
    described, rows, shown = _rows(resource, objects)
    for row, value in zip(rows, shown, strict=True):
        row["object"] = _object(resource, value, include_object=include_object, version=version)
    kept = ("resourceVersion", "continue", "remainingItemCount")
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": {name: metadata[name] for name in kept if metadata.get(name)},
        "columnDefinitions": described if with_columns else None,
        "rows": rows or (None if _is_plain(resource) else []),
    }


def _rows(
    resource: Resource, objects: Sequence[JsonObject]
) -> tuple[list[Column], list[JsonObject], Sequence[JsonObject]]:
    """Return the columns, the rows, and the objects in the order of the rows."""
    if objects and is_scale(objects[0]):
        return scale_columns(is_custom=resource.is_custom), [scale_row(value) for value in objects], objects
    if resource.is_custom:
        return *_custom(resource, objects), objects
    return *_builtin(resource, objects), builtin.ordered(resource, objects)


def _is_plain(resource: Resource) -> bool:
    """Whether the real server has no printer for a kind: its empty table has no rows at all."""
    return not resource.is_custom and not builtin.has_printer(resource)


def _custom(resource: Resource, objects: Sequence[JsonObject]) -> tuple[list[Column], list[JsonObject]]:
    found = custom.custom_columns(resource.strategy.printer_columns)
    return custom.definitions(found), [{"cells": custom.cells(found, value)} for value in objects]


def _builtin(resource: Resource, objects: Sequence[JsonObject]) -> tuple[list[Column], list[JsonObject]]:
    return columns(resource), [builtin.row(resource, value) for value in builtin.ordered(resource, objects)]


def _object(resource: Resource, value: JsonObject, *, include_object: str, version: str) -> JsonObject | None:
    metadata = value.get("metadata") or {}
    if include_object == "Object":
        return {"kind": resource.kind, "apiVersion": resource.api_version, **value}
    if include_object == "None" and _INITIAL_EVENTS_END not in (metadata.get("annotations") or {}):
        return None
    return {"kind": "PartialObjectMetadata", "apiVersion": f"meta.k8s.io/{version}", "metadata": metadata}
