"""What is wrong with one field, in the words of Kubernetes: the causes of a 422.

The types are the `reason` of a cause on the wire; `body` is its message, rendered as Go renders it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.go_text import quoted, shown_float


class Fault(StrEnum):
    """How a field is wrong."""

    NOT_FOUND = "FieldValueNotFound"
    REQUIRED = "FieldValueRequired"
    DUPLICATE = "FieldValueDuplicate"
    INVALID = "FieldValueInvalid"
    NOT_SUPPORTED = "FieldValueNotSupported"
    FORBIDDEN = "FieldValueForbidden"
    TOO_LONG = "FieldValueTooLong"
    TOO_MANY = "FieldValueTooMany"
    TOO_FEW = "FieldValueTooFew"
    TOO_SHORT = "FieldValueTooShort"
    INTERNAL = "InternalError"
    TYPE_INVALID = "FieldValueTypeInvalid"


_TITLES: Final = {
    Fault.NOT_FOUND: "Not found",
    Fault.REQUIRED: "Required value",
    Fault.DUPLICATE: "Duplicate value",
    Fault.INVALID: "Invalid value",
    Fault.NOT_SUPPORTED: "Unsupported value",
    Fault.FORBIDDEN: "Forbidden",
    Fault.TOO_LONG: "Too long",
    Fault.TOO_MANY: "Too many",
    Fault.TOO_FEW: "Too few",
    Fault.TOO_SHORT: "Too short",
    Fault.INTERNAL: "Internal error",
    Fault.TYPE_INVALID: "Invalid value",
}
# Go's JSON may stand in a web page.
ESCAPED_IN_JSON: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_WITHOUT_VALUE: Final = {Fault.REQUIRED, Fault.FORBIDDEN, Fault.TOO_LONG, Fault.TOO_SHORT, Fault.INTERNAL}


class Omitted:
    """The value of a fault that is not to be shown."""


OMIT: Final = Omitted()


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault of one field."""

    fault: Fault
    field: str  # `spec.containers[0].name`, `metadata.labels[a/b]`; "<nil>" for the root of a value
    value: Any = None
    detail: str = ""

    def body(self) -> str:
        """Say what is wrong, without the field's name."""
        title = _TITLES[self.fault]
        if self.fault not in _WITHOUT_VALUE and self.value is not OMIT:
            title = f"{title}: {_shown(self.value)}"
        return f"{title}: {self.detail}" if self.detail else title

    def __str__(self) -> str:
        return f"{self.field}: {self.body()}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value):
        return shown_float(value)
    if isinstance(value, str):
        return quoted(value)
    text = msgspec.json.encode(value, order=None if isinstance(value, msgspec.Raw) else "sorted").decode()
    return text.translate(ESCAPED_IN_JSON)


def required(path: str, detail: str = "") -> FieldError:
    """A value that must be there and is not."""
    return FieldError(Fault.REQUIRED, path, "", detail)


def invalid(path: str, value: Any, detail: str) -> FieldError:
    """A malformed value."""
    return FieldError(Fault.INVALID, path, value, detail)


def type_invalid(path: str, value: Any, detail: str) -> FieldError:
    """A value of another type than the schema's."""
    return FieldError(Fault.TYPE_INVALID, path, value, detail)


def not_supported(path: str, value: Any, supported: Iterable[str], *, is_plain: bool = False) -> FieldError:
    """A value that is none of an enumeration's; `is_plain`: its type is Go's text, not one of its own."""
    return FieldError(Fault.NOT_SUPPORTED, path, value if is_plain else named(value), _supported(tuple(supported)))


@lru_cache(64)
def _supported(names: tuple[str, ...]) -> str:
    """Name the values of an enumeration: one text for all that are none of them."""
    return f"supported values: {', '.join(map(quoted, names))}" if names else ""


def named(text: Any) -> Any:
    """Return a text that Go has as a type of its own, or by a pointer: it is shown as JSON, which escapes otherwise."""
    return msgspec.Raw(msgspec.json.encode(text)) if isinstance(text, str) else text


def duplicate(path: str, value: Any) -> FieldError:
    """A value that is there twice and must be unique."""
    return FieldError(Fault.DUPLICATE, path, value)


def forbidden(path: str, detail: str) -> FieldError:
    """A value that is well formed and not allowed here."""
    return FieldError(Fault.FORBIDDEN, path, "", detail)


def not_found(path: str, value: Any) -> FieldError:
    """A reference to something that is not there."""
    return FieldError(Fault.NOT_FOUND, path, value)


def too_long(path: str, most: int) -> FieldError:
    """A text of too many bytes."""
    unit = "byte" if most == 1 else "bytes"
    detail = f"may not be more than {most} {unit}" if most >= 0 else "value is too long"
    return FieldError(Fault.TOO_LONG, path, "<value omitted>", detail)


def too_many(path: str, actual: int, most: int) -> FieldError:
    """A list or map of too many items."""
    unit = "item" if most == 1 else "items"
    detail = f"must have at most {most} {unit}" if most >= 0 else "has too many items"
    return FieldError(Fault.TOO_MANY, path, actual if actual >= 0 else OMIT, detail)


def internal(path: str, detail: str) -> FieldError:
    """Something of the server's own went wrong with a field."""
    return FieldError(Fault.INTERNAL, path, OMIT, detail)
