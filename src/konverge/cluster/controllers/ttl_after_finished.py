"""TTL after finished: a Job that says how long it is to be kept after its end goes when that time is over."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from konverge import clock
from konverge.builder import new_controller
from konverge.client.ignore import ignore_not_found
from konverge.controller import Context, Request, Result
from konverge.manager import Manager
from konverge.models import batch_v1

NAME: Final = "ttl-after-finished-controller"
_ENDED: Final = ("Complete", "Failed")


def add_to(manager: Manager) -> None:
    """Register the controller."""
    new_controller(manager).named(NAME).for_(batch_v1.Job).complete(reconcile)


async def reconcile(ctx: Context, request: Request) -> Result | None:
    """Delete the Job if its time is over, with its pods first; look again when it will be."""
    for client in (ctx.client, ctx.live):  # what the cache says is checked: its time may have been prolonged
        job = await ignore_not_found(client.get(batch_v1.Job, request))
        expiry = None if job is None else expires_at(job)
        if job is None or expiry is None:
            return None
        left = (expiry - clock.now()).total_seconds()
        if left > 0:
            return Result(requeue_after=left)
        if client is ctx.live:
            await ignore_not_found(client.delete(job, uid=job.metadata.uid, propagation="Foreground"))
    return None


def expires_at(job: batch_v1.Job) -> datetime | None:
    """Return when a Job's time is over; None if it has not ended, is to be kept, or goes already."""
    ttl = job.spec.ttl_seconds_after_finished if job.spec else None
    ended = next((each for each in job.status.conditions or () if each.type in _ENDED and each.status == "True"), None)
    if job.metadata.deletion_timestamp or ttl is None or ended is None or ended.last_transition_time is None:
        return None
    return ended.last_transition_time + timedelta(seconds=ttl)
