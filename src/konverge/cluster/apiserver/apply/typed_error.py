"""TypedError: a value that its schema cannot read, in structured-merge-diff's words.

It is no answer yet: an update that meets one is written without managedFields, and an apply fails (`field_manager`).
"""

from __future__ import annotations

from collections.abc import Sequence


class TypedError(Exception):
    """What is wrong with a value."""


def joined(errors: Sequence[str]) -> TypedError:
    """Return one error that says all."""
    if len(errors) == 1:
        return TypedError(errors[0])
    return TypedError("\n".join(["errors:", *(f"  {error}" for error in errors)]))
