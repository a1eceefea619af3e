"""The annotation that client-side apply keeps its last configuration in: kubectl's way over to server-side apply.

Fields that the annotation says kubectl had applied, and that still have those values, are kubectl's: a server-side
apply by `kubectl` may take them without force. An annotation that is there is kept in step with what is applied.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.apply.comparison import compare
from konverge.cluster.apiserver.apply.field_set import FieldSet, difference
from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.apply.typed_value import field_set
from konverge.cluster.apiserver.apply.types import Type
from konverge.cluster.apiserver.apply.validation import validate

MANAGER: Final = "kubectl"
ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
_MAX_ANNOTATIONS: Final = 256 * 1024  # bytes of all names and values together

JsonObject = dict[str, Any]


def _annotations(value: JsonObject) -> dict[str, Any]:
    found = (value.get("metadata") or {}).get("annotations")
    return found if isinstance(found, dict) else {}


def applied_by_client(kind: Type, live: JsonObject, api_version: str) -> FieldSet | None:
    """Return the fields that client-side apply set and that still are as it set them; None: it cannot be told."""
    text = _annotations(live).get(ANNOTATION)
    if not text:
        return None
    try:
        applied = msgspec.json.decode(text)
        if not isinstance(applied, dict) or applied.get("apiVersion") != api_version:
            return None
        validate(kind, applied, allows_duplicates=False)
    except (msgspec.DecodeError, TypedError):
        return None
    comparison = compare(kind, applied, live)
    fields = field_set(kind, applied)
    for changed in (comparison.modified, comparison.added, comparison.removed):
        fields = difference(fields, changed)
    return fields


def keep_in_step(value: JsonObject, applied: JsonObject) -> None:
    """Write the applied configuration into an object's annotation, where it has one."""
    annotations = _annotations(value)
    if not annotations.get(ANNOTATION):
        return
    annotations[ANNOTATION] = _configuration(applied)
    size = sum(len(name.encode()) + len(str(text).encode()) for name, text in annotations.items())
    if size > _MAX_ANNOTATIONS:
        del annotations[ANNOTATION]


def _configuration(applied: JsonObject) -> str:
    """Return an applied object as the annotation has it: JSON, without the annotation, and a line's end."""
    metadata = dict(applied.get("metadata") or {})
    if "annotations" in metadata:
        kept = {name: text for name, text in (metadata["annotations"] or {}).items() if name != ANNOTATION}
        metadata["annotations"] = kept
    encoded = msgspec.json.encode({**applied, "metadata": metadata}, order="deterministic").decode()
    return encoded.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026") + "\n"
