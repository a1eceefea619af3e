"""CronJobs: what is due, what was missed, who runs beside whom, and what is kept.

Minutes are long in a real cluster. So a scenario says that the last start was long ago, and what is owed since then is
started at once. Schedules name minutes that are some way off, so that no minute passes while a scenario runs.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

CRON, JOB, POD = "batch/v1 CronJob", "batch/v1 Job", "v1 Pod"
SHOWN = (CRON, JOB, "v1 Event")

ENDS_WELL: dict[str, Any] = {"exitAfter": 1}


def cron_job(behaviour: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a CronJob whose pods behave in this way; its schedule is not due."""
    template = {
        "metadata": {"annotations": {"konverge.dev/simulate": json.dumps(behaviour or {})}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example.com/work:1"}]},
    }
    job = {"metadata": {"labels": {"app": "tick"}}, "spec": {"template": template, "backoffLimit": 0}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "tick"},
        "spec": {"schedule": "0 0 1 1 *", "jobTemplate": job, **spec},
    }


async def owe(stage: Stage, minutes_ago: int, *, hours: int = 1, offset: int = 0, **spec: Any) -> None:
    """Make the CronJob hourly, due some minutes ago, and not started since an hour more than that."""
    created = (await stage.get(CRON, "tick"))["metadata"]["creationTimestamp"]
    due = datetime.fromisoformat(created) - timedelta(minutes=minutes_ago)
    schedule = f"{(due.minute + offset) % 60} * * * *"
    last = (due - timedelta(hours=hours)).replace(second=0).strftime("%Y-%m-%dT%H:%M:%SZ")
    await stage.patch(CRON, "tick", {"spec": {"schedule": schedule, **spec}})
    await stage.patch_status(CRON, "tick", {"status": {"lastScheduleTime": last}})


async def jobs(stage: Stage, count: int) -> list[dict[str, Any]]:
    """Wait until there are so many Jobs, and the CronJob is awake again."""
    return await stage.until_listed(JOB, lambda found: len(found) == count)


async def ended(stage: Stage, count: int, condition: str = "Complete") -> None:
    """Wait until so many Jobs are there that have ended, and none is left on the list."""

    def have_ended(found: list[dict[str, Any]]) -> bool:
        ends = [[each["type"] for each in job["status"]["conditions"]] for job in found]
        return len(ends) == count and all(condition in types for types in ends)

    await stage.until_listed(JOB, have_ended)
    await stage.until(CRON, "tick", lambda obj: not obj["status"].get("active"))


@scenario(shows=SHOWN)
async def waits_for_its_time(stage: Stage) -> None:
    """Nothing is due."""
    await stage.create(cron_job())
    await stage.until(CRON, "tick", lambda obj: obj["metadata"]["uid"])


@scenario(shows=(*SHOWN, POD))
async def begins_what_is_due(stage: Stage) -> None:
    """One job, for the last hour."""
    await stage.create(cron_job(ENDS_WELL))
    await owe(stage, 10)
    await ended(stage, 1)


@scenario(shows=SHOWN)
async def begins_one_job_for_all_it_missed(stage: Stage) -> None:
    """Five days of hours are one job, and a warning."""
    await stage.create(cron_job(ENDS_WELL))
    await owe(stage, 10, hours=120)
    await ended(stage, 1)


@scenario(shows=SHOWN)
async def begins_nothing_after_its_deadline(stage: Stage) -> None:
    """Ten minutes ago is too late for one minute."""
    await stage.create(cron_job(startingDeadlineSeconds=60))
    await owe(stage, 10)


@scenario(shows=SHOWN)
async def begins_nothing_while_suspended(stage: Stage) -> None:
    """Whatever is due."""
    await stage.create(cron_job(suspend=True))
    await owe(stage, 10)


@scenario(shows=SHOWN)
async def begins_when_it_is_resumed(stage: Stage) -> None:
    """What is due since then is begun at once."""
    await stage.create(cron_job(ENDS_WELL, suspend=True))
    await owe(stage, 10)
    await stage.patch(CRON, "tick", {"spec": {"suspend": False}})
    await ended(stage, 1)


