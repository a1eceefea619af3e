from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from konverge import ObjectMeta
from konverge.controller import BlockingContext, Request, has_finalizer
from konverge.controller.blocking import ensure_finalizer, release_finalizer, sync_children
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.controller.conftest import World

OURS = "test.konverge.dev/clean-up"
PATH = "/apis/test.konverge.dev/v1/namespaces/shop/widgets/a"


def test_the_functions_of_a_reconciler_work_in_a_thread(world: World) -> None:
    """Finalizers and children, with the blocking client of the context."""
    notes: list[str] = []

    def reconcile(ctx: BlockingContext, request: Request) -> None:
        if notes:
            return  # its own writes wake it again
        owner = ctx.live.get(world.Widget, request)
        ensure_finalizer(ctx.client, owner, OURS)
        wanted = core_v1.ConfigMap(metadata=ObjectMeta(name="child"))
        done = sync_children(ctx.client, owner, [wanted])
        notes.extend(child.metadata.name or "" for child in done.created)
        release_finalizer(ctx.client, owner, OURS)
        notes.append(str(has_finalizer(owner, OURS)))

    async def main() -> None:
        world.server.objects[PATH] = world.widget("a")
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(1)

    world.play(main())
    assert notes == ["child", "False"]
    assert "error" not in world.counts.heard
    assert world.server.objects[PATH]["metadata"]["finalizers"] == []
