"""Jobs: completions, parallelism, indexes, limits, deadlines, suspension and the policies."""

from __future__ import annotations

import json
from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

JOB, POD = "batch/v1 Job", "v1 Pod"
SHOWN = (JOB, POD, "v1 Event")

ENDS_WELL: dict[str, Any] = {"exitAfter": 1}
FAILS: dict[str, Any] = {"exitAfter": 1, "exitCodes": [1]}


def job(behaviour: dict[str, Any], *, restart: str = "Never", **spec: Any) -> dict[str, Any]:
    """Return a Job whose pods behave in this way."""
    template = {
        "metadata": {"annotations": {"konverge.dev/simulate": json.dumps(behaviour)}},
        "spec": {"restartPolicy": restart, "containers": [{"name": "main", "image": "example.com/work:1"}]},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "work"},
        "spec": {"template": template, **spec},
    }


async def has(stage: Stage, condition: str) -> None:
    """Wait until the Job has a condition."""
    await stage.until(
        JOB,
        "work",
        lambda obj: any(each["type"] == condition and each["status"] == "True" for each in obj["status"]["conditions"]),
    )


async def active(stage: Stage, count: int) -> None:
    """Wait until so many pods of the Job are active and ready."""
    await stage.until(JOB, "work", lambda obj: obj["status"]["active"] == obj["status"]["ready"] == count)


@scenario(shows=SHOWN)
async def completes(stage: Stage) -> None:
    """One pod that ends well."""
    await stage.create(job(ENDS_WELL))
    await has(stage, "Complete")


@scenario(shows=SHOWN)
async def completes_several_times_side_by_side(stage: Stage) -> None:
    """Five completions, two at a time."""
    await stage.create(job(ENDS_WELL, completions=5, parallelism=2))
    await has(stage, "Complete")


@scenario(shows=SHOWN)
async def is_done_with_the_first_success_of_a_work_queue(stage: Stage) -> None:
    """No completions: three pods run, and what runs may end."""
    await stage.create(job(ENDS_WELL, parallelism=3))
    await has(stage, "Complete")


@scenario(shows=SHOWN)
async def fails_at_its_backoff_limit(stage: Stage) -> None:
    """No retry at all."""
    await stage.create(job(FAILS, backoffLimit=0))
    await has(stage, "Failed")


@scenario(shows=SHOWN)
async def retries_after_a_pause(stage: Stage) -> None:
    """The first pod fails, the second one ends well."""
    await stage.create(job({"inTurn": [FAILS, ENDS_WELL]}))
    await has(stage, "Complete")


@scenario(shows=SHOWN)
async def restarts_containers_up_to_its_limit(stage: Stage) -> None:
    """Containers that are started again count as failures."""
    await stage.create(job(FAILS, restart="OnFailure", backoffLimit=1))
    await has(stage, "Failed")


@scenario(shows=SHOWN)
async def fails_at_its_deadline(stage: Stage) -> None:
    """A pod that never ends, and three seconds."""
    await stage.create(job({}, activeDeadlineSeconds=3))
    await has(stage, "Failed")


@scenario(shows=SHOWN)
async def numbers_its_completions(stage: Stage) -> None:
    """Each pod has an index, a host name and a variable."""
    await stage.create(job(ENDS_WELL, completions=4, parallelism=3, completionMode="Indexed"))
    await has(stage, "Complete")


@scenario(shows=SHOWN)
async def loses_an_index_and_goes_on(stage: Stage) -> None:
    """Index 1 fails once more than it may; the others end well, and the job fails in the end."""
    behaviour = {**ENDS_WELL, "byIndex": {"1": FAILS}}
    spec: dict[str, Any] = {"completions": 3, "parallelism": 3, "completionMode": "Indexed", "backoffLimitPerIndex": 0}
    await stage.create(job(behaviour, **spec))
    await has(stage, "Failed")


@scenario(shows=SHOWN)
async def retries_an_index(stage: Stage) -> None:
    """The pod that replaces a failed one knows how often its index has failed."""
    behaviour = {"byIndex": {"0": {"inTurn": [FAILS, FAILS, ENDS_WELL]}, "1": ENDS_WELL}}
    spec: dict[str, Any] = {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 2}
    await stage.create(job(behaviour, **spec))
    await has(stage, "Complete")


@scenario(shows=SHOWN)
async def has_lost_too_many_indexes(stage: Stage) -> None:
    """The pods that still run are taken down."""
    behaviour = {"byIndex": {"0": FAILS, "1": FAILS}}
    spec: dict[str, Any] = {"completions": 4, "parallelism": 4, "completionMode": "Indexed"}
    await stage.create(job(behaviour, **spec, backoffLimitPerIndex=0, maxFailedIndexes=1))
    await has(stage, "Failed")


@scenario(shows=SHOWN)
async def is_created_suspended(stage: Stage) -> None:
    """It has no pods and no start."""
    await stage.create(job(ENDS_WELL, suspend=True))
    await has(stage, "Suspended")


