"""`ignore_closed`: a create that came too late, into a namespace that is being deleted or is gone, is no failure."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final, TypeVar

from konverge.errors import Forbidden, NotFound

R = TypeVar("R")
_CLOSING: Final = "NamespaceTerminating"


async def ignore_closed(create: Awaitable[R]) -> R | None:
    """Await a create; return None if its namespace takes nothing any more."""
    try:
        return await create
    except NotFound:
        return None
    except Forbidden as error:
        if any(cause.reason == _CLOSING for cause in error.causes):
            return None
        raise
