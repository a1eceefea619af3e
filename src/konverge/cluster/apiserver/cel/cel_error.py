"""What goes wrong while an expression runs, in cel-go's words.

CEL's errors are values: `&&`, `||` and the macros absorb them. Here they are exceptions, so that the usual way pays
nothing for them; a fold that must keep one keeps the exception. Running out of cost is no value: nothing absorbs it.
"""

from __future__ import annotations

from typing import Final


class CelError(Exception):
    """An error of an expression: its text is cel-go's."""


class Panicked(Exception):
    """The real engine fails in itself here, and reports that; nothing absorbs it."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"internal error: {reason}")


class CostExceeded(Exception):
    """The expression was stopped because it cost more than one call may."""

    def __init__(self) -> None:
        super().__init__(COST_EXCEEDED)


COST_EXCEEDED: Final = "operation cancelled: actual cost limit exceeded"
_NO_SUCH_OVERLOAD: Final = "no such overload"


def no_such_overload() -> CelError:
    """Return the error of an operation that the values do not have."""
    return CelError(_NO_SUCH_OVERLOAD)
