"""StatefulSets: order, numbers, volumes and who owns them, rollouts and revisions."""

from __future__ import annotations

import json
from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

SET, POD, CLAIM, REVISION = "apps/v1 StatefulSet", "v1 Pod", "v1 PersistentVolumeClaim", "apps/v1 ControllerRevision"
SHOWN = (SET, POD, CLAIM, REVISION, "v1 Event")


def template(image: str = "1", **behaviour: Any) -> dict[str, Any]:
    """Return the template of a pod with one container."""
    annotations = {"konverge.dev/simulate": json.dumps(behaviour)}  # always, so that a patch replaces it
    return {
        "metadata": {"labels": {"app": "db"}, "annotations": annotations},
        "spec": {
            "terminationGracePeriodSeconds": 5,
            "containers": [{"name": "main", "image": f"example.com/db:{image}"}],
        },
    }


def stateful_set(replicas: int = 3, *, pod: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a StatefulSet."""
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "annotations": {"team": "storage"}},
        "spec": {
            "serviceName": "db",
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "db"}},
            "template": pod or template(),
            **spec,
        },
    }


def claims(*names: str) -> list[dict[str, Any]]:
    """Return templates of volume claims."""
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return [{"metadata": {"name": name, "labels": {"volume": name}}, "spec": spec} for name in names]


async def settled(stage: Stage, count: int, **status: Any) -> None:
    """Wait until so many pods are there and available, all that is wanted is seen, and the status says so."""

    def is_so(obj: dict[str, Any]) -> bool:
        found = obj["status"]
        numbers = (found["replicas"], found.get("availableReplicas", 0), found["observedGeneration"])
        wanted = (count, count, obj["metadata"]["generation"])
        return numbers == wanted and all(found.get(key) == value for key, value in status.items())

    await stage.until(SET, "db", is_so)


async def updated(stage: Stage, count: int) -> None:
    """Wait until so many pods are there, available and of the newest revision."""
    await stage.until(SET, "db", lambda obj: obj["status"]["observedGeneration"] == obj["metadata"]["generation"])
    await settled(stage, count, updatedReplicas=count, currentReplicas=count)
    await stage.until(SET, "db", lambda obj: obj["status"]["currentRevision"] == obj["status"]["updateRevision"])


@scenario(shows=SHOWN)
async def makes_its_pods_in_order(stage: Stage) -> None:
    """One after the other."""
    await stage.create(stateful_set(pod=template(readyAfter=1)))
    await settled(stage, 3)


@scenario(shows=SHOWN)
async def waits_for_the_first_pod(stage: Stage) -> None:
    """A pod that is not ready holds up those after it."""
    await stage.create(stateful_set(pod=template(readyAfter=None)))
    await stage.until(SET, "db", lambda obj: obj["status"]["replicas"] == 1)
    await stage.until(POD, "db-0", lambda pod: pod["status"]["phase"] == "Running")


@scenario(shows=SHOWN)
async def makes_its_pods_at_once(stage: Stage) -> None:
    """In parallel nobody waits."""
    await stage.create(stateful_set(4, pod=template(readyAfter=None), podManagementPolicy="Parallel"))
    await stage.until(SET, "db", lambda obj: obj["status"]["replicas"] == 4)
    await stage.until_listed(POD, lambda pods: [pod["status"]["phase"] for pod in pods] == ["Running"] * 4)


@scenario(shows=SHOWN)
async def scales_up_and_down(stage: Stage) -> None:
    """The last come and go first."""
    await stage.create(stateful_set(1))
    await settled(stage, 1)
    await stage.patch(SET, "db", {"spec": {"replicas": 3}})
    await settled(stage, 3)
    await stage.patch(SET, "db", {"spec": {"replicas": 1}})
    await settled(stage, 1)


@scenario(shows=SHOWN)
async def rolls_out_a_new_template(stage: Stage) -> None:
    """From the last number to the first."""
    await stage.create(stateful_set())
    await settled(stage, 3)
    await stage.patch(SET, "db", {"spec": {"template": template("2")}})
    await updated(stage, 3)


@scenario(shows=SHOWN)
async def rolls_out_in_parallel(stage: Stage) -> None:
    """A rollout goes one by one in parallel too."""
    await stage.create(stateful_set(podManagementPolicy="Parallel"))
    await settled(stage, 3)
    await stage.patch(SET, "db", {"spec": {"template": template("2", readyAfter=1)}})
    await updated(stage, 3)


@scenario(shows=SHOWN)
async def rolls_out_to_a_part(stage: Stage) -> None:
    """Numbers below the partition stay, and come back as they were."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    await stage.create(stateful_set(updateStrategy=strategy))
    await settled(stage, 3)
    await stage.patch(SET, "db", {"spec": {"template": template("2")}})
    await settled(stage, 3, updatedReplicas=1)
    old = (await stage.get(POD, "db-0"))["metadata"]["uid"]
    await stage.delete(POD, "db-0")
    await stage.until(POD, "db-0", lambda pod: pod["metadata"]["uid"] != old)
    await settled(stage, 3, updatedReplicas=1)


@scenario(shows=SHOWN)
async def rolls_out_when_pods_are_deleted(stage: Stage) -> None:
    """With OnDelete nothing happens until someone deletes a pod."""
    await stage.create(stateful_set(2, updateStrategy={"type": "OnDelete"}))
    await settled(stage, 2)
    await stage.patch(SET, "db", {"spec": {"template": template("2")}})
    await stage.until(SET, "db", lambda obj: obj["status"]["updateRevision"] != obj["status"]["currentRevision"])
    await stage.delete(POD, "db-0")
    await settled(stage, 2, updatedReplicas=1)


@scenario(shows=SHOWN)
async def is_stuck_with_a_broken_template(stage: Stage) -> None:
    """A pod that never becomes ready holds up the rollout, and a template that works does not free it."""
    await stage.create(stateful_set(2))
    await settled(stage, 2)
    await stage.patch(SET, "db", {"spec": {"template": template("broken", hang=True)}})
    await stage.until(POD, "db-1", lambda pod: pod["spec"]["containers"][0]["image"].endswith("broken"))
    await stage.patch(SET, "db", {"spec": {"template": template("2")}})
    await stage.until_listed(REVISION, lambda found: len(found) == 3)
    await stage.until(SET, "db", lambda obj: obj["status"]["observedGeneration"] == obj["metadata"]["generation"])


@scenario(shows=SHOWN)
async def goes_back_to_an_old_template(stage: Stage) -> None:
    """The revision of the past becomes the newest once more."""
    await stage.create(stateful_set(2))
    await settled(stage, 2)
    await stage.patch(SET, "db", {"spec": {"template": template("2")}})
    await updated(stage, 2)
    await stage.patch(SET, "db", {"spec": {"template": template("1")}})
    await stage.until_listed(REVISION, lambda found: sorted(each["revision"] for each in found) == [2, 3])
    await updated(stage, 2)


@scenario(shows=SHOWN)
async def keeps_few_revisions(stage: Stage) -> None:
    """Those that no pod has go, the oldest first."""
    await stage.create(stateful_set(1, revisionHistoryLimit=1))
    await settled(stage, 1)
    for image in ("2", "3", "4"):
        await stage.patch(SET, "db", {"spec": {"template": template(image)}})
        await updated(stage, 1)
    await stage.until_listed(REVISION, lambda found: sorted(each["revision"] for each in found) == [3, 4])


@scenario(shows=SHOWN)
async def has_volumes_of_its_own(stage: Stage) -> None:
    """Each number has a claim of each template; they stay when it is scaled down."""
    await stage.create(stateful_set(2, volumeClaimTemplates=claims("data", "log")))
    await settled(stage, 2)
    await stage.patch(SET, "db", {"spec": {"replicas": 1}})
    await settled(stage, 1)


@scenario(shows=SHOWN)
async def deletes_claims_when_scaled(stage: Stage) -> None:
    """A claim goes with the pod that scaling removes."""
    policy = {"whenScaled": "Delete", "whenDeleted": "Retain"}
    await stage.create(
        stateful_set(2, volumeClaimTemplates=claims("data"), persistentVolumeClaimRetentionPolicy=policy)
    )
    await settled(stage, 2)
    await stage.patch(SET, "db", {"spec": {"replicas": 1}})
    await settled(stage, 1)
    await stage.gone(CLAIM, "data-db-1")


@scenario(shows=SHOWN)
async def owns_claims_that_go_with_it(stage: Stage) -> None:
    """The policy is changed while it runs, and shows in the owners of the claims."""
    await stage.create(stateful_set(2, volumeClaimTemplates=claims("data")))
    await settled(stage, 2)
    policy = {"whenScaled": "Delete", "whenDeleted": "Delete"}
    await stage.patch(SET, "db", {"spec": {"persistentVolumeClaimRetentionPolicy": policy}})
    await stage.until_listed(CLAIM, lambda found: all(each["metadata"]["ownerReferences"] for each in found))
    await settled(stage, 2)


@scenario(shows=SHOWN)
async def starts_with_another_number(stage: Stage) -> None:
    """Numbers begin where they are told to, also later."""
    await stage.create(stateful_set(2, ordinals={"start": 3}))
    await settled(stage, 2)
    await stage.patch(SET, "db", {"spec": {"ordinals": {"start": 4}}})
    await stage.gone(POD, "db-3")
    await stage.until(POD, "db-5", lambda pod: pod["status"]["phase"] == "Running")
    await settled(stage, 2)


@scenario(shows=SHOWN)
async def makes_pods_anew_that_have_ended(stage: Stage) -> None:
    """A pod that the node refuses is deleted, and comes back."""
    await stage.create(stateful_set(2, pod=template(inTurn=[{"fail": "Evicted"}, {}])))
    await settled(stage, 2)


@scenario(shows=SHOWN)
async def waits_until_pods_are_available(stage: Stage) -> None:
    """Ready is not enough with minReadySeconds."""
    await stage.create(stateful_set(2, minReadySeconds=2))
    await settled(stage, 2)


@scenario(shows=SHOWN)
async def adopts_a_pod_of_its_name(stage: Stage) -> None:
    """An orphan that it selects and that has one of its names."""
    pod = {"apiVersion": "v1", "kind": "Pod", **template()}
    await stage.create({**pod, "metadata": {**pod["metadata"], "name": "db-0"}})
    await stage.create({**pod, "metadata": {**pod["metadata"], "name": "stranger"}})
    await stage.create(stateful_set(1))
    await stage.until(POD, "db-0", lambda obj: obj["metadata"]["ownerReferences"])
    await updated(stage, 1)


@scenario(shows=SHOWN)
async def leaves_its_claims_when_it_is_deleted(stage: Stage) -> None:
    """Pods and revisions go with it."""
    await stage.create(stateful_set(2, volumeClaimTemplates=claims("data")))
    await settled(stage, 2)
    await stage.delete(SET, "db", propagation="Foreground")
    await stage.gone(SET, "db")
    await stage.until_listed(POD, lambda pods: not pods)
