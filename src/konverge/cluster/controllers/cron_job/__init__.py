"""Cron jobs: a job whenever the schedule says so, as kube-controller-manager's cronjob-controller makes them.

`due` computes which start is owed, `start` decides whether a job begins, `history` which ones are too many; all three
are pure. `reconciler` reads, asks them, and writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import konverge as kv
from konverge import clock
from konverge.api.invalid import InvalidValue
from konverge.cluster.controllers.cron_job.due import Timetable, until_next
from konverge.cluster.controllers.cron_job.reconciler import CronJobReconciler
from konverge.controller.event import Event
from konverge.controller.handler import Scheduled
from konverge.manager import Manager
from konverge.models import batch_v1


def add_to(manager: Manager) -> None:
    """Register the controller."""
    (
        kv.new_controller(manager)
        .named("cronjob-controller")
        .for_(batch_v1.CronJob, predicates=lambda event: not _has_new_schedule(event))
        .owns(batch_v1.Job)
        .watches(batch_v1.CronJob, NextTime(), predicates=_has_new_schedule)
        .with_options(max_concurrent_reconciles=5)
        .complete(CronJobReconciler())
    )


def _has_new_schedule(event: Event[Any]) -> bool:
    if not isinstance(event, kv.UpdateEvent):
        return False
    old, new = event.old.spec, event.new.spec
    return (old.schedule, old.time_zone) != (new.schedule, new.time_zone)


class NextTime:
    """Wakes a cron job at the next time of a new schedule: it owes nothing for the past, in which another one held."""

    def requests(self, event: Event[Any]) -> Iterable[Scheduled]:
        """Return the request for the cron job, put off until then."""
        cron_job: batch_v1.CronJob = event.object
        try:
            wait = until_next(Timetable.of(cron_job.spec), cron_job, clock.now())
        except InvalidValue:
            wait = 0.0
        return [Scheduled(kv.Request.of(cron_job.metadata), after=wait)]
