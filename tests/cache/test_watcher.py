"""What the watcher does, as transcripts: a script of the server on one side, what the sink saw on the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from konverge import errors
from konverge.api.kind import Resource
from konverge.api.request import ApiRequest
from konverge.cache.machine import Listing, State, Waiting, Watching
from konverge.cache.watcher import Limits, Query, Watcher
from konverge.testing.scripted import Event, Fail, Pause, ScriptedTransport, Stream, bookmark, page
from konverge.testing.virtual_time import run

PODS = Resource(group="", version="v1", kind="Pod", plural="pods", namespaced=True)


def pod(name: str, version: int) -> dict[str, Any]:
    """Return a small object."""
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "resourceVersion": str(version)}}


class Transcript:
    """A sink that writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def _name(self, data: bytes | Raw) -> tuple[str, str]:
        metadata = msgspec.json.decode(data)["metadata"]
        return metadata["name"], metadata["resourceVersion"]

    def heard(self, moment: float) -> None:
        """Something came; the lines below say what."""

    def list_started(self) -> None:
        """A list begins."""
        self.lines.append("list")

    def listed(self, data: bytes | Raw) -> None:
        """One object of it."""
        self.lines.append(f"  {'@'.join(self._name(data))}")

    def unlisted(self, data: bytes) -> None:
        """One object taken back."""
        self.lines.append(f"  not {self._name(data)[0]}")

    def list_finished(self, version: str) -> None:
        """The list is complete."""
        self.lines.append(f"listed at {version}")

    def changed(self, data: bytes) -> str:
        """An object changed."""
        name, version = self._name(data)
        self.lines.append(f"changed {name}@{version}")
        return version

    def deleted(self, data: bytes) -> str:
        """An object was deleted."""
        name, version = self._name(data)
        self.lines.append(f"deleted {name}@{version}")
        return version

    def reached(self, version: str) -> None:
        """A bookmark."""
        self.lines.append(f"reached {version}")

    def state_changed(self, state: State) -> None:
        """The state, where it is a new one."""
        match state:
            case Waiting(seconds, _, problem):
                self.lines.append(f"waiting {seconds:g} ({problem.reason})")
            case Watching(version):
                self.lines.append(f"watching from {version}")
            case Listing(stream):
                self.lines.append(f"listing {'as a stream' if stream else 'in pages'}")


def play(
    *steps: Any, settle: float = 1.0, query: Query | None = None, limits: Limits | None = None
) -> tuple[list[str], ScriptedTransport, float]:
    """Run a watcher through a script and `settle` seconds more; return what it told, what it asked, and the time."""
    transport, sink = ScriptedTransport(list(steps)), Transcript()
    watcher = Watcher(transport, query or Query(resource=PODS), sink, random=Random(1), limits=limits)

    async def main() -> float:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(watcher.run())
        while transport.steps and not task.done():  # noqa: ASYNC110 - virtual time, and nothing tells of a step
            await asyncio.sleep(0.01)
        took = loop.time()
        await asyncio.sleep(settle)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return took

    return sink.lines, transport, run(main())


LISTED = (Event("ADDED", pod("a", 3)), bookmark(5, initial_events_end=True))


def test_a_streamed_list_goes_over_into_the_watch() -> None:
    """One connection brings the list, its end, and what happens after it."""
    lines, transport, _ = play(
        Stream((*LISTED, Event("MODIFIED", pod("a", 6)), bookmark(8), Event("DELETED", pod("a", 9))))
    )
    assert lines[:9] == [
        "listing as a stream",
        "list",
        "  a@3",
        "listed at 5",
        "watching from 5",
        "changed a@6",
        "reached 8",
        "deleted a@9",
        "watching from 9",
    ]
    first = dict(transport.requests[0].query)
    assert first["sendInitialEvents"] == "true"
    assert first["resourceVersionMatch"] == "NotOlderThan"
    assert first["allowWatchBookmarks"] == "true"
    assert "resourceVersion" not in first
    assert 180 <= int(first["timeoutSeconds"]) < 240
    assert dict(transport.requests[1].query)["resourceVersion"] == "9"


def test_changes_during_a_streamed_list_are_part_of_it() -> None:
    """What is deleted before the list is complete is never seen."""
    events = (
        Event("ADDED", pod("a", 3)),
        Event("ADDED", pod("b", 4)),
        Event("MODIFIED", pod("a", 5)),
        Event("DELETED", pod("b", 6)),
        bookmark(6),
        bookmark(7, initial_events_end=True),
    )
    lines, _, _ = play(Stream(events))
    assert lines[1:8] == ["list", "  a@3", "  b@4", "  a@5", "  not b", "listed at 7", "watching from 7"]


