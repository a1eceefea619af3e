from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from konverge.api.request import ApiRequest
from konverge.client.transport import Transport
from konverge.cluster.apiserver.exchange import Answer, Peer, Request, Response
from konverge.cluster.apiserver.failure import not_found
from konverge.cluster.transport import InProcessTransport
from konverge.errors import ConnectionFailed, NotFound, Operation, RequestError, TooManyRequests
from konverge.testing import virtual_time
from konverge.version import USER_AGENT

GET = ApiRequest(method="GET", path="/api/v1/pods", operation=Operation(verb="list", resource="pods"))
POST = ApiRequest(
    method="POST",
    path="/api/v1/namespaces/a%20b/pods?x=1",
    operation=Operation(verb="create", resource="pods"),
    query=(("dryRun", "All"),),
    headers=(("Impersonate-Group", "a"), ("Impersonate-Group", "b")),
    accept="application/yaml",
    content_type="application/yaml",
    body=b"a: b",
)


async def test_a_request_arrives_as_over_the_wire(scripted: Any) -> None:
    """Percent-decoded, with the client's name and content type, from the administrator."""
    server = scripted()
    transport: Transport = InProcessTransport(server)
    answer = await transport.call(POST)
    assert (answer.status, answer.body, answer.warnings) == (200, b"{}", ())
    assert server.requests == [
        Request(
            method="POST",
            path="/api/v1/namespaces/a b/pods",
            query=(("x", "1"), ("dryRun", "All")),
            headers={
                "user-agent": USER_AGENT,
                "accept": "application/yaml",
                "content-type": "application/yaml",
                "impersonate-group": "a, b",
            },
            body=b"a: b",
            peer=Peer(is_trusted=True),
        )
    ]


async def test_an_answer_that_says_no_is_the_error_that_fits(scripted: Any) -> None:
    """With the operation, as the HTTP transport raises it."""
    status = msgspec.json.encode(not_found("pods", "", "x").status())
    transport = InProcessTransport(scripted(lambda _: Response(status=404, body=status)))
    with pytest.raises(NotFound, match='list pods: pods "x" not found'):
        await transport.call(GET)
    with pytest.raises(NotFound, match='list pods: pods "x" not found'):
        async with transport.stream(GET):
            pass


async def test_retry_after_and_warnings_are_read_from_headers(scripted: Any) -> None:
    """What is not in the body."""

    def answer(request: Request) -> Answer:
        if request.method == "GET":
            return Response(status=429, headers=(("Retry-After", "7"),))
        return Response(status=201, headers=(("Warning", '299 - "unknown field \\"a\\""'), ("Warning", '299 - "b"')))

    transport = InProcessTransport(scripted(answer))
    with pytest.raises(TooManyRequests) as caught:
        await transport.call(GET)
    assert caught.value.retry_after == 7
    assert (await transport.call(POST)).warnings == ('unknown field "a"', "b")


async def test_a_stream_is_handed_on_and_closed_with_its_block(scripted: Any, chunks: Any) -> None:
    """Whoever leaves early ends the watch behind it."""
    transport = InProcessTransport(scripted(chunks.answer))
    async with transport.stream(GET) as stream:
        chunks.queue.put_nowait(b"one")
        assert await anext(stream) == b"one"
        assert not chunks.ended.is_set()
    assert chunks.ended.is_set()


async def test_a_stream_that_ends_in_order_ends_the_iteration(scripted: Any, chunks: Any) -> None:
    """No error: the client watches again."""
    for chunk in (b"one", b"two", None):
        chunks.queue.put_nowait(chunk)
    async with InProcessTransport(scripted(chunks.answer)).stream(GET) as stream:
        assert [chunk async for chunk in stream] == [b"one", b"two"]


async def test_a_whole_answer_may_be_read_as_a_stream_and_a_stream_whole(scripted: Any, chunks: Any) -> None:
    """As over HTTP, where they look alike."""
    async with InProcessTransport(scripted()).stream(GET) as stream:
        assert [chunk async for chunk in stream] == [b"{}"]
    for chunk in (b"one", b"two", None):
        chunks.queue.put_nowait(chunk)
    assert (await InProcessTransport(scripted(chunks.answer)).call(GET)).body == b"onetwo"


@pytest.mark.parametrize("turns", range(1, 6))
@pytest.mark.parametrize("end", ["close", "stop"])
def test_what_is_under_way_at_the_end_gets_no_answer(end: str, turns: int, scripted: Any, chunks: Any) -> None:
    """Calls and streams that do not end by themselves, as when connections are cut; wherever they are on their way."""

    async def main() -> None:
        server = scripted()
        server.gate = asyncio.Event()
        calling, watching = InProcessTransport(server), InProcessTransport(scripted(chunks.answer))
        tasks = [asyncio.ensure_future(calling.call(GET)), asyncio.ensure_future(_read_one(watching))]
        for _ in range(turns):
            await asyncio.sleep(0)
        await getattr(calling, end)()
        await getattr(watching, end)()
        for task in tasks:
            with pytest.raises(ConnectionFailed, match="list pods: the embedded API server has stopped"):
                await task
        assert server.answered == 0

    virtual_time.run(main())


async def _read_one(transport: InProcessTransport) -> bytes:
    async with transport.stream(GET) as stream:
        return await anext(stream)


async def test_a_stream_that_the_server_ends_while_stopping_ends_in_order(scripted: Any, chunks: Any) -> None:
    """The last chunk arrives, and no error."""
    transport = InProcessTransport(scripted(chunks.answer))
    async with transport.stream(GET) as stream:
        stopping = asyncio.ensure_future(transport.stop())
        for chunk in (b"last", None):
            chunks.queue.put_nowait(chunk)
        assert [chunk async for chunk in stream] == [b"last"]
    await stopping


async def test_a_closed_transport_refuses_and_a_stopped_server_does_not_answer(scripted: Any) -> None:
    """The first is a mistake of the program, the second is what a client must expect of any server."""
    closed, stopped = InProcessTransport(scripted()), InProcessTransport(scripted())
    await closed.close()
    await stopped.stop()
    with pytest.raises(RequestError, match="this client is closed"):
        await closed.call(GET)
    with pytest.raises(ConnectionFailed):
        await stopped.call(GET)
    with pytest.raises(ConnectionFailed):
        async with stopped.stream(GET):
            pass


async def test_a_cancelled_write_is_finished_and_a_cancelled_read_is_not(scripted: Any) -> None:
    """A write that is half done would leave what follows from it undone."""
    server = scripted()
    server.gate = asyncio.Event()
    transport = InProcessTransport(server)
    for request in (POST, GET):
        call = asyncio.ensure_future(transport.call(request))
        await server.asked.get()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    await asyncio.wait_for(server.cancelled.wait(), 5)
    server.gate.set()
    await transport.close()
    assert server.answered == 1


def test_an_answer_that_does_not_come_in_time_is_no_answer(scripted: Any) -> None:
    """In virtual time too."""

    async def main() -> None:
        server = scripted()
        server.gate = asyncio.Event()
        with pytest.raises(ConnectionFailed, match="did not answer within 60 s"):
            await InProcessTransport(server).call(GET)

    virtual_time.run(main())


def test_a_caller_does_not_keep_the_loop_to_itself(scripted: Any) -> None:
    """Each call lets others run, though nothing is ever waited for."""

    async def main() -> int:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.ensure_future(other())
        transport = InProcessTransport(scripted())
        for _ in range(10):
            await transport.call(GET)
        task.cancel()
        return turns

    assert virtual_time.run(main()) >= 10
