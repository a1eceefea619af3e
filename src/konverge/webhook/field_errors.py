"""FieldErrors: collects what is wrong with an object, field by field, and raises it as one `Invalid`.

::

    found = FieldErrors()
    if page.spec.replicas > 5 and not page.spec.paid:
        found.invalid("spec.replicas", page.spec.replicas, "must be 5 or less in the free plan")
    found.raise_for(page)

Texts and reasons are the API server's own, so `kubectl` shows them as it shows any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from konverge.api.object import Object
from konverge.errors import Cause, Invalid


class FieldErrors:
    """A list of mistakes; empty, it raises nothing."""

    def __init__(self) -> None:
        self._causes: list[Cause] = []

    def __len__(self) -> int:
        return len(self._causes)

    def invalid(self, field: str, value: Any, detail: str) -> None:
        """Say that a value breaks a rule; it is quoted, so write `forbidden` where it is a secret."""
        self._add("FieldValueInvalid", f"Invalid value: {_shown(value)}: {detail}", field)

    def required(self, field: str, detail: str = "") -> None:
        """Say that a value is missing."""
        self._add("FieldValueRequired", _with("Required value", detail), field)

    def duplicate(self, field: str, value: Any) -> None:
        """Say that a value is there twice."""
        self._add("FieldValueDuplicate", f"Duplicate value: {_shown(value)}", field)

    def not_supported(self, field: str, value: Any, supported: Iterable[str]) -> None:
        """Say that a value is none of those that there are."""
        known = ", ".join(_shown(each) for each in supported)
        self._add("FieldValueNotSupported", f"Unsupported value: {_shown(value)}: supported values: {known}", field)

    def forbidden(self, field: str, detail: str) -> None:
        """Say that a field must not be set, or not be changed."""
        self._add("FieldValueForbidden", _with("Forbidden", detail), field)

    def _add(self, reason: str, message: str, field: str) -> None:
        self._causes.append(Cause(reason, message, field))

    def raise_for(self, obj: Object) -> None:
        """Raise `Invalid` for an object, if anything is wrong with it."""
        if not self._causes:
            return
        group_kind = obj.gvk.group_kind
        kind = f"{group_kind.kind}.{group_kind.group}" if group_kind.group else group_kind.kind
        texts = [f"{cause.field}: {cause.message}" for cause in self._causes]
        what = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        raise Invalid(f'{kind} "{obj.metadata.name or ""}" is invalid: {what}', causes=tuple(self._causes))


def _shown(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()


def _with(head: str, detail: str) -> str:
    return f"{head}: {detail}" if detail else head
