"""Propagation: what becomes of the dependents of a deleted object where the request does not say."""

from __future__ import annotations

from enum import StrEnum


class Propagation(StrEnum):
    """What a kind does by default."""

    DELETE = "delete"
    ORPHAN = "orphan"
    UNSUPPORTED = "unsupported"  # nothing depends on such an object, and no finalizer is ever set for it
