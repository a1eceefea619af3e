"""Passage: one call on its way through the fault proxy, and the fault that awaits it."""

from __future__ import annotations

import asyncio
import json
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
from aiohttp import web
from multidict import MultiMapping

from konverge.testing.fault import STREAMS, Call, Fault, FaultPlan

RealServer = AbstractAsyncContextManager[aiohttp.ClientResponse]
"""The call to the real server, not sent yet."""

_OK = 200
_NOT_REACHED = 0.5  # of the calls that are cut; the others reach the server, and only the answer is lost
_EARLIEST, _LATEST = 1, 6  # pieces of a stream that pass before its fault
# What is between two parties of one connection, and what is made anew for the next one.
_NOT_PASSED_ON = frozenset(
    {"connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
)

_ANSWERS: dict[Fault | None, tuple[int, str]] = {
    Fault.TOO_MANY_REQUESTS: (429, "TooManyRequests"),
    Fault.SERVER_ERROR: (500, "InternalError"),
    Fault.UNAVAILABLE: (503, "ServiceUnavailable"),
    Fault.GONE: (410, "Expired"),
}


class Passage:
    """One call on its way through, and the fault that awaits it."""

    def __init__(self, request: web.BaseRequest, call: Call, plan: FaultPlan, *, delay: float) -> None:
        self._request = request
        self._call = call
        self._plan = plan
        self._delay = delay
        self._planned = plan.draw(call)  # None when there is none, or none any more

    @property
    def _fault(self) -> Fault | None:
        return None if self._planned is None else self._planned.fault

    def end(self) -> None:
        """Give a fault back that had no chance."""
        if self._planned is not None:
            self._plan.put_back(self._planned)

    async def answer(self, real_server: RealServer) -> web.StreamResponse:
        """Answer the call, as well as it goes; a real server that is down is a connection that breaks."""
        if self._fault in _ANSWERS:
            return _refusal(self._met())
        if self._fault is Fault.DELAY:
            self._met()
            await asyncio.sleep(self._delay)
        if self._fault is Fault.CUT and self._plan.random.random() < _NOT_REACHED:
            self._met()
            return self._cut()
        try:
            async with real_server as upstream:
                return await self._pass_back(upstream)
        except aiohttp.ClientError:
            return self._cut()

    async def _pass_back(self, upstream: aiohttp.ClientResponse) -> web.StreamResponse:
        if self._fault is Fault.CUT:
            self._met()
            return self._cut()
        response = web.StreamResponse(status=upstream.status, headers=passed_on(upstream.headers))
        if self._call in STREAMS and upstream.status == _OK:
            await self._relay(upstream, response)
        else:
            await self._whole(upstream, response)
        return response

    def _met(self) -> Fault:
        planned, self._planned = self._planned, None
        assert planned is not None  # noqa: S101 - for mypy: callers have looked
        self._plan.carried_out(planned, self._call)
        return planned.fault

    def _cut(self) -> web.StreamResponse:
        if self._request.transport is not None:
            self._request.transport.abort()
        return web.Response()  # goes nowhere

    async def _whole(self, upstream: aiohttp.ClientResponse, response: web.StreamResponse) -> None:
        body = await upstream.read()
        response.content_length = len(body)
        await response.prepare(self._request)
        if self._fault is Fault.CUT_BODY and body:
            await response.write(body[: len(body) // 2])
            self._met()
            self._cut()
            return
        await response.write(body)
        await response.write_eof()

    # --- streams ---

    async def _relay(self, upstream: aiohttp.ClientResponse, response: web.StreamResponse) -> None:
        await response.prepare(self._request)
        wait = self._plan.random.randint(_EARLIEST, _LATEST)
        async for piece in upstream.content.iter_any():
            wait -= 1
            if self._fault is not None and wait <= 0 and await self._interrupted(response, piece):
                return
            await response.write(piece)
        await response.write_eof()

    async def _interrupted(self, response: web.StreamResponse, piece: bytes) -> bool:
        """Let the fault befall a stream at this piece, if it can; a fault that ends the stream returns True."""
        if self._fault is Fault.EXPIRED:
            return await self._expired(response, piece)
        await response.write(piece[: _inside_last_line(piece)])
        fault = self._met()
        if fault is Fault.CUT_WATCH:
            self._cut()
        elif fault is Fault.TRUNCATE:
            await response.write_eof()
        else:
            await asyncio.get_running_loop().create_future()  # until the client goes away
        return True

    async def _expired(self, response: web.StreamResponse, piece: bytes) -> bool:
        end = piece.rfind(b"\n") + 1
        if not end:
            return False  # inside a line; the next piece may have its end
        event = {"type": "ERROR", "object": _status(410, "Expired")}
        await response.write(piece[:end] + json.dumps(event).encode() + b"\n")
        self._met()
        await response.write_eof()
        return True


def _inside_last_line(piece: bytes) -> int:
    start = piece.rfind(b"\n", 0, len(piece) - 1) + 1
    return (start + len(piece)) // 2


def _refusal(fault: Fault) -> web.StreamResponse:
    code, reason = _ANSWERS[fault]
    headers = {"Retry-After": "1"} if fault is Fault.TOO_MANY_REQUESTS else {}
    return web.json_response(_status(code, reason), status=code, headers=headers)


def _status(code: int, reason: str) -> dict[str, Any]:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the fault proxy says so",
        "reason": reason,
        "code": code,
    }


def passed_on(headers: MultiMapping[str]) -> list[tuple[str, str]]:
    """Return the headers that are not of one connection alone."""
    return [(name, value) for name, value in headers.items() if name.lower() not in _NOT_PASSED_ON]
