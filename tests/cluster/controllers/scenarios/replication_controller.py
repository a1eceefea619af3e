"""ReplicationControllers: the same as ReplicaSets, in other words."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

RC, POD = "v1 ReplicationController", "v1 Pod"


def replication_controller(*, replicas: int = 2, simulate: str = "", **spec: Any) -> dict[str, Any]:
    """Return a ReplicationController of one container."""
    annotations = {"annotations": {"konverge.dev/simulate": simulate}} if simulate else {}
    template = {
        "metadata": {"labels": {"app": "web"}, **annotations},
        "spec": {"containers": [{"name": "main", "image": "example.com/web:1"}]},
    }
    return {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "template": template, **spec},
    }


async def available(stage: Stage, count: int) -> None:
    """Wait until it has so many pods, all available."""
    await stage.until(
        RC, "web", lambda rc: (rc["status"]["replicas"], rc["status"].get("availableReplicas", 0)) == (count, count)
    )


@scenario()
async def makes_its_pods(stage: Stage) -> None:
    """As many as asked for."""
    await stage.create(replication_controller())
    await available(stage, 2)


@scenario()
async def scales_up_and_down(stage: Stage) -> None:
    """To four and then to one."""
    await stage.create(replication_controller())
    await available(stage, 2)
    await stage.patch(RC, "web", {"spec": {"replicas": 4}})
    await available(stage, 4)
    await stage.patch(RC, "web", {"spec": {"replicas": 1}})
    await available(stage, 1)


@scenario()
async def releases_a_pod(stage: Stage) -> None:
    """A pod whose labels no longer match is let go, and another takes its place."""
    await stage.create(replication_controller())
    await available(stage, 2)
    first = (await stage.list(POD))[0]["metadata"]["name"]
    await stage.patch(POD, first, {"metadata": {"labels": {"app": "quarantine"}}})
    await stage.until(POD, first, lambda pod: "ownerReferences" not in pod["metadata"])
    await available(stage, 2)


@scenario()
async def scales_to_nothing(stage: Stage) -> None:
    """No pods at all."""
    await stage.create(replication_controller())
    await available(stage, 2)
    await stage.patch(RC, "web", {"spec": {"replicas": 0}})
    await available(stage, 0)
    await stage.until_listed(POD, lambda pods: not pods)


@scenario()
async def replaces_a_deleted_pod(stage: Stage) -> None:
    """One that is deleted by somebody."""
    await stage.create(replication_controller())
    await available(stage, 2)
    first = (await stage.list(POD))[0]["metadata"]["name"]
    await stage.delete(POD, first)
    await stage.gone(POD, first)
    await available(stage, 2)


@scenario()
async def replaces_a_pod_that_was_evicted(stage: Stage) -> None:
    """It counts no more, and stays for whoever wants to look at it."""
    await stage.create(replication_controller(simulate='{"inTurn": [{"fail": "Evicted"}, {}]}'))
    await available(stage, 2)
    await stage.until_listed(POD, lambda pods: len(pods) == 3)


@scenario()
async def adopts_a_pod(stage: Stage) -> None:
    """An orphan that it selects is its own."""
    template = replication_controller()["spec"]["template"]
    metadata = {**template["metadata"], "name": "orphan"}
    await stage.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]})
    await stage.until(POD, "orphan", lambda pod: pod["status"]["phase"] == "Running")
    await stage.create(replication_controller())
    await available(stage, 2)


@scenario()
async def counts_pods_that_are_ready_long_enough(stage: Stage) -> None:
    """`minReadySeconds`: ready at once, available later."""
    await stage.create(replication_controller(minReadySeconds=2))
    await stage.until(RC, "web", lambda rc: rc["status"]["readyReplicas"] == 2)
    await available(stage, 2)


@scenario()
async def counts_pods_that_never_are_ready(stage: Stage) -> None:
    """They run, and no more."""
    await stage.create(replication_controller(simulate='{"readyAfter": null}'))
    await stage.until_listed(POD, lambda pods: [pod["status"]["phase"] for pod in pods] == ["Running"] * 2)


@scenario()
async def leaves_its_pods_behind(stage: Stage) -> None:
    """Deleted with its pods orphaned, and made again: the new one takes them over."""
    await stage.create(replication_controller())
    await available(stage, 2)
    await stage.delete(RC, "web", propagation="Orphan")
    await stage.gone(RC, "web")
    await stage.create(replication_controller())
    await available(stage, 2)


@scenario()
async def says_why_it_cannot(stage: Stage) -> None:
    """A quota that allows one pod: the condition and an event tell."""
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "1"}}}
    await stage.create(quota)
    await stage.until("v1 ResourceQuota", "few", lambda found: found["status"]["hard"]["pods"] == "1")
    await stage.create(replication_controller())
    await stage.until(RC, "web", lambda rc: rc["status"]["conditions"][0]["type"] == "ReplicaFailure")
    await available(stage, 1)