@scenario(shows=SHOWN)
async def is_suspended_and_resumed(stage: Stage) -> None:
    """Its pods go, and come back."""
    await stage.create(job({"exitAfter": 600}, parallelism=2, completions=2))
    await active(stage, 2)
    await stage.patch(JOB, "work", {"spec": {"suspend": True}})
    await has(stage, "Suspended")
    await stage.until_listed(POD, lambda pods: not pods)
    await stage.patch(JOB, "work", {"spec": {"suspend": False}})
    await active(stage, 2)


@scenario(shows=SHOWN)
async def fails_by_its_policy(stage: Stage) -> None:
    """An exit code that no retry would change."""
    rule = {"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In", "values": [42]}}
    behaviour = {"exitAfter": 1, "exitCodes": [42]}
    await stage.create(job(behaviour, backoffLimit=6, podFailurePolicy={"rules": [rule]}))
    await has(stage, "Failed")


@scenario(shows=SHOWN)
async def ignores_failures_by_its_policy(stage: Stage) -> None:
    """A failure that does not count leaves the limit alone."""
    rule = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [3]}}
    behaviour = {"inTurn": [{"exitAfter": 1, "exitCodes": [3]}, ENDS_WELL]}
    await stage.create(job(behaviour, backoffLimit=0, podFailurePolicy={"rules": [rule]}))
    await has(stage, "Complete")


@scenario(shows=SHOWN)
async def fails_an_index_by_its_policy(stage: Stage) -> None:
    """One failure is enough for the index, although it might be tried again."""
    rule = {"action": "FailIndex", "onExitCodes": {"operator": "NotIn", "values": [1, 2]}}
    behaviour = {**ENDS_WELL, "byIndex": {"0": {"exitAfter": 1, "exitCodes": [9]}}}
    spec: dict[str, Any] = {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 3}
    await stage.create(job(behaviour, **spec, podFailurePolicy={"rules": [rule]}))
    await has(stage, "Failed")


@scenario(shows=SHOWN)
async def succeeds_by_its_policy(stage: Stage) -> None:
    """One index is enough; the pods that still run are taken down."""
    behaviour = {"byIndex": {"0": ENDS_WELL}}
    spec: dict[str, Any] = {"completions": 3, "parallelism": 3, "completionMode": "Indexed"}
    await stage.create(job(behaviour, **spec, successPolicy={"rules": [{"succeededIndexes": "0"}]}))
    await has(stage, "Complete")


@scenario(shows=SHOWN)
async def replaces_a_pod_only_when_it_has_failed(stage: Stage) -> None:
    """A pod that was deleted is waited for."""
    await stage.create(job({"stopAfter": 2}, podReplacementPolicy="Failed"))
    await active(stage, 1)
    (pod,) = await stage.list(POD)
    await stage.delete(POD, pod["metadata"]["name"])
    await stage.gone(POD, pod["metadata"]["name"])
    await active(stage, 1)


@scenario(shows=SHOWN)
async def scales_its_parallelism(stage: Stage) -> None:
    """Down, the pods that are too many go; up, more come."""
    await stage.create(job({}, parallelism=3, completions=5))
    await active(stage, 3)
    await stage.patch(JOB, "work", {"spec": {"parallelism": 1}})
    await active(stage, 1)
    await stage.until_listed(POD, lambda pods: len(pods) == 1)
    await stage.patch(JOB, "work", {"spec": {"parallelism": 2}})
    await active(stage, 2)


@scenario(shows=SHOWN)
async def leaves_a_job_that_another_one_manages(stage: Stage) -> None:
    """Nothing happens to it."""
    await stage.create(job(ENDS_WELL, managedBy="example.com/other"), {**job(ENDS_WELL), "metadata": {"name": "ours"}})
    await stage.until(JOB, "ours", lambda obj: obj["status"]["succeeded"] == 1)
    await stage.until(JOB, "ours", lambda obj: obj["status"]["completionTime"])


@scenario(shows=SHOWN, rests=False)  # it tries again and again
async def says_what_keeps_it_from_making_pods(stage: Stage) -> None:
    """A quota of none."""
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}}
    await stage.create(quota)
    await stage.until("v1 ResourceQuota", "none", lambda obj: obj["status"]["used"]["pods"] == "0")
    await stage.create(job(ENDS_WELL, parallelism=2, completions=2))
    await stage.until_listed("v1 Event", lambda found: any(each["reason"] == "FailedCreate" for each in found))


@scenario(shows=SHOWN)
async def frees_its_pods_when_it_is_deleted(stage: Stage) -> None:
    """The pods go with it, whatever finalizer they have."""
    await stage.create(job({}, parallelism=2, completions=2))
    await active(stage, 2)
    await stage.delete(JOB, "work", propagation="Background")
    await stage.until_listed(POD, lambda pods: not pods)


@scenario(shows=SHOWN)
async def lets_its_pods_go_when_it_is_deleted_alone(stage: Stage) -> None:
    """Pods that are orphaned lose the finalizer."""
    await stage.create(job({}, parallelism=2, completions=2))
    await active(stage, 2)
    await stage.delete(JOB, "work", propagation="Orphan")
    await stage.gone(JOB, "work")
    await stage.until_listed(POD, lambda pods: not any(pod["metadata"].get("finalizers") for pod in pods))
