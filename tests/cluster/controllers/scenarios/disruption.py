"""PodDisruptionBudgets: what is expected, what is healthy, and how many pods may go."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

import konverge as kv
from konverge.models import core_v1, policy_v1
from scenarios.replica_set import available, replica_set

BUDGET, POD, DEPLOYMENT = "policy/v1 PodDisruptionBudget", "v1 Pod", "apps/v1 Deployment"
SHOWN = (BUDGET, "v1 Event")


def budget(name: str = "web", *, selector: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a budget for the pods of a ReplicaSet."""
    chosen = {"matchLabels": {"app": "web"}} if selector is None else selector
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": chosen, **spec},
    }


def pod(name: str, **labels: str) -> dict[str, Any]:
    """Return a pod that nobody controls."""
    spec = {"containers": [{"name": "main", "image": "example.com/web:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}


async def judged(stage: Stage, *, allowed: int, healthy: int, name: str = "web") -> None:
    """Wait until a budget has seen its pods."""
    await stage.until(
        BUDGET,
        name,
        lambda found: (
            (found["status"]["disruptionsAllowed"], found["status"]["currentHealthy"]) == (allowed, healthy)
            and found["status"]["observedGeneration"] == found["metadata"]["generation"]
        ),
    )


@scenario(shows=SHOWN)
async def no_pods(stage: Stage) -> None:
    """Nothing is expected, so nothing may go."""
    await stage.create(budget(minAvailable=1))
    await judged(stage, allowed=0, healthy=0)


@scenario(shows=SHOWN)
async def at_least_two(stage: Stage) -> None:
    """One of three may go; after a change two."""
    await stage.create(replica_set())
    await available(stage, 3)
    await stage.create(budget(minAvailable=2))
    await judged(stage, allowed=1, healthy=3)
    await stage.patch(BUDGET, "web", {"spec": {"minAvailable": 1}})
    await judged(stage, allowed=2, healthy=3)


@scenario(shows=SHOWN)
async def a_share_is_rounded_up(stage: Stage) -> None:
    """A third of three pods, of the size that the ReplicaSet asks for."""
    await stage.create(replica_set())
    await available(stage, 3)
    await stage.create(budget("least", minAvailable="50%"))
    await stage.create(budget("most", maxUnavailable="34%"))
    await judged(stage, allowed=1, healthy=3, name="least")
    await judged(stage, allowed=2, healthy=3, name="most")


@scenario(shows=SHOWN)
async def of_a_deployment(stage: Stage) -> None:
    """Its size counts, not that of its ReplicaSet."""
    workload = {**replica_set(replicas=2), "kind": "Deployment"}
    await stage.create(workload)
    await stage.until(DEPLOYMENT, "web", lambda found: found["status"]["availableReplicas"] == 2)
    await stage.create(budget(maxUnavailable=1))
    await judged(stage, allowed=1, healthy=2)


@scenario(shows=SHOWN)
async def pods_of_nobody(stage: Stage) -> None:
    """They are not counted by a share, and it is said; a number counts them."""
    await stage.create(pod("a", app="web"))
    await stage.until(POD, "a", lambda found: found["status"]["phase"] == "Running")
    await stage.create(budget("share", minAvailable="50%"))
    await stage.create(budget("number", minAvailable=1))
    await judged(stage, allowed=0, healthy=1, name="share")
    await judged(stage, allowed=0, healthy=1, name="number")


@scenario(shows=SHOWN)
async def selectors(stage: Stage) -> None:
    """An empty selector is about every pod; expressions count."""
    await stage.create(pod("a", app="web"))
    await stage.create(pod("b", app="db"))
    for name in ("a", "b"):
        await stage.until(POD, name, lambda found: found["status"]["phase"] == "Running")
    await stage.create(budget("all", selector={}, minAvailable=1))
    expression = {"key": "app", "operator": "NotIn", "values": ["db"]}
    await stage.create(budget("some", selector={"matchExpressions": [expression]}, minAvailable=0))
    await judged(stage, allowed=1, healthy=2, name="all")
    await judged(stage, allowed=1, healthy=1, name="some")


@scenario(shows=SHOWN)
async def pods_that_are_not_ready(stage: Stage) -> None:
    """They are expected, and not healthy."""
    await stage.create(replica_set(simulate='{"inTurn": [{"readyAfter": null}, {}]}'))
    await stage.until("apps/v1 ReplicaSet", "web", lambda found: found["status"]["availableReplicas"] == 2)
    await stage.create(budget(minAvailable=1))
    await judged(stage, allowed=1, healthy=2)


@scenario(shows=SHOWN)
async def more_than_there_are(stage: Stage) -> None:
    """Nothing may go; when the workload grows, something may."""
    await stage.create(replica_set(replicas=2))
    await available(stage, 2)
    await stage.create(budget(minAvailable=3))
    await judged(stage, allowed=0, healthy=2)
    await stage.patch("apps/v1 ReplicaSet", "web", {"spec": {"replicas": 4}})
    await judged(stage, allowed=1, healthy=4)


@scenario(shows=SHOWN)
async def none_may_be_missing(stage: Stage) -> None:
    """No unavailable pods, or all of them available."""
    await stage.create(replica_set(replicas=2))
    await available(stage, 2)
    await stage.create(budget("none", maxUnavailable=0))
    await stage.create(budget("all", minAvailable="100%"))
    await judged(stage, allowed=0, healthy=2, name="none")
    await judged(stage, allowed=0, healthy=2, name="all")


@scenario(shows=SHOWN)
async def two_workloads(stage: Stage) -> None:
    """Their sizes are added up."""
    await stage.create(replica_set("web", replicas=2), replica_set("db", replicas=1))
    await available(stage, 2)
    await available(stage, 1, "db")
    await stage.create(budget(selector={}, maxUnavailable="50%"))
    await judged(stage, allowed=2, healthy=3)


@scenario(shows=SHOWN)
async def an_eviction(stage: Stage) -> None:
    """It is counted down, and up again when another pod is ready."""
    await stage.create(replica_set(replicas=2))
    await available(stage, 2)
    await stage.create(budget(minAvailable=1))
    await judged(stage, allowed=1, healthy=2)
    first = (await stage.list(POD))[0]["metadata"]["name"]
    await evict(stage, first)
    await stage.gone(POD, first)
    await available(stage, 2)
    await judged(stage, allowed=1, healthy=2)


async def evict(stage: Stage, name: str) -> None:
    """Ask for the eviction of a pod."""
    named = core_v1.Pod(metadata=kv.ObjectMeta(name=name, namespace=stage.namespace))
    await stage.client.subresource("eviction").create(named, policy_v1.Eviction(metadata=named.metadata))


@scenario(shows=SHOWN)
async def a_stateful_set(stage: Stage) -> None:
    """Counts like any other workload."""
    workload = {**replica_set(replicas=2), "kind": "StatefulSet"}
    await stage.create(workload)
    await stage.until("apps/v1 StatefulSet", "web", lambda found: found["status"]["availableReplicas"] == 2)
    await stage.create(budget(maxUnavailable=1))
    await judged(stage, allowed=1, healthy=2)


@scenario(shows=SHOWN)
async def a_workload_without_a_scale(stage: Stage) -> None:
    """Nobody knows how many there should be: nothing may go, and it is said why."""
    daemon = replica_set()
    del daemon["spec"]["replicas"]
    await stage.create({**daemon, "kind": "DaemonSet"})
    await stage.until("apps/v1 DaemonSet", "web", lambda found: found["status"]["numberAvailable"] == 1)
    await stage.create(budget(maxUnavailable=1))
    await stage.until(BUDGET, "web", lambda found: found["status"]["conditions"][0]["reason"] == "SyncFailed")
