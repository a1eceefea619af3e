"""A flood of events through a whole manager: what it holds does not grow with what it has seen."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from konverge.api.request import ApiRequest
from konverge.builder import new_controller
from konverge.client.transport import ApiResponse, error_of
from konverge.controller.reconcile import Context, Request
from konverge.errors import NotFound
from konverge.manager import Manager
from konverge.models.core_v1 import ConfigMap
from konverge.testing import virtual_time

EVENTS = 1_000_000
OBJECTS = 500
CHUNK = 100  # events that arrive together
WATCH = 5_000  # events after which the server ends a watch
EXPIRY = 50_000  # events after which it says 410
# Some thousand deletions and some thousand of our own writes are remembered on purpose, which takes a while to fill:
# until half-way in a full run, to the end in a tenth of one.
RATIO = 1.25  # from a tenth to the end
BLOCKS = 25_000  # from half-way to the end
BYTES = 24 << 20
_STATM = Path("/proc/self/statm")


@dataclass(frozen=True)
class Usage:
    """What this process holds: blocks of Python's allocator, and bytes of the system where that is known."""

    blocks: int
    resident: int

    @classmethod
    def now(cls) -> Usage:
        """Measure it, without what is garbage already."""
        gc.collect()
        pages = int(_STATM.read_text().split()[1]) if _STATM.exists() else 0
        return cls(sys.getallocatedblocks(), pages * 4096)


class Flood:
    """A server on which others write without a pause; our own writes come back in its watch."""

    def __init__(self, total: int, random: Random) -> None:
        self.total = total
        self.sent = 0
        self.usage: dict[int, Usage] = {}  # after so many tenths of the events
        self.objects: dict[str, dict[str, Any]] = {}
        self._random = random
        self._version = 1
        self._made = 0
        self._log: list[bytes] = []  # what the watch has still to show
        for _ in range(OBJECTS):
            self._create()

    # --- what happens on it ---

    def _create(self) -> None:
        self._made += 1
        self._put(f"a{self._made}")  # never the same name again, so that what is kept by name would show

    def _put(self, name: str) -> dict[str, Any]:
        old = self.objects.get(name)
        self._version += 1
        metadata = {
            "name": name,
            "namespace": "shop",
            "uid": f"uid-of-{name}",
            "resourceVersion": str(self._version),
            "labels": {"app": name, "tier": "web"},
            "managedFields": [{"manager": "someone", "operation": "Update", "fieldsV1": {"f:data": {}}}],
        }
        new = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"x": "y" * 200}}
        self.objects[name] = new
        self._log.append(_line("ADDED" if old is None else "MODIFIED", new))
        return new

    def _delete(self, name: str) -> dict[str, Any]:
        old = self.objects.pop(name)
        self._version += 1
        old["metadata"]["resourceVersion"] = str(self._version)
        self._log.append(_line("DELETED", old))
        return old

    def _others_write(self) -> None:
        for _ in range(CHUNK):
            if len(self.objects) < OBJECTS:
                self._create()
                continue
            name = self._random.choice(list(self.objects))
            if self._random.random() < 0.1:
                self._delete(name)
            else:
                self._put(name)

    # --- the transport to it ---

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Do our own writes; answer a look at the version."""
        await asyncio.sleep(0)
        name = request.operation.name
        if request.method == "GET":
            return _answer({"kind": "List", "metadata": {"resourceVersion": str(self._version)}, "items": []})
        if name not in self.objects:
            raise error_of(request, 404, b'{"kind":"Status","reason":"NotFound","code":404}')
        if request.method == "DELETE":
            return _answer({"kind": "Status", "details": {"uid": self._delete(name)["metadata"]["uid"]}})
        return _answer(self._put(name))

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Answer a watch."""
        await asyncio.sleep(0)
        yield self._watch(listing=dict(request.query).get("sendInitialEvents") == "true")

    async def close(self) -> None:
        """Close nothing."""

    async def _watch(self, *, listing: bool) -> AsyncIterator[bytes]:
        if listing:
            self._log.clear()
            annotations = {"k8s.io/initial-events-end": "true"}
            metadata = {"resourceVersion": str(self._version), "annotations": annotations}
            yield b"".join(_line("ADDED", obj) for obj in self.objects.values())
            yield _line("BOOKMARK", {"metadata": metadata})
        end = self.sent + WATCH
        while self.sent < min(end, self.total):
            self._others_write()
            yield self._next_chunk()
            await asyncio.sleep(0)
            self._measure()
        while self.sent >= self.total:  # only our own writes are still to come
            await asyncio.sleep(1)
            if self._log:
                yield self._next_chunk()
        if self.sent % EXPIRY < WATCH:
            yield _line("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"})

    def _next_chunk(self) -> bytes:
        self.sent += len(self._log)
        chunk = b"".join(self._log)
        self._log.clear()
        return chunk

    def _measure(self) -> None:
        for tenths in (1, 5):
            if self.sent >= self.total * tenths // 10 and tenths not in self.usage:
                self.usage[tenths] = Usage.now()


def _line(kind: str, obj: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"type": kind, "object": obj}) + b"\n"


def _answer(body: dict[str, Any]) -> ApiResponse:
    return ApiResponse(status=200, body=msgspec.json.encode(body))


class Reconciler:
    """Reads each object, and now and then writes, deletes or fails."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.runs = 0

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Do one of these."""
        self.runs += 1
        chance = self._random.random()
        with suppress(NotFound):
            found = await ctx.client.get(ConfigMap, request)
            if chance < 0.3:
                found.data = {"x": "ours"}
                await ctx.client.update(found)
            elif chance < 0.32:
                await ctx.client.delete(found)


async def flood(total: int) -> dict[int, Usage]:
    """Send so many events through a manager, and return what it used after one, five and ten tenths of them."""
    server = Flood(total, Random(1))
    manager = Manager(transport=server, metrics_address=None, random=Random(2))
    reconciler = Reconciler(Random(3))
    made = new_controller(manager).for_(ConfigMap).with_options(max_concurrent_reconciles=4).complete(reconciler)
    running = asyncio.create_task(manager.start())
    while server.sent < total:  # noqa: ASYNC110 - virtual time
        await asyncio.sleep(1)
    await asyncio.sleep(100)
    (informer,) = manager.cache.informers
    (feed,) = informer.feeds
    server.usage[10] = Usage.now()
    assert dict(feed.items()).keys() == dict(feed.store.items()).keys()
    assert {key.name: entry.version for key, entry in feed.items()} == _versions(server)
    assert feed.relists >= total // EXPIRY // 2
    assert reconciler.runs > total / 20  # a run serves all events of its object that came before it
    assert (len(feed.overlay), len(feed.overlay._by_version)) == (0, 0)
    assert (len(made.queue), len(made.queue._entries), len(made.queue.in_flight)) == (0, 0, 0)
    assert informer.handler_errors == 0
    manager.stop()
    await running
    return server.usage


def _versions(server: Flood) -> dict[str, int]:
    return {name: int(obj["metadata"]["resourceVersion"]) for name, obj in server.objects.items()}


def test_memory_is_flat(share: float) -> None:
    """Neither what Python holds nor what the process holds grows with the number of events."""
    usage = virtual_time.run(flood(round(EVENTS * share)))
    assert usage[10].blocks < usage[1].blocks * RATIO
    assert usage[10].blocks - usage[5].blocks < BLOCKS
    assert usage[10].resident - usage[1].resident < BYTES
