"""The in-process transport: a client's requests straight into the embedded API server, with no socket between.

Interchangeable with the HTTP one, for `konverge.Client` and for a `Manager` (`transport=`): the same errors, the same
warnings, the same headers. It takes no real time, so it runs under virtual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from typing import Final

from konverge.api.request import ApiRequest
from konverge.client.http import retry_seconds, warning_texts
from konverge.client.transport import ApiResponse, error_of
from konverge.cluster.acting import ADMINISTRATOR
from konverge.cluster.answering import Answering, Handler, reading
from konverge.cluster.apiserver.exchange import Answer, Peer, Request, Response, Stream, Upgrade
from konverge.cluster.target import read_target
from konverge.errors import ApiError, ConnectionFailed, RequestError
from konverge.version import USER_AGENT

_OK: Final = range(200, 300)
_STOP_WITHIN: Final = 5.0  # seconds for answers under way, as at the other edge


class InProcessTransport:
    """Carries requests to a server in the same loop, as its administrator unless another `peer` is given.

    `authority` is the CA, in PEM, of the certificate that the server shows to others; empty where it listens to none.
    """

    def __init__(
        self, server: Handler, *, peer: Peer = ADMINISTRATOR, timeout: float = 60.0, authority: bytes = b""
    ) -> None:
        self.authority = authority
        self._answering = Answering(server)
        self._peer = peer
        self._timeout = timeout
        self._waits: dict[asyncio.Timeout, None] = {}  # what is under way, to be ended at the end
        self._is_quiet = asyncio.Event()  # nothing is under way
        self._is_quiet.set()
        self._is_closed = False
        self._is_stopped = False
        self._is_cut = False  # nothing is waited for any more

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Return the whole answer; raise `ApiError` if it says no."""
        self._refuse_if_closed(request)
        with self._no_answer(request):
            async with self._limit(self._timeout):
                answer = await self._ask(request)
                body = answer.body if isinstance(answer, Response) else await _whole(_stream(request, answer))
        if answer.status not in _OK:
            raise _error(request, answer, body)
        return ApiResponse(status=answer.status, body=body, warnings=_warnings(answer))

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a streaming answer."""
        self._refuse_if_closed(request)
        with self._no_answer(request):
            async with self._limit(self._timeout):
                answer = await self._ask(request)
        async with aclosing(self._chunks(request, answer)) as chunks:
            if answer.status not in _OK:
                raise _error(request, answer, b"".join([chunk async for chunk in chunks]))
            yield chunks

    async def _ask(self, request: ApiRequest) -> Answer:
        # As on a wire, others get their turn first: a task that only calls cannot keep the loop to itself.
        await asyncio.sleep(0)
        return await self._answering.answer(self._request(request))

    def _request(self, request: ApiRequest) -> Request:
        path, query = read_target(request.path)  # a raw one may carry a query of its own
        headers = {"user-agent": USER_AGENT, "accept": request.accept}
        if request.body is not None:
            headers["content-type"] = request.content_type
        for name, value in request.headers:
            known = headers.get(name.lower()) if name.lower() not in {"accept", "user-agent"} else None
            headers[name.lower()] = f"{known}, {value}" if known else value
        return Request(
            method=request.method,
            path=path,
            query=query + request.query,
            headers=headers,
            body=request.body or b"",
            peer=self._peer,
        )

    async def _chunks(self, request: ApiRequest, answer: Answer) -> AsyncGenerator[bytes]:
        if isinstance(answer, Response):
            yield answer.body
            return
        async with reading(_stream(request, answer)) as chunks:
            while True:
                with self._no_answer(request):
                    async with self._limit(None):
                        chunk = await anext(chunks, None)
                if chunk is None:
                    return
                yield chunk

    # --- the end ---

    async def close(self) -> None:
        """End what is under way; calls after it are an error."""
        self._is_closed = True
        await self._cut()

    async def stop(self) -> None:
        """Behave as if the server were gone: what comes gets no answer, nor what does not end soon by itself."""
        self._is_stopped = True
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_WITHIN):
                await self._is_quiet.wait()
        await self._cut()

    async def _cut(self) -> None:
        self._is_cut = True
        for wait in self._waits:
            wait.reschedule(asyncio.get_running_loop().time())
        await self._answering.finish()

    @asynccontextmanager
    async def _limit(self, seconds: float | None) -> AsyncIterator[None]:
        if self._is_cut:
            raise TimeoutError  # the end came between two waits
        async with asyncio.timeout(seconds) as wait:
            self._waits[wait] = None
            self._is_quiet.clear()
            try:
                yield
            finally:
                del self._waits[wait]
                if not self._waits:
                    self._is_quiet.set()

    @contextmanager
    def _no_answer(self, request: ApiRequest) -> Iterator[None]:
        """Say it as the HTTP transport does when nothing comes back."""
        try:
            yield
        except TimeoutError as error:
            what = "has stopped" if self._is_cut else f"did not answer within {self._timeout:g} s"
            raise ConnectionFailed(f"{request.operation}: the embedded API server {what}") from error

    def _refuse_if_closed(self, request: ApiRequest) -> None:
        if self._is_closed:
            raise RequestError("this client is closed: make a new one")
        if self._is_stopped:
            raise ConnectionFailed(f"{request.operation}: the embedded API server has stopped")


def _stream(request: ApiRequest, answer: Stream | Upgrade) -> Stream:
    if isinstance(answer, Upgrade):
        raise RequestError(f"{request.operation}: another protocol is spoken over HTTPS only; let the cluster listen")
    return answer


async def _whole(answer: Stream) -> bytes:
    async with reading(answer) as chunks:
        return b"".join([chunk async for chunk in chunks])


def _error(request: ApiRequest, answer: Answer, body: bytes) -> ApiError:
    found = [value for name, value in answer.headers if name.lower() == "retry-after"]
    return error_of(request, answer.status, body, retry_after=retry_seconds(found[0] if found else None))


def _warnings(answer: Answer) -> tuple[str, ...]:
    headers = [value for name, value in answer.headers if name.lower() == "warning"]
    return tuple(text for header in headers for text in warning_texts(header))
