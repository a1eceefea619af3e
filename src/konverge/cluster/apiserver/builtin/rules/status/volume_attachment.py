"""The status of a volume attachment: what the driver says of it, within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.number_rules import LARGEST_INT32
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_LARGEST_METADATA: Final = 256 * 1024
_LONGEST_MESSAGE: Final = 1024


def attachment_status_errors(status: JsonObject) -> Iterator[FieldError]:
    """Judge the size of what a driver has to say."""
    metadata: dict[str, str] = status.get("attachmentMetadata") or {}
    if sum(len(name.encode()) + len(text.encode()) for name, text in metadata.items()) > _LARGEST_METADATA:
        yield field_error.too_long("status.attachmentMetadata", _LARGEST_METADATA)
    for name in ("attachError", "detachError"):
        yield from _failure_errors(status.get(name) or {}, f"status.{name}")


def _failure_errors(failure: JsonObject, path: str) -> Iterator[FieldError]:
    if len(failure.get("message", "").encode()) > _LONGEST_MESSAGE:
        yield field_error.too_long(f"{path}.message", _LARGEST_METADATA)  # the real server names this bound
    if (code := failure.get("errorCode")) is not None and code < 0:
        yield field_error.invalid(f"{path}.errorCode", code, f"must be between 0 and {LARGEST_INT32}, inclusive")
