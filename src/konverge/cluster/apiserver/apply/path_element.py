"""Path elements: the steps from a value to one of its parts, in the text form that managedFields has.

`f:name` is a field, `k:{"name":"a"}` the item of a list with these keys, `v:"a"` a member of a set, `i:0` an index. Two
elements are equal exactly when their canonical texts are, so that a text serves as a dictionary's key. The canonical
text of a number or string is what Go's encoder writes: `1.0` is `1`, and `<`, `>` and `&` are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.go_text import quoted

MEMBER: Final = "."  # not an element: it says that the node itself belongs to a set that also has parts of it
_KINDS: Final = ("f:", "k:", "v:", "i:")
_PLAIN_FLOATS: Final = (1e-6, 1e21)  # beyond these the encoder writes an exponent
_SMALLEST_PLAIN: Final = -4  # powers of ten that are printed without an exponent: from this one
_LARGEST_PLAIN: Final = 6  # up to this one, itself not
_CONTROL: Final = re.compile(r'["\\\x00-\x1f]')
_SPECIAL: Final = re.compile(r'[<>&"\\\x00-\x1f\u2028\u2029]')
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def value_element(value: Any) -> str:
    """Return the element of a set's member."""
    return "v:" + encoded(value)


def key_element(pairs: Iterable[tuple[str, Any]]) -> str:
    """Return the element of a list's item from its keys, which must be sorted by name."""
    body = ",".join(f'"{_CONTROL.sub(_escape, name)}":{encoded(value)}' for name, value in pairs)
    return f"k:{{{body}}}"


def encoded(value: Any) -> str:
    """Return a JSON value as Go's encoder writes it within an element."""
    if isinstance(value, str):
        return f'"{_SPECIAL.sub(_escape, value)}"'
    if isinstance(value, float):
        return _encoded_float(value)
    if isinstance(value, dict):
        body = ",".join(f"{encoded(name)}:{encoded(value[name])}" for name in sorted(value))
        return f"{{{body}}}"
    if isinstance(value, list):
        return f"[{','.join(map(encoded, value))}]"
    return msgspec.json.encode(value).decode()


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"


def _encoded_float(value: float) -> str:
    if value == 0 or _PLAIN_FLOATS[0] <= abs(value) < _PLAIN_FLOATS[1]:
        text = format(Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return printed_float(value)


def printed_float(value: float) -> str:
    """Return a number as `%v` prints a float64: the shortest digits, with an exponent from a million on."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) - 1 + int(exponent)
    if not any(digits) or _SMALLEST_PLAIN <= power < _LARGEST_PLAIN:
        return _encoded_float(value)
    head, rest = str(digits[0]), "".join(map(str, digits[1:]))
    return f"{'-' if sign else ''}{head}{'.' if rest else ''}{rest}e{power:+03d}"


def canonical(text: str) -> str | None:
    """Return the canonical text of an element, None for one of a kind that is not known (it is to be dropped)."""
    if len(text) < len("f:"):
        raise TypedError("key must be 2 characters long:")
    if text[1] != ":":
        raise TypedError(f"missing colon: {text}")
    if text[:2] == "f:":
        return text
    return _canonical_item(text) if text[:2] in _KINDS else None


def _canonical_item(text: str) -> str:
    try:
        value = msgspec.json.decode(text[2:])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TypedError(f"parsing key as path element: {error}") from None
    if text[0] == "v":
        return value_element(value)
    if text[0] == "k" and isinstance(value, dict):
        return key_element(sorted(value.items()))
    if text[0] == "i" and isinstance(value, int):
        return f"i:{value}"
    raise TypedError(f"parsing key as path element: {quoted(text)}")


def order(text: str) -> tuple[Any, ...]:
    """Return what to sort elements by: fields, then keys, values and indexes."""
    rank = _KINDS.index(text[:2])
    if rank == 0:
        return (rank, text)
    value = msgspec.json.decode(text[2:])
    if rank == 1:
        return (rank, tuple((name, _value_order(part)) for name, part in value.items()))
    return (rank, _value_order(value))


def _value_order(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (2, value)
    if isinstance(value, int | float):
        return (0, value)
    if isinstance(value, str):
        return (1, value)
    return (3, encoded(value))


def shown(text: str, *, as_read: bool = False) -> str:
    """Return an element as messages name it: `.spec`, `[name="a"]`, `[="a"]`, `[0]`.

    `as_read`: as it is shown when it was read from managedFields, where all numbers are floats.
    """
    if text[:2] == "f:":
        return "." + text[2:]
    value = msgspec.json.decode(text[2:])
    if text[:2] == "k:":
        pairs = (f"{name}={_shown_value(part, as_read=as_read)}" for name, part in value.items())
        return f"[{','.join(pairs)}]"
    return f"[={_shown_value(value, as_read=as_read)}]" if text[:2] == "v:" else f"[{value}]"


def _shown_value(value: Any, *, as_read: bool) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float) or (as_read and type(value) is int):
        return printed_float(float(value))
    if isinstance(value, list):
        return "[" + ",".join(_shown_value(part, as_read=as_read) for part in value) + "]"
    if isinstance(value, dict):
        return "".join(f"{name}={_shown_value(part, as_read=as_read)}" for name, part in value.items())
    return msgspec.json.encode(value).decode()
