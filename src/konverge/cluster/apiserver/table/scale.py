"""The table of a Scale, which is no list of its own: what is wanted and what is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from konverge.cluster.apiserver.table.age import age
from konverge.cluster.apiserver.table.columns import Column, age_description, name_column


def is_scale(value: Mapping[str, Any]) -> bool:
    """Whether an object is the scale of another."""
    return bool(value.get("kind") == "Scale" and value.get("apiVersion") == "autoscaling/v1")


def scale_columns(*, is_custom: bool) -> list[Column]:
    """Return the columns; those of a custom resource come from other code of the real server."""
    name, date = ("name", "date") if is_custom else ("", "string")
    return [
        {**name_column(), "format": name},
        _column("Desired", "integer", "Number of desired replicas" if is_custom else _DESIRED),
        _column("Available", "integer", "Number of actual replicas" if is_custom else _AVAILABLE),
        _column("Age", date, age_description()),
    ]


_DESIRED = "replicas is the desired number of instances for the scaled object."
_AVAILABLE = "replicas is the actual number of observed instances of the scaled object."


def _column(name: str, kind: str, description: str) -> Column:
    return {"name": name, "type": kind, "format": "", "description": description, "priority": 0}


def scale_row(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row."""
    metadata = value["metadata"]
    wanted, there = value["spec"].get("replicas", 0), value["status"].get("replicas", 0)
    return {"cells": [metadata.get("name", ""), wanted, there, age(metadata.get("creationTimestamp"))]}
