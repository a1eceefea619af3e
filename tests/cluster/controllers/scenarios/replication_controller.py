"""ReplicationControllers: the same as ReplicaSets, in other words."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

RC, POD = "v1 ReplicationController", "v1 Pod"


def replication_controller(*, replicas: int = 2, **spec: Any) -> dict[str, Any]:
    """Return a ReplicationController of one container."""
    template = {
        "metadata": {"labels": {"app": "web"}},
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
