"""What watches show, and in which order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from konverge.cluster.apiserver.exchange import Stream
from konverge.cluster.apiserver.reading.watch_stream import WatchStream
from konverge.testing.virtual_time import run

if TYPE_CHECKING:
    from tests.cluster.apiserver.conftest import Served

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
GADGETS = "/apis/example.com/v1/namespaces/default/gadgets"
PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"


def brief(event: dict[str, Any]) -> tuple[str, str, str]:
    """Return an event's type, and its object's name and version."""
    metadata = event["object"]["metadata"]
    return event["type"], metadata.get("name", ""), metadata["resourceVersion"]


def on_virtual_time(serving: type[Served], test: Callable[[Served], Awaitable[None]]) -> None:
    """Run a test with an empty server on a loop whose time passes by itself."""

    async def main() -> None:
        served = serving()
        await test(served)
        await served.server.close()
        await served.storage.close()

    run(main())


async def test_from_a_version(served: Served) -> None:
    """A watch from a version shows every change after it, creations and deletions as what they are."""
    since = served.storage.revision
    stream = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion={since}&timeoutSeconds=60")
    thing = served.config_map("c")
    made, changed = await served.put(thing), await served.put({**thing, "data": {"k": "2"}})
    gone = await served.delete(thing)
    found: list[dict[str, Any]] = []
    async for chunk in stream.chunks:
        found += map(json.loads, chunk.splitlines())
        if len(found) == 3:
            break
    assert list(map(brief, found)) == [
        ("ADDED", "c", str(made)),
        ("MODIFIED", "c", str(changed)),
        ("DELETED", "c", str(gone)),
    ]


def test_without_a_version_begins_with_the_state(serving: type[Served]) -> None:
    """No version, or 0, means what is there as ADDED, in the order of keys, and then what happens."""

    async def test(served: Served) -> None:
        for name in ("b", "a"):
            await served.put(served.config_map(name))
        await served.put(served.config_map("x", namespace="other"))
        for version in ("", "&resourceVersion=0"):
            stream = await served.watch(f"{CONFIG_MAPS}?watch=true&timeoutSeconds=1{version}")
            assert [brief(event)[:2] for event in await served.events(stream)] == [("ADDED", "a"), ("ADDED", "b")]

    on_virtual_time(serving, test)


def test_initial_events_end_with_a_bookmark(serving: type[Served]) -> None:
    """With sendInitialEvents and bookmarks the state ends with a bookmark that says so."""

    async def test(served: Served) -> None:
        made = await served.put(served.config_map("a"))
        query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
        stream = await served.watch(f"{CONFIG_MAPS}?{query}&timeoutSeconds=1")
        *_, last = await served.events(stream)
        assert last == {
            "type": "BOOKMARK",
            "object": {
                "kind": "ConfigMap",
                "apiVersion": "v1",
                "metadata": {"resourceVersion": str(made), "annotations": {"k8s.io/initial-events-end": "true"}},
            },
        }

    on_virtual_time(serving, test)


def test_a_future_version_with_initial_events_is_an_error_event(serving: type[Served]) -> None:
    """The state at a version that does not come within three seconds is a 504 in the stream."""

    async def test(served: Served) -> None:
        query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999"
        stream = await served.watch(f"{CONFIG_MAPS}?{query}")
        assert asyncio.get_running_loop().time() == pytest.approx(3.0, abs=0.1)
        (event,) = await served.events(stream)
        assert event["type"] == "ERROR"
        assert event["object"]["message"] == "Timeout: Too large resource version: 999, current: 1"
        assert event["object"]["details"]["retryAfterSeconds"] == 1

    on_virtual_time(serving, test)


def test_a_future_version_is_waited_for(serving: type[Served]) -> None:
    """A watch from a version that is yet to come shows nothing until then."""

    async def test(served: Served) -> None:
        stream = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion=3&timeoutSeconds=5")
        for name in "abc":
            await served.put(served.config_map(name))
        assert [brief(event) for event in await served.events(stream)] == [("ADDED", "c", "4")]

    on_virtual_time(serving, test)


def test_a_compacted_version_is_an_error_event(serving: type[Served]) -> None:
    """A version that is no longer kept is a 410 in a stream of its own."""

    async def test(served: Served) -> None:
        await served.put(served.config_map("a"))
        await asyncio.sleep(3600)
        await served.put(served.config_map("b"))
        await served.put(served.config_map("c"))
        assert served.storage.compacted > 1
        stream = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion=1")
        (event,) = await served.events(stream)
        assert (event["type"], event["object"]["reason"], event["object"]["code"]) == ("ERROR", "Expired", 410)
        assert event["object"]["message"] == f"too old resource version: 1 ({served.storage.compacted})"

    on_virtual_time(serving, test)


@pytest.mark.parametrize("selector", ["labelSelector=x%3D1", "fieldSelector=spec.color%3Dred"])
def test_selectors_turn_changes_into_arrivals_and_departures(serving: type[Served], selector: str) -> None:
    """What begins to match is ADDED; what ceases to is DELETED: as it was seen last, with the version of the change."""

    async def test(served: Served) -> None:
        def state(*, matches: bool, note: int) -> dict[str, Any]:
            found = served.gadget("a", color="red" if matches else "blue", note=note)
            found["metadata"]["labels"] = {"x": "1" if matches else "0"}
            return found

        stream = await served.watch(f"{GADGETS}?watch=true&resourceVersion=1&timeoutSeconds=9&{selector}")
        for matches, note in ((False, 1), (True, 2), (True, 3), (False, 4), (False, 5)):
            await served.put(state(matches=matches, note=note))
        await served.delete(state(matches=False, note=5))
        found = await served.events(stream)
        seen = [(*brief(event), event["object"]["spec"]["note"]) for event in found]
        assert seen == [("ADDED", "a", "3", 2), ("MODIFIED", "a", "4", 3), ("DELETED", "a", "5", 3)]

    on_virtual_time(serving, test)


def test_one_object(serving: type[Served]) -> None:
    """By field selector and by the old path: only the object of that name, not one whose name begins alike."""

    async def test(served: Served) -> None:
        streams = [
            await served.watch(f"{CONFIG_MAPS}?watch=true&timeoutSeconds=2&fieldSelector=metadata.name%3Da"),
            await served.watch("/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=2"),
        ]
        for name in ("ab", "a", "b"):
            await served.put(served.config_map(name))
        for stream in streams:
            assert [brief(event) for event in await served.events(stream)] == [("ADDED", "a", "3")]

    on_virtual_time(serving, test)


def test_across_namespaces(serving: type[Served]) -> None:
    """A watch of all namespaces shows each one's objects; a namespace's, only its own."""

    async def test(served: Served) -> None:
        everywhere = await served.watch("/api/v1/configmaps?watch=true&resourceVersion=1&timeoutSeconds=2")
        here = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion=1&timeoutSeconds=2")
        await served.put(served.config_map("a"))
        await served.put(served.config_map("a", namespace="other"))
        assert len(await served.events(everywhere)) == 2
        assert len(await served.events(here)) == 1

    on_virtual_time(serving, test)


def test_bookmarks_come_each_minute_and_before_the_end(serving: type[Served]) -> None:
    """A bookmark names the last version, about each minute, and once two seconds before the time is up."""

    async def test(served: Served) -> None:
        loop = asyncio.get_running_loop()
        stream = await served.watch(
            f"{CONFIG_MAPS}?watch=true&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=150"
        )
        await served.put(served.gadget("elsewhere"))
        times = []
        async for chunk in stream.chunks:
            (event,) = map(json.loads, chunk.splitlines())
            times.append((loop.time(), brief(event)))
        bookmark = ("BOOKMARK", "", "2")
        assert times == [(60.0, bookmark), (120.0, bookmark), (148.0, bookmark)]
        assert loop.time() == 150.0

    on_virtual_time(serving, test)


def test_no_bookmarks_unasked(serving: type[Served]) -> None:
    """Without allowWatchBookmarks there are none, and none that say nothing new."""

    async def test(served: Served) -> None:
        quiet = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion=1&timeoutSeconds=300")
        asked = f"{CONFIG_MAPS}?watch=true&resourceVersion=2&timeoutSeconds=300&allowWatchBookmarks=true"
        await served.put(served.gadget("elsewhere"))
        up_to_date = await served.watch(asked)
        assert await served.events(quiet) == []
        assert await served.events(up_to_date) == []

    on_virtual_time(serving, test)


def test_lasts_half_an_hour_to_an_hour_by_itself(serving: type[Served]) -> None:
    """A watch whose client names no time ends between 30 and 60 minutes."""

    async def test(served: Served) -> None:
        await served.events(await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion=1"))
        assert 1800 <= asyncio.get_running_loop().time() <= 3600

    on_virtual_time(serving, test)


def test_as_metadata(serving: type[Served]) -> None:
    """PartialObjectMetadata events carry the metadata and nothing else, bookmarks too."""

    async def test(served: Served) -> None:
        await served.put(served.config_map("a"))
        path = f"{CONFIG_MAPS}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true"
        added, bookmark = await served.events(await served.watch(path, accept=PARTIAL))
        head = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
        metadata = {"name": "a", "namespace": "default", "resourceVersion": "2"}
        assert added["object"] == {**head, "metadata": metadata}
        assert bookmark["object"] == {
            **head,
            "metadata": {"resourceVersion": "2", "annotations": {"k8s.io/initial-events-end": "true"}},
        }

    on_virtual_time(serving, test)


def test_as_table(serving: type[Served]) -> None:
    """Each event is a Table of one row; only the first names the columns."""

    async def test(served: Served) -> None:
        for name in "ab":
            await served.put(served.config_map(name))
        path = f"{CONFIG_MAPS}?watch=true&timeoutSeconds=1"
        first, second = await served.events(await served.watch(path, accept=TABLE))
        assert first["object"]["kind"] == second["object"]["kind"] == "Table"
        assert [event["object"]["rows"][0]["cells"][0] for event in (first, second)] == ["a", "b"]
        assert first["object"]["columnDefinitions"]
        assert second["object"]["columnDefinitions"] is None

    on_virtual_time(serving, test)


def test_another_version(serving: type[Served]) -> None:
    """Events are in the version of the request, whatever is stored."""

    async def test(served: Served) -> None:
        await served.put(served.gadget("a"))
        path = "/apis/example.com/v1beta1/namespaces/default/gadgets?watch=true&timeoutSeconds=1"
        (event,) = await served.events(await served.watch(path))
        assert event["object"]["apiVersion"] == "example.com/v1beta1"

    on_virtual_time(serving, test)


async def test_watchers_share_one_encoding(served: Served) -> None:
    """A change is encoded once for all who watch it in one form."""
    since = served.storage.revision
    path = f"{GADGETS}?watch=true&resourceVersion={since}&timeoutSeconds=60"
    streams = [await served.watch(path) for _ in range(3)]
    await served.put(served.gadget("c"))
    first, *others = [await anext(aiter(stream.chunks)) for stream in streams]
    assert all(other is first for other in others)
    await close(streams)


async def close(streams: list[Stream]) -> None:
    """Close what was not read to its end."""
    for stream in streams:
        assert isinstance(stream.chunks, WatchStream)
        await stream.chunks.aclose()


async def test_closing_the_server_ends_streams(served: Served) -> None:
    """A reader that waits gets the end of its stream, after what had happened before."""
    since = served.storage.revision
    stream = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion={since}")
    await served.put(served.config_map("c"))
    unread = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion={since}")
    reading = asyncio.create_task(served.events(stream))
    await asyncio.sleep(0)
    await served.server.close()
    for found in (await reading, await served.events(unread)):
        assert [brief(event)[:2] for event in found] == [("ADDED", "c")]


async def test_closing_an_unread_stream(served: Served) -> None:
    """A stream that nobody reads lets go of the storage when it is closed."""
    stream = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion=1")
    await close([stream])
    assert [event async for event in stream.chunks] == []


async def test_another_definition_ends_its_watches(served: Served) -> None:
    """When a definition changes, those who watch what it defined begin anew; others go on."""
    since, resources = served.storage.revision, served.server.resources
    stream = await served.watch(f"{GADGETS}?watch=true&resourceVersion={since}")
    other = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion={since}")
    await served.put(served.gadget("c"))
    resource = resources.find("example.com", "v1", "gadgets")
    assert resource is not None
    resources.add(replace(resource))
    served.server._context.streams.end_changed(resources)
    assert [brief(event)[:2] for event in await served.events(stream)] == [("ADDED", "c")]
    await served.put(served.config_map("c"))
    assert b'"ADDED"' in await anext(aiter(other.chunks))
    await close([other])


def test_closing_while_a_bookmark_is_due(serving: type[Served]) -> None:
    """A server that closes at the very moment of a bookmark still ends its streams."""

    async def test(served: Served) -> None:
        loop = asyncio.get_running_loop()
        path = f"{CONFIG_MAPS}?watch=true&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=600"
        reading = [asyncio.create_task(served.events(await served.watch(path))) for _ in range(2)]
        await asyncio.sleep(0)
        loop.call_at(60.0, served.server._context.streams.close)
        assert await asyncio.gather(*reading) == [[], []]
        assert loop.time() == 60.0

    on_virtual_time(serving, test)


@pytest.mark.parametrize(
    ("path", "rest"),
    [
        ("/api/v1/pods", {"spec": {"containers": None}, "status": {}}),
        ("/apis/coordination.k8s.io/v1/leases", {"spec": {}}),
        ("/api/v1/secrets", {}),
        ("/apis/example.com/v1/gadgets", {}),
    ],
)
def test_bookmarks_are_empty_objects(serving: type[Served], path: str, rest: dict[str, Any]) -> None:
    """A bookmark of a built-in kind has the fields that its type never leaves out; a custom resource's has none."""

    async def test(served: Served) -> None:
        stream = await served.watch(f"{path}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true")
        (event,) = await served.events(stream)
        found = event["object"]
        assert {name: part for name, part in found.items() if name not in {"kind", "apiVersion", "metadata"}} == rest

    on_virtual_time(serving, test)


async def test_what_gathers_for_a_slow_reader_comes_in_pieces(served: Served) -> None:
    """A reader that is behind holds one piece at a time, not all that it missed."""
    since = served.storage.revision
    stream = await served.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion={since}&timeoutSeconds=60")
    for number in range(20):
        await served.put({**served.config_map(f"c{number}"), "data": {"k": "x" * 200_000}})
    sizes: list[int] = []
    names: list[str] = []
    async for chunk in stream.chunks:
        sizes.append(len(chunk))
        names += [json.loads(line)["object"]["metadata"]["name"] for line in chunk.splitlines()]
        if len(names) == 20:
            break
    assert names == [f"c{number}" for number in range(20)]
    assert max(sizes) < 500_000
