"""Deployments: rolling out, back, slowly, all at once, not at all."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

DEPLOYMENT, REPLICA_SET = "apps/v1 Deployment", "apps/v1 ReplicaSet"


def deployment(
    name: str = "web", *, replicas: int = 3, image: str = "example.com/web:1", simulate: str = "", **spec: Any
) -> dict[str, Any]:
    """Return a Deployment of one container."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": template(name, image=image, simulate=simulate),
            **spec,
        },
    }


def template(name: str = "web", *, image: str = "example.com/web:1", simulate: str = "") -> dict[str, Any]:
    """Return a template of one container; what its pods do may be said."""
    annotations = {"annotations": {"konverge.dev/simulate": simulate or None}}
    return {
        "metadata": {"labels": {"app": name}, **(annotations if simulate else {})},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }


async def rolled_out(stage: Stage, replicas: int = 3, name: str = "web") -> None:
    """Wait until a rollout is over: all pods are new and available, no old one is left, and all of it is written."""

    def so(obj: dict[str, Any]) -> bool:
        status = obj.get("status", {})
        counts = [status.get(field, 0) for field in ("replicas", "updatedReplicas", "availableReplicas")]
        return (
            status["observedGeneration"] == obj["metadata"]["generation"]
            and counts == [replicas] * 3
            and not status.get("terminatingReplicas")
        )

    await stage.until(DEPLOYMENT, name, so)


async def use_image(stage: Stage, image: str, name: str = "web", **more: Any) -> None:
    """Ask for another image."""
    container = {"name": "main", "image": image}
    await stage.patch(DEPLOYMENT, name, {"spec": {"template": {"spec": {"containers": [container]}}, **more}})


@scenario()
async def rolls_out(stage: Stage) -> None:
    """The first rollout."""
    await stage.create(deployment())
    await rolled_out(stage)


@scenario()
async def rolls_out_a_new_template(stage: Stage) -> None:
    """From one image to another."""
    await stage.create(deployment())
    await rolled_out(stage)
    await use_image(stage, "example.com/web:2")
    await rolled_out(stage)


@scenario()
async def rolls_back_to_an_old_template(stage: Stage) -> None:
    """What `kubectl rollout undo` does: the old template again, and its ReplicaSet with a new revision."""
    await stage.create(deployment())
    await rolled_out(stage)
    await use_image(stage, "example.com/web:2")
    await rolled_out(stage)
    await use_image(stage, "example.com/web:1")
    await rolled_out(stage)


