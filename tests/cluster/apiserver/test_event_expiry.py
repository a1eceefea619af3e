from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from konverge.cluster.apiserver.exchange import Answer, Peer, Request, Response, Stream
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage
from konverge.testing.virtual_time import advance, run

EVENTS = "/api/v1/namespaces/default/events"
OTHERS = "/apis/events.k8s.io/v1/namespaces/default/events"


async def ask(server: ApiServer, method: str, path: str, body: Any = None, **query: str) -> Answer:
    """Ask as the administrator."""
    form = "application/merge-patch+json" if method == "PATCH" else "application/json"
    request = Request(
        method=method,
        path=path,
        query=tuple(query.items()),
        headers={"content-type": form},
        body=b"" if body is None else msgspec.json.encode(body),
        peer=Peer(is_trusted=True),
    )
    return await server.handle(request)


async def write(server: ApiServer, name: str, **metadata: Any) -> None:
    """Write an event."""
    about = {"kind": "Pod", "namespace": "default", "name": "a"}
    own = {"name": name, "namespace": "default", **metadata}
    body = {"kind": "Event", "apiVersion": "v1", "metadata": own, "involvedObject": about, "reason": "Tested"}
    answer = await ask(server, "POST", EVENTS, body)
    assert isinstance(answer, Response)
    assert answer.status == 201, answer.body


async def names(server: ApiServer) -> list[str]:
    """Return the names of the events that are there."""
    answer = await ask(server, "GET", EVENTS)
    assert isinstance(answer, Response)
    return [event["metadata"]["name"] for event in msgspec.json.decode(answer.body)["items"]]


async def started(storage: Storage) -> ApiServer:
    """Return a server."""
    server = ApiServer(storage)
    await server.start()
    return server


def test_events_last_an_hour_after_they_were_last_written() -> None:
    """As the real server's leases do: an update begins a new hour, and finalizers keep nothing."""

    async def main() -> None:
        server = await started(Storage.in_memory())
        await write(server, "a", finalizers=["example.com/hold"])
        await write(server, "b")
        await advance(minutes=30)
        await ask(server, "PATCH", f"{EVENTS}/b", {"count": 2})
        await write(server, "c")
        await advance(minutes=29)
        assert await names(server) == ["a", "b", "c"]
        await advance(minutes=2)
        assert await names(server) == ["b", "c"]
        await advance(minutes=30)
        assert await names(server) == []
        await write(server, "d")
        await advance(hours=2)
        assert await names(server) == []
        await server.close()

    run(main())


def test_watchers_see_them_go() -> None:
    """In both forms of an event: deleted, with the version of the deletion."""

    async def main() -> None:
        server = await started(Storage.in_memory())
        await write(server, "a")
        for path in (EVENTS, OTHERS):
            answer = await ask(server, "GET", path, watch="true", timeoutSeconds="7000")
            assert isinstance(answer, Stream)
            if path == OTHERS:
                await write(server, "a")
            lines = b"".join([chunk async for chunk in answer.chunks]).splitlines()
            first, last = (msgspec.json.decode(line) for line in lines)
            assert (first["type"], last["type"]) == ("ADDED", "DELETED")
            versions = [each["object"]["metadata"]["resourceVersion"] for each in (first, last)]
            assert int(versions[0]) < int(versions[1])
        await server.close()

    run(main())


def test_many_go_at_once() -> None:
    """More than are looked at without a pause."""

    async def main() -> None:
        server = await started(Storage.in_memory())
        for number in range(1201):
            await write(server, f"e-{number}")
        await advance(minutes=61)
        assert await names(server) == []
        await server.close()

    run(main())


async def test_a_restarted_server_removes_what_is_old(tmp_path: Path) -> None:
    """The folder says when each was written; one of long ago is gone when the server has started."""
    storage = await Storage.open(tmp_path / "data")
    server = await started(storage)
    await write(server, "new")
    await server.close()
    metadata = {"name": "old", "namespace": "default", "creationTimestamp": "2020-01-01T00:00:00Z"}
    old = {"kind": "Event", "apiVersion": "v1", "metadata": metadata}
    await storage.put("/core/events/default/old", lambda _: msgspec.json.encode(old), based_on=0)
    await storage.close()
    storage = await Storage.open(tmp_path / "data")
    server = await started(storage)
    await write(server, "newer")  # when it is durable, all that was written before is
    assert await names(server) == ["new", "newer"]
    await server.close()
    await storage.close()


def test_who_says_when_an_event_was_written_may_be_wrong() -> None:
    """A client may write times of its own: one that is yet to come keeps no event, and harms no other."""

    async def main() -> None:
        server = await started(Storage.in_memory())
        await write(server, "a")
        await write(server, "b")
        answer = await ask(server, "GET", f"{EVENTS}/a")
        assert isinstance(answer, Response)
        event = msgspec.json.decode(answer.body)
        event["metadata"]["managedFields"][0] |= {"manager": "another", "time": "9999-12-31T23:59:59Z"}
        assert (await ask(server, "PUT", f"{EVENTS}/a", event)).status == 200
        await advance(minutes=62)
        assert await names(server) == []
        await server.close()

    run(main())


def test_a_server_without_events_sets_no_timer() -> None:
    """A program on virtual time that waits for nothing can still be told so."""

    async def main() -> None:
        server = await started(Storage.in_memory())
        assert server._event_expiry._timer is None
        await write(server, "a")
        assert server._event_expiry._timer is not None
        await advance(hours=1)
        assert server._event_expiry._timer is None
        await server.close()

    run(main())
