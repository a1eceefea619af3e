"""The no-op work on konverge's cache alone, with a plain queue and one worker: a lower bound for the runtime.

cache_only.py noop N
"""

from __future__ import annotations

import asyncio
import sys

from gadget import Gadget
from tally import Tally, finish

import konverge as kv
from konverge.cache.cache import Cache
from konverge.cache.cached_client import CachedClient
from konverge.cache.stored import Stored
from konverge.client.http import HttpTransport


class Feeder:
    """Puts the key of every object that is there into a queue."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[kv.ObjectKey] = asyncio.Queue()

    def on_add(self, obj: Stored[Gadget], *, initial: bool) -> None:  # noqa: ARG002 - the listener's shape
        """Ask for a reconcile."""
        self.queue.put_nowait(obj.key)

    def on_update(self, old: Stored[Gadget], new: Stored[Gadget]) -> None:  # noqa: ARG002 - the listener's shape
        """Ask for a reconcile."""
        self.queue.put_nowait(new.key)

    def on_delete(self, obj: Stored[Gadget], *, known: bool) -> None:  # noqa: ARG002 - the listener's shape
        """Ask for a reconcile."""
        self.queue.put_nowait(obj.key)


async def main(count: int) -> None:
    """Reconcile every object once."""
    cache = Cache(HttpTransport(kv.Config.load()))
    client = CachedClient(cache)
    feeder = Feeder()
    done = Tally(count)
    async with asyncio.TaskGroup() as group:
        group.create_task(cache.run())
        (await cache.informer(Gadget)).add_handler(feeder)
        while True:
            key = await feeder.queue.get()
            gadget = await client.get(Gadget, key.name, namespace=key.namespace)
            if done.add(gadget.metadata.name or ""):
                finish()


asyncio.run(main(int(sys.argv[2])))