def test_a_server_without_streams_is_listed_in_pages() -> None:
    """Refused once, the stream is not asked for again, also not when everything is listed anew."""
    lines, transport, _ = play(
        Fail(errors.Invalid("sendInitialEvents is forbidden for watch")),
        page([pod("a", 1)], 5, "next"),
        page([pod("b", 2)], 5),
        Fail(errors.Expired("too old")),
        page([], 9),
        Stream((bookmark(10),), open_ended=True),
    )
    assert lines == [
        "listing as a stream",
        "list",
        "listing in pages",
        "list",
        "  a@1",
        "  b@2",
        "listed at 5",
        "watching from 5",
        "waiting 0 (expired)",
        "listing in pages",
        "list",
        "listed at 9",
        "watching from 9",
        "reached 10",
    ]
    assert dict(transport.requests[2].query)["continue"] == "next"
    assert dict(transport.requests[3].query)["resourceVersion"] == "5"


def test_without_bookmarks_lists_come_in_pages() -> None:
    """A streamed list would end with one; the watch has none, and goes on where its last change was."""
    change = Event("ADDED", pod("a", 6))
    lines, transport, _ = play(page([], 5), Stream((change,)), Stream(open_ended=True), limits=Limits(bookmarks=False))
    assert lines == ["listing in pages", "list", "listed at 5", "watching from 5", "changed a@6", "watching from 6"]
    for request in transport.requests:
        assert "allowWatchBookmarks" not in dict(request.query)
        assert "sendInitialEvents" not in dict(request.query)


def test_a_page_that_expires_is_asked_for_whole() -> None:
    """A list whose first version is gone half-way starts over, in one answer, and nothing of the half is kept."""
    lines, transport, _ = play(
        Fail(errors.Invalid("no streams")),
        page([pod("a", 1)], 5, "next"),
        Fail(errors.Expired("continue token too old")),
        page([pod("b", 2)], 8),
        Stream(open_ended=True),
    )
    assert lines[3:9] == ["list", "  a@1", "list", "  b@2", "listed at 8", "watching from 8"]
    assert "limit" not in dict(transport.requests[3].query)


def test_a_server_that_ignores_the_stream_is_noticed() -> None:
    """An old server sends the objects and never the end of the list; after ten silent seconds it is asked in pages."""
    lines, _, took = play(
        Stream((Event("ADDED", pod("a", 3)),), open_ended=True), page([pod("a", 3)], 5), Stream(open_ended=True)
    )
    assert lines[:4] == ["listing as a stream", "list", "  a@3", "waiting 0.8 (stalled)"]
    assert "listed at 5" in lines
    assert 10 < took < 13


def test_a_silent_watch_is_opened_again() -> None:
    """Bookmarks come each minute; two and a half silent ones mean that the connection is dead."""
    lines, transport, took = play(Stream(LISTED, open_ended=True), page([], 5), Stream((bookmark(6),), open_ended=True))
    assert lines[4:8] == ["watching from 5", "waiting 0 (stalled)", "watching from 5", "reached 6"]
    assert 150 <= took < 152
    assert dict(transport.requests[2].query)["resourceVersion"] == "5"


def test_a_watch_that_is_silent_again_and_again_is_opened_at_once_each_time() -> None:
    """A server without bookmarks and without news must not be left unwatched for half a minute."""
    silent = (page([], 5), Stream(open_ended=True))
    lines, _, took = play(Stream(LISTED, open_ended=True), *silent * 9)
    assert [line for line in lines if line.startswith("waiting")] == ["waiting 0 (stalled)"] * 9
    assert 9 * 150 <= took < 9 * 150 + 1


def test_a_server_with_older_data_is_noticed() -> None:
    """A watch from a version that a restored server has not reached would be silent: everything is listed anew."""
    cut = Fail(errors.ConnectionFailed("restarting"))
    older = (Event("ADDED", pod("a", 1)), bookmark(3, initial_events_end=True))
    lines, transport, _ = play(Stream((*LISTED, cut)), cut, page([], 2), Stream(older, open_ended=True))
    assert lines[5:] == [
        "waiting 0 (connection)",
        "watching from 5",
        "waiting 1.6 (connection)",
        "watching from 5",
        "waiting 3.2 (expired)",
        "listing as a stream",
        "list",
        "  a@1",
        "listed at 3",
        "watching from 3",
    ]
    assert dict(transport.requests[2].query) == {"limit": "1"}


