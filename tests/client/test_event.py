from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

import konverge as kv
from konverge.errors import ConnectionFailed, DecodeError, Expired, Unauthorized
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.client.conftest import Loopback

ADDED = b'{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"5"}}}\n'
STREAM = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


async def note(events: AsyncIterator[kv.WatchEvent[core_v1.ConfigMap]], seen: list[str | None]) -> None:
    """Follow a watch, noting each name as it comes."""
    async for event in events:
        seen.append(event.object.metadata.name)  # noqa: PERF401 - what was given before an error counts


def config_map(name: str = "a") -> core_v1.ConfigMap:
    """A ConfigMap that names no namespace."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name=name), data={"x": "1"})


async def test_events(own: kv.Client) -> None:
    """A watch from a version on sees each change after it, in order, with the object as it was then."""
    start = (await own.list(core_v1.ConfigMap)).resource_version
    made = await own.create(config_map())
    made.data = {"x": "2"}
    await own.update(made)
    await own.delete(made)
    seen = []
    async with aclosing(own.watch(core_v1.ConfigMap, resource_version=start)) as events:
        async for event in events:
            seen.append((event.type, event.object.data))
            if event.type is kv.EventType.DELETED:
                break
    assert seen == [("ADDED", {"x": "1"}), ("MODIFIED", {"x": "2"}), ("DELETED", {"x": "2"})]


async def test_without_a_version_what_is_there_comes_first(own: kv.Client) -> None:
    """A watch from nowhere begins with what there is."""
    await own.create(config_map())
    async with aclosing(own.watch(core_v1.ConfigMap)) as events:
        event = await anext(events)
    assert (event.type, event.object.metadata.name) == (kv.EventType.ADDED, "a")


async def test_selectors(own: kv.Client) -> None:
    """A watch takes the selectors of a list, and only what they select is seen."""
    start = (await own.list(core_v1.ConfigMap)).resource_version
    for name in ("a", "b"):
        await own.create(config_map(name))
    watch = own.watch(core_v1.ConfigMap, resource_version=start, fields={"metadata.name": "b"})
    async with aclosing(watch) as events:
        assert (await anext(events)).object.metadata.name == "b"


async def test_initial_events_have_an_end(own: kv.Client) -> None:
    """A streaming list gives what there is, then the bookmark that ends it."""
    for name in ("a", "b"):
        await own.create(config_map(name))
    seen = []
    async with aclosing(own.watch(core_v1.ConfigMap, send_initial_events=True)) as events:
        async for event in events:
            if event.ends_initial_events:
                assert event.type is kv.EventType.BOOKMARK
                assert event.object.metadata.resource_version
                break
            seen.append(event.object.metadata.name)
    assert seen == ["a", "b"]


async def test_metadata_only(own: kv.Client) -> None:
    """A watch of metadata gives metadata, with the kind it belongs to."""
    await own.create(config_map())
    async with aclosing(own.watch(kv.metadata_only(core_v1.ConfigMap), send_initial_events=True)) as events:
        event = await anext(events)
    assert isinstance(event.object, kv.PartialObjectMetadata)
    assert (event.object.kind, event.object.metadata.name) == ("ConfigMap", "a")


async def test_the_server_ends_it(own: kv.Client) -> None:
    """A watch with a time limit ends without an error."""
    start = (await own.list(core_v1.ConfigMap)).resource_version
    await own.create(config_map())
    watch = own.watch(core_v1.ConfigMap, resource_version=start, timeout_seconds=1)
    assert [event.type async for event in watch if event.type is not kv.EventType.BOOKMARK] == ["ADDED"]


async def test_a_version_that_is_too_old(loopback: Loopback) -> None:
    """An ERROR event of code 410 is raised as Expired, with the operation in the message."""
    error = b'{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}\n'
    loopback.answers = [type(loopback.CUT)(STREAM + chunk(ADDED + error) + b"0\r\n\r\n")]
    seen: list[str | None] = []
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(Expired, match=r"watch configmaps.*too old"):
            await note(client.watch(core_v1.ConfigMap, resource_version="1"), seen)
    assert seen == ["a"]


async def test_events_before_a_bad_one_are_given(loopback: Loopback) -> None:
    """A line that is no event ends the watch with a DecodeError that names the operation."""
    loopback.answers = [type(loopback.CUT)(STREAM + chunk(ADDED) + chunk(b"<html>\n") + b"0\r\n\r\n")]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(DecodeError, match="watch configmaps"):
            async for _ in client.watch(core_v1.ConfigMap):
                pass


async def test_an_unknown_type(loopback: Loopback) -> None:
    """An event of a type that does not exist is a DecodeError, not a KeyError."""
    loopback.answers = [type(loopback.CUT)(STREAM + chunk(b'{"type":"NEWS","object":{}}\n') + b"0\r\n\r\n")]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(DecodeError, match="NEWS"):
            async for _ in client.watch(core_v1.ConfigMap):
                pass


@pytest.mark.parametrize(
    "data",
    [
        STREAM + chunk(ADDED),
        STREAM + chunk(ADDED) + b"ff\r\n" + ADDED[:20],
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + ADDED + ADDED[:20],
    ],
    ids=["between events", "inside an event", "without a length"],
)
async def test_a_truncated_stream(loopback: Loopback, data: bytes) -> None:
    """A stream that breaks raises ConnectionFailed after the events that were complete."""
    loopback.answers = [type(loopback.CUT)(data, close=True)]
    seen: list[str | None] = []
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(ConnectionFailed, match="watch configmaps"):
            await note(client.watch(core_v1.ConfigMap), seen)
    assert seen == ["a"]
    assert len(loopback.seen) == 1  # a broken stream is the reader's: only they know how far they had come


async def test_leaving_early_closes_the_connection(loopback: Loopback) -> None:
    """A reader that leaves a watch leaves no connection behind."""
    loopback.answers = [type(loopback.CUT)(STREAM + chunk(ADDED), hold=True)]
    async with kv.Client.connect(loopback.config()) as client:
        async with aclosing(client.watch(core_v1.ConfigMap)) as events:
            await anext(events)
        await asyncio.wait_for(loopback.disconnected.wait(), 10)


async def test_a_loop_that_breaks_closes_the_connection(loopback: Loopback) -> None:
    """A plain loop that breaks leaves no connection behind either, once the watch is forgotten."""
    loopback.answers = [type(loopback.CUT)(STREAM + chunk(ADDED), hold=True)]
    async with kv.Client.connect(loopback.config()) as client:
        async for _ in client.watch(core_v1.ConfigMap):
            break
        await asyncio.wait_for(loopback.disconnected.wait(), 10)


async def test_an_object_that_does_not_fit(loopback: Loopback) -> None:
    """An event whose object does not fit the class is a DecodeError that names it."""
    event = '{"type":"ADDED","object":{"metadata":{"name":"bad"},"data":7}}\n'
    loopback.answers = [loopback.text(event)]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(DecodeError, match=r'watch configmaps: "bad": .*Unstructured'):
            await anext(client.watch(core_v1.ConfigMap))


async def test_cancelling_closes_the_connection(loopback: Loopback) -> None:
    """A watch that is cancelled while it waits passes the cancellation on and closes the connection."""
    loopback.answers = [type(loopback.CUT)(STREAM + chunk(ADDED), hold=True)]
    given = asyncio.Event()

    async def follow(client: kv.Client) -> None:
        async for _ in client.watch(core_v1.ConfigMap):
            given.set()

    async with kv.Client.connect(loopback.config()) as client:
        task = asyncio.create_task(follow(client))
        await given.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(loopback.disconnected.wait(), 10)


async def test_watches_do_not_keep_calls_waiting(loopback: Loopback) -> None:
    """Any number of open watches leaves the connections for calls alone."""
    loopback.answers = [type(loopback.CUT)(STREAM + chunk(ADDED), hold=True)] * 40 + [loopback.json({"major": "1"})]
    async with kv.Client.connect(loopback.config()) as client:
        watches = [client.watch(core_v1.ConfigMap) for _ in range(40)]
        for watch in watches:
            await anext(watch)
        assert await client.version() == {"major": "1"}
        for watch in watches:
            await watch.aclose()


async def test_a_refused_watch(loopback: Loopback) -> None:
    """A watch that is answered by an error raises it, and with nothing fresh to send asks once."""
    loopback.answers = [loopback.status(401, "Unauthorized")]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(Unauthorized):
            await anext(client.watch(core_v1.ConfigMap))
    assert len(loopback.seen) == 1


async def test_a_server_that_never_begins_to_answer(loopback: Loopback) -> None:
    """A watch that gets no headers within the time of a call fails, and does not wait for ever."""
    loopback.answers = [type(loopback.CUT)(hold=True)]
    async with kv.Client.connect(loopback.config(), timeout=0.05, retry=kv.RetryPolicy(attempts=1)) as client:
        with pytest.raises(ConnectionFailed, match="did not answer in time"):
            await anext(client.watch(core_v1.ConfigMap))
