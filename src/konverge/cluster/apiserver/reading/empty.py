"""The empty object of a kind: what a bookmark carries beside its version.

Built-in kinds show the fields that are never left out. `empty_objects.json` has them by group, version and kind: it is
what the real server's bookmarks say, without what is different in each (asked by a watch of each kind that has nothing
to show, with `sendInitialEvents`).
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject

_FILE: Final = "empty_objects.json"


def empty_object(resource: Resource) -> JsonObject:
    """Return an object of a kind with nothing in it. What is in it is shared: replace it, do not change it."""
    head = {"kind": resource.kind, "apiVersion": resource.api_version}
    return head if resource.is_custom else {**head, **_fields().get(f"{resource.api_version} {resource.kind}", {})}


@cache
def _fields() -> dict[str, dict[str, Any]]:
    text = resources.files(__package__).joinpath(_FILE).read_bytes()
    return msgspec.json.decode(text, type=dict[str, dict[str, Any]])
