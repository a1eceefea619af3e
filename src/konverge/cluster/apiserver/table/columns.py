"""The columns of built-in resources, as the real server describes them."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from konverge.cluster.apiserver.builtin import captured
from konverge.cluster.apiserver.resource import Resource

Column = dict[str, Any]


@cache
def _all() -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(captured.read("columns.json"), type=dict[str, msgspec.Raw])


@cache
def _decoded(name: str) -> list[Column]:
    found: list[Column] = msgspec.json.decode(_all()[name]) if name in _all() else _decoded("v1/limitranges")
    return found


def columns(resource: Resource) -> list[Column]:
    """Return a built-in resource's columns; of one that has no list, its name and when it was created."""
    return _decoded(f"{resource.api_version}/{resource.plural}")


def name_column() -> Column:
    """Return the first column of nearly every table."""
    return _decoded("v1/serviceaccounts")[0]


def age_description() -> str:
    """Return what is said of a column that shows an object's age."""
    described: str = _decoded("v1/serviceaccounts")[1]["description"]
    return described
