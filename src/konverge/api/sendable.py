"""What an author can put into an object but the wire cannot carry, refused with the field's name before it is sent.

JSON has no NaN, a time without a zone is no moment, and a str in a field of bytes would be taken for base64. The
encoder would let all three pass, so they are looked for here: only below attributes whose types can hold one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, get_args, get_origin

import msgspec
from msgspec.structs import fields

from konverge.errors import RequestError

_SUSPECTS = (bytes, datetime, float, dict)  # a bare dict, unlike dict[str, str], may hold anything

_TEXT = "is a str where bytes belong: use bytes, which are sent as base64 (or string_data of a Secret)"
_NO_ZONE = "is a time without a zone, which is no moment: make it aware, as konverge.clock.now() is"

Trouble = tuple[str, str]
"""Where a value stands, and what is wrong with it."""


def refuse_unsendable(value: msgspec.Struct) -> None:
    """Raise a RequestError for the first attribute below a model whose value the wire cannot carry."""
    try:
        found = _below(value)
    except RecursionError:
        return  # too deep to be encoded, which says so
    if found is not None:
        raise RequestError(f"{type(value).__name__}{found[0]}: {found[1]}")


def refuse_non_finite(value: Any) -> None:
    """Raise a RequestError for the first NaN or infinity in a JSON-like value: the encoder would write null."""
    waiting = [("", value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, float) and not math.isfinite(item):
            raise RequestError(f"{path.lstrip('.') or 'a number'}: {_not_finite(item)}")
        waiting += [(path + step, below) for step, below in _steps(item)]


def _steps(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, msgspec.Struct):
        return [(f".{name}", getattr(value, name)) for name in value.__struct_fields__]
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", item) for key, item in value.items()]
    return [(f"[{place}]", item) for place, item in enumerate(value)] if isinstance(value, (list, tuple)) else []


def _not_finite(number: float) -> str:
    return f"JSON has no number for {number}; None leaves a field out"


def _below(value: msgspec.Struct) -> Trouble | None:
    """Find what cannot be sent below a model, as far as types tell."""
    for name, takes_bytes in _suspects(type(value)):
        item = getattr(value, name)
        if item is not None:
            found = _found(item, takes_bytes=takes_bytes)
            if found is not None:
                return f".{name}{found[0]}", found[1]
    return None


def _found(value: Any, *, takes_bytes: bool) -> Trouble | None:
    complaint = None
    if isinstance(value, msgspec.Struct):
        return _below(value)
    if isinstance(value, (dict, list, tuple)):
        return _inside(value, takes_bytes=takes_bytes)
    if isinstance(value, str):
        complaint = _TEXT if takes_bytes else None
    elif isinstance(value, datetime):
        complaint = _NO_ZONE if value.tzinfo is None else None
    elif isinstance(value, float):
        complaint = None if math.isfinite(value) else _not_finite(value)
    return None if complaint is None else ("", complaint)


def _inside(value: dict[str, Any] | list[Any] | tuple[Any, ...], *, takes_bytes: bool) -> Trouble | None:
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        found = _found(item, takes_bytes=takes_bytes)
        if found is not None:
            return f"[{step!r}]{found[0]}", found[1]
    return None


@cache
def _suspects(cls: type[msgspec.Struct]) -> tuple[tuple[str, bool], ...]:
    """The attributes of a model that can hold what cannot be sent, and whether they take bytes."""
    return tuple((name, _takes_bytes(kind)) for name, kind in _types(cls) if _is_suspect(kind))


@cache
def _types(cls: type[msgspec.Struct]) -> tuple[tuple[str, Any], ...]:
    """The attributes of a model and their types; to resolve them is slow, and most models are below many others."""
    return tuple((info.name, info.type) for info in fields(cls))


def _is_suspect(kind: Any) -> bool:
    """Whether a type leads to bytes, times, floats or anything at all."""
    seen: set[type] = set()
    waiting = [kind]
    while waiting:
        part = waiting.pop()
        if part is Any or (isinstance(part, type) and issubclass(part, _SUSPECTS)):
            return True
        if isinstance(part, type) and issubclass(part, msgspec.Struct) and part not in seen:
            seen.add(part)
            waiting += [below for _, below in _types(part)]
        parts = get_args(part)
        # A quantity is text in practice: that it may be a number is not worth a look at each one of each container.
        quantity = str in parts and get_origin(part) is not dict
        waiting += [below for below in parts if not (below is float and quantity)]
    return False


def _takes_bytes(kind: Any) -> bool:
    """Whether a type is bytes, or a list or dict of them."""
    parts = get_args(kind)
    below = parts[1:] if get_origin(kind) is dict else parts
    return kind is bytes or any(map(_takes_bytes, below))
