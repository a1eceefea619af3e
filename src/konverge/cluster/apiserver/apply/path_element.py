"""Path elements: the steps from a value to one of its parts, in the text form that managedFields has.

`f:name` is a field, `k:{"name":"a"}` the item of a list with these keys, `v:"a"` a member of a set, `i:0` an index. Two
elements are equal exactly when their canonical texts are, so that a text serves as a dictionary's key. The canonical
text of a number or string is what Go's encoder writes: `1.0` is `1`, and `<`, `>` and `&` are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.go_text import quoted, shown_float

MEMBER: Final = "."  # not an element: it says that the node itself belongs to a set that also has parts of it
_KINDS: Final = ("f:", "k:", "v:", "i:")
_PLAIN_FLOATS: Final = (1e-6, 1e21)  # beyond these the encoder writes an exponent
_SPECIAL: Final = re.compile(r'[<>&"\\\x00-\x1f\u2028\u2029]')
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def value_element(value: Any) -> str:
    """Return the element of a set's member."""
    return "v:" + encoded(value)


def key_element(pairs: Iterable[tuple[str, Any]]) -> str:
    """Return the element of a list's item from its keys, which must be sorted by name."""
    body = ",".join(f"{_encoded_text(name)}:{encoded(value)}" for name, value in pairs)
    return f"k:{{{body}}}"


def encoded(value: Any) -> str:
    """Return a JSON value as Go's encoder writes it within an element."""
    if isinstance(value, str):
        return _encoded_text(value)
    if isinstance(value, float):
        return _encoded_float(value)
    if isinstance(value, dict):
        body = ",".join(f"{_encoded_text(name)}:{encoded(value[name])}" for name in sorted(value))
        return f"{{{body}}}"
    if isinstance(value, list):
        return f"[{','.join(map(encoded, value))}]"
    return msgspec.json.encode(value).decode()


def _encoded_text(text: str) -> str:
    return f'"{_SPECIAL.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"


def _encoded_float(value: float) -> str:
    if value.is_integer() and abs(value) < _PLAIN_FLOATS[1]:
        return str(int(value))
    if _PLAIN_FLOATS[0] <= abs(value) < _PLAIN_FLOATS[1]:
        whole = shown_float(value)
        return whole if "e" not in whole else f"{value:.25f}".rstrip("0")
    return shown_float(value).replace("e-0", "e-")


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


def shown(text: str) -> str:
    """Return an element as messages name it: `.spec`, `[name="a"]`, `[="a"]`, `[0]`."""
    if text[:2] == "f:":
        return "." + text[2:]
    value = msgspec.json.decode(text[2:])
    if text[:2] == "k:":
        return "[" + ",".join(f"{name}={shown_value(part)}" for name, part in value.items()) + "]"
    return f"[={shown_value(value)}]" if text[:2] == "v:" else f"[{value}]"


def shown_value(value: Any) -> str:
    """Return a value as it stands in a path."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float):
        return shown_float(value)
    if isinstance(value, list):
        return "[" + ",".join(map(shown_value, value)) + "]"
    if isinstance(value, dict):
        return "".join(f"{name}={shown_value(part)}" for name, part in value.items())
    return msgspec.json.encode(value).decode()
