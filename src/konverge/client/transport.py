"""Transport: the one seam between konverge and an API server.

The HTTP transport (`http.py`) and the embedded server's in-process transport are interchangeable behind it. What
comes back is either the answer of a success or an error of `konverge.errors`: nothing foreign gets past this line.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from konverge import errors
from konverge.api.request import ApiRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiResponse:
    """The answer to a request that succeeded."""

    status: int
    body: bytes = field(repr=False)
    warnings: tuple[str, ...] = ()


class Transport(Protocol):
    """Carries requests to one API server as one user."""

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Return the whole answer; raise `ApiError` if it says no, `ConnectionFailed` if there is none."""
        ...

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Open a streaming answer (a watch, a log): its bytes in chunks, as they arrive.

        The iterator ends when the server closes the stream in order and raises `ConnectionFailed` when it breaks.
        """
        ...

    async def close(self) -> None:
        """Close the connections; calls after it are an error."""
        ...


def error_of(request: ApiRequest, status: int, body: bytes, *, retry_after: float | None = None) -> errors.ApiError:
    """Turn an answer that is no success into the error that fits it, whoever wrote its body."""
    return errors.from_status(_status(body), operation=request.operation, code=status, retry_after=retry_after)


def _status(body: bytes) -> dict[str, Any]:
    """Read a Status; a proxy on the way answers in HTML or plain text, of which the beginning is kept."""
    try:
        found = msgspec.json.decode(body)
    except msgspec.DecodeError:
        found = None
    if isinstance(found, dict) and found.get("kind") == "Status":
        return found
    text = " ".join(body[:300].decode(errors="replace").split())
    return {"message": text} if text else {}