def test_who_may_not_list_goes_on_watching() -> None:
    """The look at the server's version is a help, not a condition."""
    cut = Fail(errors.ConnectionFailed("cut"))
    lines, _, _ = play(
        Stream((*LISTED, cut)), Fail(errors.Forbidden("no list")), Stream((bookmark(6),), open_ended=True)
    )
    assert lines[-2:] == ["watching from 5", "reached 6"]


def test_a_bookmark_that_is_none_leads_to_a_new_list() -> None:
    """An event of the wrong shape is a server that is not well, not the end of the watcher."""
    lines, _, _ = play(Stream((*LISTED, Event("BOOKMARK", {"metadata": 7}))), Stream(LISTED, open_ended=True))
    assert lines[5:8] == ["waiting 0.8 (unreadable)", "listing as a stream", "list"]


def test_a_stream_that_is_given_up_is_closed_at_once() -> None:
    """An error event does not leave its connection open until the next one."""

    class Watched(ScriptedTransport):
        open: int = 0

        @asynccontextmanager
        async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
            self.open += 1
            try:
                async with super().stream(request) as chunks:
                    yield chunks
            finally:
                self.open -= 1

    async def main() -> None:
        gone = Event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"})
        transport = Watched([Stream((*LISTED, gone), open_ended=True)])
        task = asyncio.ensure_future(Watcher(transport, Query(resource=PODS), Transcript(), random=Random(1)).run())
        await asyncio.sleep(5)
        assert len(transport.requests) == 2
        assert transport.open == 1
        task.cancel()
        await asyncio.wait([task])

    run(main())


def test_a_slow_but_living_watch_is_left_alone() -> None:
    """A bookmark a minute keeps a quiet watch open."""
    lines, _, _ = play(
        Stream((*LISTED, *(part for n in range(6, 12) for part in (Pause(60), bookmark(n))))), settle=400
    )
    assert [line for line in lines if line.startswith("reached")] == [f"reached {n}" for n in range(6, 12)]
    assert not any("stalled" in line for line in lines)


def test_a_cut_watch_goes_on_from_the_last_version() -> None:
    """After the first cut at once, after the next ones with growing delays, until something comes again."""
    cut = Fail(errors.ConnectionFailed("cut"))
    lines, transport, _ = play(
        Stream((*LISTED, Event("MODIFIED", pod("a", 6)), cut)),
        page([], 6),
        cut,
        cut,
        page([], 6),
        Stream((Event("MODIFIED", pod("a", 7)), cut)),
        page([], 9),
        Stream((bookmark(8),), open_ended=True),
    )
    assert [line for line in lines if line.startswith("waiting")] == [
        "waiting 0 (connection)",
        "waiting 1.6 (connection)",
        "waiting 3.2 (connection)",
        "waiting 0 (connection)",
    ]
    watches = [dict(request.query) for request in transport.requests if request.operation.verb == "watch"]
    assert [query.get("resourceVersion") for query in watches[:4]] == [None, "6", "6", "7"]


def test_an_event_that_is_cut_in_half_is_not_believed() -> None:
    """A truncated line ends the watch as broken, and the event comes again."""
    lines, transport, _ = play(
        Stream((*LISTED, b'{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"na')),
        page([], 6),
        Stream((Event("MODIFIED", pod("a", 6)),), open_ended=True),
    )
    assert lines[5:8] == ["waiting 0 (connection)", "watching from 5", "changed a@6"]
    assert dict(transport.requests[2].query)["resourceVersion"] == "5"


def test_rubbish_in_a_watch_leads_to_a_new_list() -> None:
    """After bytes that are no event, nothing in the stream can be trusted."""
    lines, _, _ = play(Stream((*LISTED, b"<html>bad gateway</html>\n")), Stream(LISTED, open_ended=True))
    assert lines[5:9] == ["waiting 0.8 (unreadable)", "listing as a stream", "list", "  a@3"]


def test_an_expired_watch_lists_again() -> None:
    """410 comes as an event in a stream that was answered 200."""
    gone = Event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"})
    lines, _, _ = play(Stream((*LISTED, gone)), Stream(LISTED, open_ended=True))
    assert lines[5:7] == ["waiting 0 (expired)", "listing as a stream"]


