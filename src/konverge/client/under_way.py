"""What a call is waiting for, told across threads: who gives up waiting can say what was asked of the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from konverge.api.request import ApiRequest


@dataclass(slots=True)
class UnderWay:
    """The last request that was sent, as long as someone waits for the call it belongs to."""

    request: ApiRequest | None = None


_CURRENT: ContextVar[UnderWay | None] = ContextVar("konverge-under-way", default=None)


@contextmanager
def watched() -> Iterator[UnderWay]:
    """Have the requests of calls that are started in this block noted."""
    under_way = UnderWay()
    token = _CURRENT.set(under_way)
    try:
        yield under_way
    finally:
        _CURRENT.reset(token)


def note(request: ApiRequest) -> None:
    """Note what is about to be sent."""
    if (under_way := _CURRENT.get()) is not None:
        under_way.request = request