@scenario()
async def rolls_back_by_the_old_annotation(stage: Stage) -> None:
    """The annotation that extensions/v1beta1 became."""
    await stage.create(deployment())
    await rolled_out(stage)
    await use_image(stage, "example.com/web:2")
    await rolled_out(stage)
    await stage.patch(DEPLOYMENT, "web", {"metadata": {"annotations": {"deprecated.deployment.rollback.to": "1"}}})
    await stage.until(
        DEPLOYMENT, "web", lambda obj: obj["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "3"
    )
    await rolled_out(stage)


@scenario()
async def recreates(stage: Stage) -> None:
    """All old pods end before new ones begin."""
    await stage.create(deployment(strategy={"type": "Recreate"}))
    await rolled_out(stage)
    await use_image(stage, "example.com/web:2")
    await rolled_out(stage)


@scenario()
async def keeps_few_old_revisions(stage: Stage) -> None:
    """Old ReplicaSets beyond the limit are deleted."""
    await stage.create(deployment(revisionHistoryLimit=1))
    await rolled_out(stage)
    for number in (2, 3, 4):
        await use_image(stage, f"example.com/web:{number}")
        await rolled_out(stage)
    await stage.until_listed(REPLICA_SET, lambda found: len(found) == 2)


@scenario()
async def does_nothing_while_paused(stage: Stage) -> None:
    """A new template is not rolled out in a pause; a new size is."""
    await stage.create(deployment(paused=False))
    await rolled_out(stage)
    await use_image(stage, "example.com/web:2", paused=True, replicas=5)
    await stage.until(DEPLOYMENT, "web", lambda obj: obj["status"]["availableReplicas"] == 5)


@scenario()
async def goes_on_after_a_pause(stage: Stage) -> None:
    """A rollout that was held back begins when the pause ends."""
    await stage.create(deployment())
    await rolled_out(stage)
    await use_image(stage, "example.com/web:2", paused=True)
    await stage.until(
        DEPLOYMENT, "web", lambda obj: obj["status"]["observedGeneration"] == obj["metadata"]["generation"]
    )
    await stage.patch(DEPLOYMENT, "web", {"spec": {"paused": False}})
    await rolled_out(stage)


@scenario()
async def is_stuck_and_late(stage: Stage) -> None:
    """New pods never start: the old ones stay, and the deadline passes."""
    await stage.create(deployment(progressDeadlineSeconds=2))
    await rolled_out(stage)
    bad = template(image="example.com/none", simulate='{"waiting": "ErrImagePull"}')
    await stage.patch(DEPLOYMENT, "web", {"spec": {"template": bad}})
    await stage.until(
        DEPLOYMENT,
        "web",
        lambda obj: any(c["reason"] == "ProgressDeadlineExceeded" for c in obj["status"]["conditions"]),
    )


@scenario()
async def recovers_from_a_bad_template(stage: Stage) -> None:
    """A rollout that is stuck is replaced by one that works."""
    await stage.create(deployment())
    await rolled_out(stage)
    bad = template(image="example.com/none", simulate='{"waiting": "ErrImagePull"}')
    await stage.patch(DEPLOYMENT, "web", {"spec": {"template": bad}})
    await stage.until(DEPLOYMENT, "web", lambda obj: obj["status"]["unavailableReplicas"] == 1)
    good = template(image="example.com/web:3")
    good["metadata"]["annotations"] = {"konverge.dev/simulate": None}
    await stage.patch(DEPLOYMENT, "web", {"spec": {"template": good}})
    await rolled_out(stage)


@scenario()
async def scales_in_the_middle_of_a_rollout(stage: Stage) -> None:
    """A change of size is spread over the old and the new ReplicaSet."""
    strategy = {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 2}}
    await stage.create(deployment(replicas=10, strategy=strategy))
    await rolled_out(stage, 10)
    bad = template(image="example.com/none", simulate='{"hang": true}')
    await stage.patch(DEPLOYMENT, "web", {"spec": {"template": bad}})
    await stage.until(
        DEPLOYMENT, "web", lambda obj: (obj["status"]["updatedReplicas"], obj["status"]["replicas"]) == (4, 12)
    )
    await stage.patch(DEPLOYMENT, "web", {"spec": {"replicas": 20}})
    await stage.until(DEPLOYMENT, "web", lambda obj: obj["status"]["replicas"] == 22)


@scenario()
async def scales_to_nothing_and_back(stage: Stage) -> None:
    """No pods, then some."""
    await stage.create(deployment())
    await rolled_out(stage)
    await stage.patch(DEPLOYMENT, "web", {"spec": {"replicas": 0}})
    await rolled_out(stage, 0)
    await stage.patch(DEPLOYMENT, "web", {"spec": {"replicas": 2}})
    await rolled_out(stage, 2)


@scenario()
async def waits_until_pods_were_ready_for_a_while(stage: Stage) -> None:
    """`minReadySeconds`: pods count when they have been ready that long."""
    await stage.create(deployment(minReadySeconds=2))
    await rolled_out(stage)
    await use_image(stage, "example.com/web:2")
    await rolled_out(stage)


@scenario()
async def adopts_a_replica_set(stage: Stage) -> None:
    """An orphan that it selects becomes its own, as an old revision or as the new one."""
    labels = {"app": "web", "extra": "1"}
    orphan = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "orphan", "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": template()["spec"]},
        },
    }
    await stage.create(orphan)
    await stage.until(REPLICA_SET, "orphan", lambda obj: obj["status"]["availableReplicas"] == 1)
    await stage.create(deployment())
    await rolled_out(stage)


@scenario()
async def copies_annotations_and_a_new_size_together(stage: Stage) -> None:
    """What is annotated on the Deployment is on its new ReplicaSet too."""
    await stage.create(deployment())
    await rolled_out(stage)
    await stage.patch(
        DEPLOYMENT,
        "web",
        {"metadata": {"annotations": {"kubernetes.io/change-cause": "more"}}, "spec": {"replicas": 4}},
    )
    await rolled_out(stage, 4)


@scenario()
async def cannot_create_pods(stage: Stage) -> None:
    """A quota forbids the third pod: the failure is told by the ReplicaSet and the Deployment."""
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "few"},
        "spec": {"hard": {"pods": "0"}},
    }
    await stage.create(quota)
    await stage.until("v1 ResourceQuota", "few", lambda obj: obj["status"]["hard"]["pods"] == "0")
    await stage.create(deployment(replicas=1))
    await stage.until(
        DEPLOYMENT, "web", lambda obj: any(c["type"] == "ReplicaFailure" for c in obj["status"]["conditions"])
    )
