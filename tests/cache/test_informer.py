from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from konverge.api.form import typed
from konverge.api.kind import ObjectKey
from konverge.cache.feed import Selection
from konverge.cache.index import values_at
from konverge.cache.informer import Informer, InformerOptions
from konverge.cache.stored import Stored
from konverge.errors import Forbidden, RequestError
from konverge.models.core_v1 import ConfigMap
from konverge.testing.scripted import Event, Fail, Pause, ScriptedTransport, Stream, bookmark
from konverge.testing.virtual_time import run


def cm(name: str, version: int, namespace: str = "shop") -> dict[str, Any]:
    """Return a ConfigMap."""
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "resourceVersion": str(version)}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"colour": "blue"}}


class Handler:
    """Writes down what it hears, and raises where it is told to."""

    def __init__(self, *, fails: bool = False) -> None:
        self.heard: list[str] = []
        self.fails = fails

    def _hear(self, line: str) -> None:
        self.heard.append(line)
        if self.fails:
            raise ValueError("a bug in a handler")

    def on_add(self, obj: Stored[ConfigMap], *, initial: bool) -> None:
        """Hear of an addition."""
        self._hear(f"add {obj.key.name}{' initial' if initial else ''}")

    def on_update(self, old: Stored[ConfigMap], new: Stored[ConfigMap]) -> None:
        """Hear of a change, or of a resync, where old and new are the same."""
        self._hear(f"resync {new.key.name}" if old is new else f"update {new.key.name}")

    def on_delete(self, obj: Stored[ConfigMap], *, known: bool) -> None:
        """Hear of a deletion."""
        self._hear(f"delete {obj.key.name}{'' if known else ' missed'}")


def informer(
    transport: ScriptedTransport, *, namespaces: tuple[str, ...] = (), resync: float = 0
) -> Informer[ConfigMap]:
    """Return an informer of ConfigMaps."""
    options = InformerOptions(selection=Selection[ConfigMap](namespaces=namespaces), resync=resync)
    return Informer(transport, typed(ConfigMap), ConfigMap.__resource__, options, random=Random(1))


def listed(*objects: dict[str, Any], then: tuple[Any, ...] = (), version: int = 5) -> Stream:
    """Return a streamed list that goes on as a watch."""
    added = tuple(Event("ADDED", obj) for obj in objects)
    return Stream((*added, bookmark(version, initial_events_end=True), *then), open_ended=True)


async def play(target: Informer[Any], seconds: float = 1.0) -> None:
    """Run an informer for a while."""
    task = asyncio.ensure_future(target.run())
    await asyncio.sleep(seconds)
    task.cancel()
    await asyncio.wait([task])


def test_every_handler_hears_everything() -> None:
    """One watch serves them all, and one that comes late hears first what is there."""

    async def main() -> None:
        transport = ScriptedTransport([listed(cm("a", 3), then=(Event("ADDED", cm("b", 6)),))])
        target = informer(transport)
        early, late = Handler(), Handler()
        target.add_handler(early)
        await play(target)
        target.add_handler(late)
        assert early.heard == ["add a initial", "add b"]
        assert late.heard == ["add a initial", "add b initial"]
        assert len(transport.requests) == 1

    run(main())


def test_a_handler_that_fails_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """A bug in one controller is logged with the object and counted; the others hear all the same."""

    async def main() -> None:
        target = informer(ScriptedTransport([listed(cm("a", 3), then=(Event("MODIFIED", cm("a", 6)),))]))
        bad, good = Handler(fails=True), Handler()
        target.add_handler(bad)
        target.add_handler(good)
        await play(target)
        assert bad.heard == good.heard == ["add a initial", "update a"]
        assert target.handler_errors == 2

    run(main())
    assert "a handler failed" in caplog.text


def test_a_removed_handler_hears_no_more() -> None:
    """A registration can be given back."""

    async def main() -> None:
        target = informer(ScriptedTransport([listed(cm("a", 3))]))
        handler = Handler()
        registration = target.add_handler(handler)
        registration.remove()
        registration.remove()
        await play(target)
        assert handler.heard == []
        assert target.handlers == 0

    run(main())


