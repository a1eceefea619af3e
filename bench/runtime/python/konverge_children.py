"""The children's work on konverge: each object gets a ConfigMap, and a status that says so.

konverge_children.py children N
"""

from __future__ import annotations

import sys

from gadget import Gadget
from tally import Tally, finish

import konverge as kv
from konverge.models import core_v1

WORKERS = 32


class Children:
    """Creates the child if it is missing, and updates the status if it differs."""

    def __init__(self, count: int) -> None:
        self.done = Tally(count)

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Bring one object to what it should be."""
        gadget = await ctx.client.get(Gadget, request)
        try:
            await ctx.client.get(core_v1.ConfigMap, request)
        except kv.errors.NotFound:
            await ctx.client.create(_child_of(gadget))
        if gadget.status.phase != "Ready":
            gadget.status.child = gadget.metadata.name
            gadget.status.phase = "Ready"
            await ctx.client.status.update(gadget)
        if self.done.add(request.name):
            finish()


def _child_of(gadget: Gadget) -> core_v1.ConfigMap:
    child = core_v1.ConfigMap(
        metadata=kv.ObjectMeta(name=gadget.metadata.name, namespace=gadget.metadata.namespace),
        data={"image": gadget.spec.image or "", "schedule": gadget.spec.schedule or ""},
    )
    kv.set_controller_reference(gadget, child)
    return child


manager = kv.Manager(metrics_address=None)
builder = kv.new_controller(manager).for_(Gadget).owns(core_v1.ConfigMap)
builder.with_options(max_concurrent_reconciles=WORKERS).complete(Children(int(sys.argv[2])))
manager.run()
