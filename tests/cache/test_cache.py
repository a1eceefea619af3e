"""The cache as a whole, against a script of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from konverge.api.form import metadata_only, unstructured
from konverge.cache.cache import Cache
from konverge.cache.cached_client import CachedClient
from konverge.errors import Forbidden, KonvergeError, NotFound, RequestError, Unauthorized
from konverge.models.core_v1 import ConfigMap
from konverge.testing.scripted import Answer, Event, Fail, Pause, ScriptedTransport, Stream, bookmark
from konverge.testing.virtual_time import run


def cm(name: str, version: int, **data: str) -> dict[str, Any]:
    """Return a ConfigMap."""
    metadata = {"name": name, "namespace": "shop", "uid": f"uid-{name}", "resourceVersion": str(version)}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": data}


def listed(*objects: dict[str, Any], then: tuple[Any, ...] = ()) -> Stream:
    """Return a streamed list that goes on as a watch."""
    added = tuple(Event("ADDED", obj) for obj in objects)
    return Stream((*added, bookmark(5, initial_events_end=True), *then), open_ended=True)


@contextmanager
def running(cache: Cache) -> Iterator[CachedClient]:
    """Run a cache while its client is used."""
    task = asyncio.ensure_future(cache.run())
    try:
        yield CachedClient(cache)
    finally:
        task.cancel()


def cache_of(*steps: Any) -> Cache:
    """Return a cache of a server that plays a script."""
    return Cache(ScriptedTransport(list(steps)), random=Random(1))


@pytest.mark.parametrize("kind", [NotFound, Forbidden, Unauthorized])
def test_a_read_of_what_cannot_be_watched_fails_at_once(kind: type[KonvergeError]) -> None:
    """A reconcile must not hang for a missing CRD or rule; when it is there, the same read answers."""

    async def main() -> None:
        cache = cache_of(Fail(kind("no such thing")), listed(cm("a", 3)))
        with running(cache) as client:
            await asyncio.sleep(0)
            for _ in range(2):  # the first waits for the attempt, the second finds the problem there
                with pytest.raises(kind, match="no such thing"):
                    await asyncio.wait_for(client.get(ConfigMap, "a", namespace="shop"), 0.5)
            await (await cache.informer(ConfigMap)).wait_for_sync()
            assert (await client.get(ConfigMap, "a", namespace="shop")).metadata.name == "a"

    run(main())


def test_a_read_waits_where_waiting_helps() -> None:
    """A server that is busy answers in the end."""

    async def main() -> None:
        with running(cache_of(Fail(RequestError("a bad moment")), listed(cm("a", 3)))) as client:
            await asyncio.sleep(0)
            assert len(await client.list(ConfigMap)) == 1

    run(main())


def test_who_waits_for_an_informer_that_is_removed_is_told() -> None:
    """Neither a reader nor anyone else waits for what no longer comes."""

    async def main() -> None:
        cache = cache_of()
        with running(cache) as client:
            await asyncio.sleep(0)
            informer = await cache.informer(ConfigMap)
            waiters = [
                asyncio.ensure_future(client.get(ConfigMap, "a", namespace="shop")),
                asyncio.ensure_future(informer.wait_for_sync()),
            ]
            await asyncio.sleep(1)
            assert await cache.remove(ConfigMap)
            for waiter in waiters:
                with pytest.raises(RequestError, match="no longer watched"):
                    await asyncio.wait_for(waiter, 1)

    run(main())


def test_the_resource_of_a_kind_is_found_without_watching_it() -> None:
    """Discovery knows the scope."""

    async def main() -> None:
        served = {"name": "widgets", "kind": "Widget", "namespaced": False, "verbs": ["get"]}
        cache = cache_of(Answer({"kind": "APIResourceList", "groupVersion": "x.io/v1", "resources": [served]}))
        assert not (await cache.resource_of(unstructured("x.io/v1", "Widget"))).namespaced
        assert await cache.resource_of(ConfigMap) == ConfigMap.__resource__
        assert cache.informers == []

    run(main())


def test_indexes_are_declared_before_anything_runs() -> None:
    """Without a server and without a loop; they are there with the informer."""
    cache = cache_of(listed(cm("a", 3, colour="blue"), cm("b", 4)))
    cache.declare_index(ConfigMap, "data.colour")
    cache.declare_index(ConfigMap, "initial", lambda obj: [(obj.metadata.name or "")[:1]])
    with pytest.raises(RequestError, match='ConfigMap has an index "initial" already'):
        cache.declare_index(ConfigMap, "initial")

    async def main() -> None:
        with running(cache) as client:
            await asyncio.sleep(0)
            for field, value, name in (("data.colour", "blue", "a"), ("initial", "b", "b")):
                found = await client.list(ConfigMap, fields={field: value})
                assert [obj.metadata.name for obj in found] == [name]
            cache.declare_index(ConfigMap, "late")
            assert (await cache.informer(ConfigMap)).has_index("late")
            with pytest.raises(RequestError, match=r"at any time, or cache.declare_index"):
                await client.list(ConfigMap, fields={"other": "x"})

    run(main())


def test_an_index_function_that_fails_swallows_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The object is not found by that index; it is held, told of, and read like any other, our own writes too."""

    async def main() -> None:
        cache = cache_of(
            listed(cm("a", 3, n="1"), then=(Event("MODIFIED", cm("a", 6, n="x")), Pause(60))), Answer(cm("a", 9, n="y"))
        )
        cache.declare_index(ConfigMap, "n", lambda obj: [str(int((obj.data or {})["n"]))])
        with running(cache) as client:
            await asyncio.sleep(0)
            await client.list(ConfigMap)
            await asyncio.sleep(1)
            assert (await client.get(ConfigMap, "a", namespace="shop")).data == {"n": "x"}
            await client.patch(await client.get(ConfigMap, "a", namespace="shop"))
            assert await client.list(ConfigMap, fields={"n": "1"}) == []

    run(main())
    assert "an index function failed" in caplog.text


def test_metadata_that_we_wrote_is_seen_by_readers_of_metadata() -> None:
    """The partial answer says nothing of the rest, which waits for the watch."""

    async def main() -> None:
        partial = {**cm("a", 9), "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
        partial["metadata"]["labels"] = {"new": "label"}
        meta = metadata_only(ConfigMap)
        served = {"name": "configmaps", "kind": "ConfigMap", "namespaced": True, "verbs": ["patch"]}
        discovery = Answer({"kind": "APIResourceList", "groupVersion": "v1", "resources": [served]})
        cache = cache_of(listed(cm("a", 3)), listed(cm("a", 3)), discovery, Answer(partial))
        with running(cache) as client:
            await asyncio.sleep(0)
            await client.list(ConfigMap)
            obj = await client.get(meta, "a", namespace="shop")
            await client.patch(obj)
            assert (await client.get(meta, "a", namespace="shop")).metadata.labels == {"new": "label"}
            assert (await client.get(ConfigMap, "a", namespace="shop")).metadata.labels is None

    run(main())
