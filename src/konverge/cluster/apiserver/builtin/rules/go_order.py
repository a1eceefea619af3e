"""Values of a message in the order of Go's fields, not of their names."""

from __future__ import annotations

from typing import Any

import msgspec


def in_go_order(value: Any) -> msgspec.Raw:
    """Return a value that a message shows as it is written here."""
    return msgspec.Raw(msgspec.json.encode(value))
