"""The no-op work on konverge: reads each object from the cache and does nothing.

konverge_noop.py noop N
"""

from __future__ import annotations

import sys

from gadget import Gadget
from tally import Tally, finish

import konverge as kv


class Noop:
    """Reads the object."""

    def __init__(self, count: int) -> None:
        self.done = Tally(count)

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Read the object from the cache."""
        gadget = await ctx.client.get(Gadget, request)
        if self.done.add(gadget.metadata.name or ""):
            finish()


manager = kv.Manager(metrics_address=None)
kv.new_controller(manager).for_(Gadget).complete(Noop(int(sys.argv[2])))
manager.run()
