"""BadMessage: bytes that are no message of their kind."""

from __future__ import annotations


class BadMessage(Exception):
    """Bytes that cannot be read; the message has Go's words."""
