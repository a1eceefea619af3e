"""Selectors of devices: each is an expression that can be compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.bounded import list_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_MOST_SELECTORS: Final = 32
_LONGEST: Final = 10 * 1024


def selector_list_errors(selectors: Sequence[JsonObject] | None, path: str) -> Iterator[FieldError]:
    """Judge the selectors of a class or of a request."""
    return list_errors(selectors, path, _selector_errors, most=_MOST_SELECTORS)


def _selector_errors(selector: JsonObject, path: str) -> Iterator[FieldError]:
    if (cel := selector.get("cel")) is None:
        yield field_error.required(f"{path}.cel")
    else:
        yield from _expression_errors(cel.get("expression", ""), f"{path}.cel.expression")


def _expression_errors(text: str, path: str) -> Iterator[FieldError]:
    if len(text.encode()) > _LONGEST:
        yield field_error.too_long(path, _LONGEST)
        return
    from konverge.cluster.apiserver.builtin.rules.device.expression import (  # noqa: PLC0415 - CEL is large
        complaint_about,
    )

    if (complaint := complaint_about(text)) is not None:
        yield FieldError(complaint.fault, path, text, complaint.detail)
