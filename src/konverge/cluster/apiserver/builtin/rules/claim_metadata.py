"""The metadata in the template of a claim, on storage or on devices: labels and annotations, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.label_selector import label_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import annotation_errors

# In the order of Go's type.
_FIELDS: Final = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation"),
    *("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations"),
    *("ownerReferences", "finalizers", "managedFields"),
)
_LISTS: Final = ("ownerReferences", "finalizers", "managedFields")
_ALLOWED: Final = ("annotations", "labels")
_GO_SPELLING: Final = {"uid": "uID"}


def refused_metadata_empties(metadata: Any) -> list[str]:
    """Find the empty lists in metadata as it was sent that may not be there."""
    return [name for name in _LISTS if metadata.get(name) == []] if isinstance(metadata, dict) else []


def claim_metadata_errors(metadata: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge what the claims of a template get."""
    yield from annotation_errors(metadata.get("annotations") or {}, f"{path}.annotations")
    yield from label_errors(metadata.get("labels"), f"{path}.labels")
    for name in _FIELDS:
        value = metadata.get(name)
        is_set = value is not None and (value or name == "deletionGracePeriodSeconds" or name in _LISTS)
        if is_set and name not in _ALLOWED:
            yield field_error.forbidden(f"{path}.{_GO_SPELLING.get(name, name)}", "cannot be set")