@scenario(shows=SHOWN)
async def runs_jobs_side_by_side(stage: Stage) -> None:
    """Allowed unless it is said otherwise."""
    await stage.create(cron_job())
    await owe(stage, 20)
    await jobs(stage, 1)
    await stage.until(CRON, "tick", lambda obj: len(obj["status"]["active"]) == 1)
    await owe(stage, 10)
    await jobs(stage, 2)
    await stage.until(CRON, "tick", lambda obj: len(obj["status"]["active"]) == 2)


@scenario(shows=SHOWN)
async def begins_none_beside_another(stage: Stage) -> None:
    """Forbid leaves the job that runs alone."""
    await stage.create(cron_job(concurrencyPolicy="Forbid"))
    await owe(stage, 20)
    await jobs(stage, 1)
    await stage.until(CRON, "tick", lambda obj: len(obj["status"]["active"]) == 1)
    await owe(stage, 10)


@scenario(shows=SHOWN)
async def replaces_the_job_that_runs(stage: Stage) -> None:
    """Replace deletes it for the next one."""
    await stage.create(cron_job({"stopAfter": 0}, concurrencyPolicy="Replace"))
    await owe(stage, 20)
    (first,) = await jobs(stage, 1)
    await stage.until(JOB, first["metadata"]["name"], lambda obj: obj["status"]["ready"] == 1)
    await owe(stage, 10)
    await stage.gone(JOB, first["metadata"]["name"])
    (second,) = await jobs(stage, 1)
    await stage.until(JOB, second["metadata"]["name"], lambda obj: obj["status"]["ready"] == 1)


@scenario(shows=SHOWN)
async def keeps_few_jobs_that_ended_well(stage: Stage) -> None:
    """The oldest goes."""
    await stage.create(cron_job(ENDS_WELL, successfulJobsHistoryLimit=1))
    await owe(stage, 20)
    await ended(stage, 1)
    (first,) = await stage.list(JOB)
    await owe(stage, 10)
    await stage.gone(JOB, first["metadata"]["name"])
    await ended(stage, 1)


@scenario(shows=(CRON, JOB))  # the real one reads a stale list at times, and then tells that the job went missing
async def keeps_no_job_that_failed(stage: Stage) -> None:
    """A limit of none."""
    await stage.create(cron_job({"exitAfter": 1, "exitCodes": [1]}, failedJobsHistoryLimit=0))
    await owe(stage, 10)
    await stage.until(CRON, "tick", lambda obj: obj["status"]["active"])
    await stage.until(CRON, "tick", lambda obj: not obj["status"].get("active"))
    await jobs(stage, 0)


@scenario(shows=SHOWN)
async def reads_its_schedule_in_a_time_zone(stage: Stage) -> None:
    """A zone that is half an hour off, and has no summer."""
    await stage.create(cron_job(ENDS_WELL, timeZone="Asia/Kolkata"))
    await owe(stage, 10, offset=30)
    await ended(stage, 1)


@scenario(shows=SHOWN)
async def notices_that_its_job_is_missing(stage: Stage) -> None:
    """Someone deleted it."""
    await stage.create(cron_job())
    await owe(stage, 10)
    (job,) = await jobs(stage, 1)
    await stage.until(CRON, "tick", lambda obj: obj["status"]["active"])
    await stage.until(JOB, job["metadata"]["name"], lambda obj: obj["status"]["ready"] == 1)
    await stage.delete(JOB, job["metadata"]["name"], propagation="Background")
    await stage.until(CRON, "tick", lambda obj: not obj["status"].get("active"))
    await jobs(stage, 0)


@scenario(shows=SHOWN)
async def wonders_about_a_job_it_did_not_make(stage: Stage) -> None:
    """It belongs to it by its owner reference, and is on no list."""
    await stage.create(cron_job(suspend=True))
    obj = await stage.get(CRON, "tick")
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "tick", "uid": obj["metadata"]["uid"]}
    made = {**obj["spec"]["jobTemplate"], "apiVersion": "batch/v1", "kind": "Job"}
    metadata = {"name": "manual", "ownerReferences": [{**owner, "controller": True}]}
    await stage.create({**made, "metadata": metadata})
    await stage.until(JOB, "manual", lambda job: job["status"]["ready"] == 1)
    await stage.until_listed("v1 Event", lambda found: any(each["reason"] == "UnexpectedJob" for each in found))