def test_a_server_that_expires_every_list_is_not_hammered() -> None:
    """The second expiry in a row waits, the next one longer."""
    expired = Fail(errors.Expired("gone"))
    lines, _, took = play(expired, expired, expired, Stream(LISTED, open_ended=True))
    assert [line for line in lines if line.startswith("waiting")] == [
        "waiting 0 (expired)",
        "waiting 1.6 (expired)",
        "waiting 3.2 (expired)",
    ]
    assert took > 4


GONE = Event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"})


@pytest.mark.parametrize(
    ("first", "reason"), [(GONE, "expired"), (b'{"type":"WAT","object":{"metadata":{}}}\n', "unreadable")]
)
def test_lists_that_are_followed_by_a_failing_watch_are_not_repeated_at_once(first: Any, reason: str) -> None:
    """A finished list is no success of the watch: what fails after each list is tried ever less often."""
    lines, transport, _ = play(*[Stream((*LISTED, first))] * 6, settle=0)
    waits = [line for line in lines if line.startswith("waiting")]
    assert waits[:5] == [f"waiting {0 if reason == 'expired' else 0.8:g} ({reason})"] + [
        f"waiting {seconds} ({reason})" for seconds in ("1.6", "3.2", "6.4", "12.8")
    ]
    assert len(transport.requests) == 6


def test_a_bookmark_alone_does_not_make_a_watch_that_ends_at_once_a_good_one() -> None:
    """Some proxies let the first line through, and then close."""
    ended = Stream((bookmark(6),))
    lines, _, took = play(Stream(LISTED), ended, *(page([], 6), ended) * 3, settle=0)
    assert [line for line in lines if line.startswith("waiting")] == [
        "waiting 0 (connection)",
        "waiting 1.6 (connection)",
        "waiting 3.2 (connection)",
        "waiting 6.4 (connection)",
    ]
    assert took > 4


def test_a_change_or_ten_quiet_seconds_make_up_for_earlier_failures() -> None:
    """After them the next failure is a first one again."""
    cut = Fail(errors.ConnectionFailed("cut"))
    for well in ((Event("MODIFIED", pod("a", 6)), cut), (Pause(11), cut)):
        lines, _, _ = play(Stream((*LISTED, cut)), page([], 5), cut, page([], 5), Stream(well), settle=12)
        assert [line for line in lines if line.startswith("waiting")] == [
            "waiting 0 (connection)",
            "waiting 1.6 (connection)",
            "waiting 0 (connection)",
        ]


def test_watches_that_end_at_once_are_a_failure() -> None:
    """A server that closes every watch without a word is asked ever less often."""
    closed = (page([], 5), Stream())
    lines, _, took = play(Stream(LISTED), Stream(), *closed * 2, page([], 5), Stream((bookmark(6),), open_ended=True))
    assert took > 1
    assert "reached 6" in lines


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (errors.Forbidden('pods is forbidden: User "x" cannot list resource "pods"'), "forbidden"),
        (errors.NotFound("the server could not find the requested resource"), "not_served"),
        (errors.Unauthorized("token expired"), "unauthorized"),
        (errors.InternalError("etcd is sad"), "error"),
    ],
)
def test_what_a_person_has_to_mend_is_waited_for(
    error: errors.KonvergeError, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A missing rule, CRD or credential is told once, tried again ever slower, and recovered from by itself."""
    caplog.set_level("DEBUG", logger="konverge")
    lines, _, took = play(*[Fail(error)] * 8, Stream(LISTED, open_ended=True), settle=11)
    waits = [line for line in lines if line.startswith("waiting")]
    assert waits[-1] == f"waiting 30 ({reason})"
    assert "watching from 5" in lines
    assert took > 80
    told = [record for record in caplog.records if record.getMessage() == "the watch is interrupted"]
    assert len([record for record in told if record.levelname != "DEBUG"]) <= 2
    assert any(record.getMessage() == "the watch is back" for record in caplog.records)


def test_metadata_only_asks_for_metadata() -> None:
    """The server is asked for no more than is kept."""
    query = Query(resource=PODS, namespace="shop", labels="a=b", fields="spec.nodeName=n", metadata_only=True)
    _, transport, _ = play(Fail(errors.Invalid("no streams")), page([], 5), Stream(open_ended=True), query=query)
    stream, paged, watch = transport.requests[:3]
    assert "PartialObjectMetadata;" in stream.accept
    assert "PartialObjectMetadataList;" in paged.accept
    assert watch.path == "/api/v1/namespaces/shop/pods"
    for request in (stream, paged, watch):
        assert dict(request.query)["labelSelector"] == "a=b"
        assert dict(request.query)["fieldSelector"] == "spec.nodeName=n"
