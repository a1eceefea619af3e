"""ReplicaSets: numbers, adoption, release, and which pods go."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

RS, POD = "apps/v1 ReplicaSet", "v1 Pod"


def replica_set(name: str = "web", *, replicas: int = 3, simulate: str = "", **spec: Any) -> dict[str, Any]:
    """Return a ReplicaSet of one container."""
    annotations = {"annotations": {"konverge.dev/simulate": simulate}} if simulate else {}
    template = {
        "metadata": {"labels": {"app": name}, **annotations},
        "spec": {"containers": [{"name": "main", "image": "example.com/web:1"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template, **spec},
    }


async def available(stage: Stage, count: int, name: str = "web") -> None:
    """Wait until a ReplicaSet has so many pods, all available."""
    await stage.until(
        RS,
        name,
        lambda rs: (
            (rs["status"]["replicas"], rs["status"].get("availableReplicas", 0)) == (count, count)
            and rs["status"]["observedGeneration"] == rs["metadata"]["generation"]
        ),
    )


@scenario()
async def makes_its_pods(stage: Stage) -> None:
    """As many as asked for."""
    await stage.create(replica_set())
    await available(stage, 3)


@scenario()
async def scales_up_and_down(stage: Stage) -> None:
    """To one and then to two."""
    await stage.create(replica_set())
    await available(stage, 3)
    await stage.patch(RS, "web", {"spec": {"replicas": 1}})
    await available(stage, 1)
    await stage.patch(RS, "web", {"spec": {"replicas": 2}})
    await available(stage, 2)


@scenario()
async def scales_to_nothing(stage: Stage) -> None:
    """No pods at all."""
    await stage.create(replica_set(replicas=2))
    await available(stage, 2)
    await stage.patch(RS, "web", {"spec": {"replicas": 0}})
    await available(stage, 0)
    await stage.until_listed(POD, lambda pods: not pods)


@scenario()
async def replaces_a_deleted_pod(stage: Stage) -> None:
    """One that is deleted by somebody."""
    await stage.create(replica_set(replicas=2))
    await available(stage, 2)
    first = (await stage.list(POD))[0]["metadata"]["name"]
    await stage.delete(POD, first)
    await stage.gone(POD, first)
    await available(stage, 2)


@scenario()
async def replaces_pods_that_ended(stage: Stage) -> None:
    """A pod that was evicted counts no more, and stays for whoever wants to look at it."""
    await stage.create(replica_set(replicas=2, simulate='{"inTurn": [{"fail": "Evicted"}, {}]}'))
    await available(stage, 2)
    await stage.until_listed(POD, lambda pods: len(pods) == 3)


@scenario()
async def adopts_pods(stage: Stage) -> None:
    """Orphans that it selects are its own, so that it makes fewer."""
    spec = replica_set()["spec"]["template"]
    for number in (1, 2):
        metadata = {**spec["metadata"], "name": f"orphan-{number}"}
        await stage.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec["spec"]})
    await stage.until_listed(POD, lambda pods: all(pod["status"]["phase"] == "Running" for pod in pods))
    await stage.create(replica_set(replicas=3))
    await available(stage, 3)


@scenario()
async def releases_a_pod(stage: Stage) -> None:
    """A pod whose labels no longer match is let go, and another takes its place."""
    await stage.create(replica_set(replicas=2))
    await available(stage, 2)
    first = (await stage.list(POD))[0]["metadata"]["name"]
    await stage.patch(POD, first, {"metadata": {"labels": {"app": "quarantine"}}})
    await stage.until(POD, first, lambda pod: "ownerReferences" not in pod["metadata"])
    await available(stage, 2)


@scenario()
async def keeps_the_dearest_pods(stage: Stage) -> None:
    """Of equal pods, those that are said to cost least go first."""
    await stage.create(replica_set(replicas=3))
    await available(stage, 3)
    for cost, pod in enumerate(await stage.list(POD)):
        annotations = {"controller.kubernetes.io/pod-deletion-cost": str(10 - cost), "number": str(cost)}
        await stage.patch(POD, pod["metadata"]["name"], {"metadata": {"annotations": annotations}})
    await stage.patch(RS, "web", {"spec": {"replicas": 1}})
    await available(stage, 1)
    await stage.until_listed(POD, lambda pods: len(pods) == 1)


@scenario()
async def lets_go_first_of_what_does_not_work(stage: Stage) -> None:
    """A pod that never starts goes before those that are ready."""
    await stage.create(replica_set(replicas=3, simulate='{"inTurn": [{"hang": true}, {}]}'))
    await stage.until(RS, "web", lambda rs: rs["status"]["availableReplicas"] == 2)
    await stage.patch(RS, "web", {"spec": {"replicas": 2}})
    await available(stage, 2)


@scenario()
async def counts_pods_that_are_ready_long_enough(stage: Stage) -> None:
    """`minReadySeconds`: ready at once, available later."""
    await stage.create(replica_set(replicas=2, minReadySeconds=2))
    await stage.until(RS, "web", lambda rs: rs["status"]["readyReplicas"] == 2)
    await available(stage, 2)


@scenario()
async def counts_pods_that_never_are_ready(stage: Stage) -> None:
    """They run, and no more."""
    await stage.create(replica_set(replicas=2, simulate='{"readyAfter": null}'))
    await stage.until_listed(POD, lambda pods: [pod["status"]["phase"] for pod in pods] == ["Running"] * 2)


@scenario()
async def shows_pods_on_their_way_out(stage: Stage) -> None:
    """Pods that take their time to stop are counted apart."""
    await stage.create(replica_set(replicas=2, simulate='{"stopAfter": 3}'))
    await available(stage, 2)
    await stage.patch(RS, "web", {"spec": {"replicas": 1}})
    await stage.until(RS, "web", lambda rs: rs["status"]["terminatingReplicas"] == 1)
    await stage.until(RS, "web", lambda rs: rs["status"]["terminatingReplicas"] == 0)


@scenario()
async def leaves_its_pods_behind(stage: Stage) -> None:
    """Deleted with its pods orphaned, and made again: the new one takes them over."""
    await stage.create(replica_set(replicas=2))
    await available(stage, 2)
    await stage.delete(RS, "web", propagation="Orphan")
    await stage.gone(RS, "web")
    await stage.create(replica_set(replicas=2))
    await available(stage, 2)
