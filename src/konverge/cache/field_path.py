"""The value at a dotted path of an object's JSON, in the text form that field selectors compare."""

from __future__ import annotations

from typing import Any

import msgspec

_DECODER = msgspec.json.Decoder()


def field_value(data: bytes, path: str) -> str:
    """Return the value at a path such as `spec.nodeName`; an absent one is empty, as for the server."""
    value: Any = _DECODER.decode(data)
    for step in path.lstrip(".").split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return text_of(value)


def text_of(value: Any) -> str:
    """Return a JSON scalar as the server's field selectors spell it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
