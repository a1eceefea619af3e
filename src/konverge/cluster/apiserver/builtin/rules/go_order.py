"""Values of a message as Go's JSON has them: in the order of its fields, and texts that it holds by a pointer."""

from __future__ import annotations

from typing import Any

import msgspec


def in_go_order(value: Any) -> msgspec.Raw:
    """Return a value that a message shows as it is written here."""
    return msgspec.Raw(msgspec.json.encode(value))


def pointed(text: str) -> msgspec.Raw:
    """Return a text that a message shows as JSON, not as Go quotes it: the two escape other characters."""
    return msgspec.Raw(msgspec.json.encode(text))