def test_a_handler_may_take_itself_out_while_it_is_told() -> None:
    """The others are not skipped for that."""

    async def main() -> None:
        target = informer(ScriptedTransport([listed(cm("a", 3), then=(Event("ADDED", cm("b", 6)),))]))
        once, other = Handler(), Handler()

        class Once(Handler):
            def on_add(self, obj: Stored[ConfigMap], *, initial: bool) -> None:
                once.on_add(obj, initial=initial)
                registration.remove()

        registration = target.add_handler(Once())
        target.add_handler(other)
        await play(target)
        assert once.heard == ["add a initial"]
        assert other.heard == ["add a initial", "add b"]

    run(main())


def test_sync_is_waited_for_over_all_namespaces() -> None:
    """An informer of two namespaces is synced when both are, and holds both."""

    async def main() -> None:
        transport = ScriptedTransport([listed(cm("a", 3, "one"))])
        target = informer(transport, namespaces=("one", "two"))
        task = asyncio.ensure_future(target.run())
        waiter = asyncio.ensure_future(target.wait_for_sync())
        await asyncio.sleep(1)
        assert not waiter.done()
        assert not target.synced
        task.cancel()
        await asyncio.wait([task])
        waiter.cancel()

        transport = ScriptedTransport([listed(cm("a", 3, "one")), listed(cm("b", 4, "two"))])
        target = informer(transport, namespaces=("one", "two"))
        await play(target)
        assert target.synced
        assert [request.path for request in transport.requests] == [
            "/api/v1/namespaces/one/configmaps",
            "/api/v1/namespaces/two/configmaps",
        ]
        assert sorted(key.name for key, _ in target.items()) == ["a", "b"]
        assert [key.name for key, _ in target.items("two")] == ["b"]
        assert target.get(ObjectKey("one", "a")) is not None
        with pytest.raises(RequestError, match="outside of what this cache holds: it watches one, two"):
            target.get(ObjectKey("three", "c"))

    run(main())


def test_resync_tells_everything_again_without_asking_the_server() -> None:
    """Every ten hours or so each object is told again, from memory."""

    async def main() -> None:
        still = tuple(part for n in range(6, 2000) for part in (Pause(60), bookmark(n)))
        transport = ScriptedTransport([listed(cm("a", 3), cm("b", 4), then=still)])
        target = informer(transport, resync=36_000)
        handler = Handler()
        target.add_handler(handler)
        await play(target, seconds=24 * 3600)
        assert handler.heard == ["add a initial", "add b initial", *["resync a", "resync b"] * 2]
        assert len(transport.requests) == 1

    run(main())


def test_what_keeps_an_informer_from_syncing_is_said() -> None:
    """A missing RBAC rule is a problem with the sentence that mends it, while everything else goes on."""

    async def main() -> None:
        error = Forbidden('configmaps is forbidden: User "x" cannot list resource "configmaps"')
        target = informer(ScriptedTransport([Fail(error)]))
        task = asyncio.ensure_future(target.run())
        await asyncio.sleep(0.5)
        (problem,) = target.problems
        assert problem.needs_a_person
        assert "cannot list" in problem.message
        assert "0 objects, not synced" in repr(target)
        task.cancel()
        await asyncio.wait([task])

    run(main())


def test_an_index_can_be_added_at_any_time_but_once() -> None:
    """An index that comes late covers what is there."""

    async def main() -> None:
        target = informer(ScriptedTransport([listed(cm("a", 3))]))
        await play(target)
        target.add_index("data.colour", values_at("data.colour"))
        assert target.has_index("data.colour")
        assert [key.name for key, _ in target.found("data.colour", "blue")] == ["a"]
        assert list(target.found("data.colour", "blue", "elsewhere")) == []
        with pytest.raises(RequestError, match="has an index"):
            target.add_index("data.colour", values_at("data.colour"))

    run(main())
