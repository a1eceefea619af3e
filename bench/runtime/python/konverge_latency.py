"""The latency's work on konverge: tells how long ago each write was sent.

konverge_latency.py latency N
"""

from __future__ import annotations

import sys
import time

from gadget import Gadget
from tally import finish

import konverge as kv

ANNOTATION = "bench.konverge.dev/sent"


class Latency:
    """Compares the time in the object's annotation with now."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.sent: dict[str, str] = {}  # the last write seen of each object
        self.delays: list[float] = []

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Note the delay of a write that was not seen before."""
        called = time.monotonic()
        gadget = await ctx.client.get(Gadget, request)
        sent = (gadget.metadata.annotations or {}).get(ANNOTATION, "")
        before = self.sent.get(request.name)
        self.sent[request.name] = sent
        if before is None:
            if len(self.sent) == self.count:
                print('{"ready": true}', flush=True)
        elif sent != before:
            self.delays.append(called - float(sent))
            if len(self.delays) == self.count:
                finish(self.delays)


manager = kv.Manager(metrics_address=None)
kv.new_controller(manager).for_(Gadget).complete(Latency(int(sys.argv[2])))
manager.run()
