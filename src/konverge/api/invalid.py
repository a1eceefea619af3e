"""What the pure values of `api` raise when they cannot be built: errors of konverge that are `ValueError` too.

They derive from `RequestError`, because a value that cannot be built is never sent, and from `ValueError`, because
that is what a Python author expects of a parser.
"""

from __future__ import annotations

from konverge.errors import RequestError


class InvalidValue(RequestError, ValueError):
    """A text or number that its type does not take; the message quotes it and says what would do."""


class InvalidPatch(InvalidValue):
    """A patch that is malformed, or that does not fit the document it was applied to."""
