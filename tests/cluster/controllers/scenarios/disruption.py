"""PodDisruptionBudgets: what is expected, what is healthy, and how many pods may go."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

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
