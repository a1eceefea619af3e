"""DaemonSets: which nodes, what becomes of pods that end, rollouts with and without a surge, and revisions.

There is one node. A scenario that needs it to be another one gives it a label that no other scenario looks at.
"""

from __future__ import annotations

import json
from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

import konverge as kv
from konverge.api.model import encode
from konverge.api.request import MERGE_PATCH
from konverge.models import core_v1

SET, POD, REVISION = "apps/v1 DaemonSet", "v1 Pod", "apps/v1 ControllerRevision"
SHOWN = (SET, POD, REVISION, "v1 Event")
NODE = "konverge"


def template(image: str = "1", *, spec: dict[str, Any] | None = None, **behaviour: Any) -> dict[str, Any]:
    """Return the template of a pod with one container."""
    annotations = {"konverge.dev/simulate": json.dumps(behaviour)}  # always, so that a patch replaces it
    return {
        "metadata": {"labels": {"app": "agent"}, "annotations": annotations},
        "spec": {
            "terminationGracePeriodSeconds": 5,
            "containers": [{"name": "main", "image": f"example.com/agent:{image}"}],
            **(spec or {}),
        },
    }


def daemon_set(pod: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a DaemonSet."""
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "agent"},
        "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": pod or template(), **spec},
    }


def rolling(**numbers: Any) -> dict[str, Any]:
    """Return a strategy."""
    return {"type": "RollingUpdate", "rollingUpdate": numbers}


async def label_node(stage: Stage, name: str, value: str | None) -> None:
    """Set a label of the node, or take it off."""
    node = core_v1.Node(metadata=kv.ObjectMeta(name=NODE))
    patch = {"metadata": {"labels": {f"scenario.konverge.dev/{name}": value}}}
    await stage.client.patch(node, kv.RawPatch(MERGE_PATCH, encode(patch)))


async def settled(stage: Stage, **status: int) -> None:
    """Wait until the status is about what is wanted now, and says this."""
    await stage.until(
        SET,
        "agent",
        lambda obj: (
            obj["status"]["observedGeneration"] == obj["metadata"]["generation"]
            and all(obj["status"].get(key, 0) == value for key, value in status.items())
        ),
    )


RUNS = {"desiredNumberScheduled": 1, "numberAvailable": 1, "updatedNumberScheduled": 1}


@scenario(shows=SHOWN)
async def has_a_pod_on_the_node(stage: Stage) -> None:
    """With what it tolerates and where it belongs."""
    await stage.create(daemon_set())
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def tolerates_more_on_the_network_of_the_node(stage: Stage) -> None:
    """And keeps what its template tolerates."""
    tolerations = [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}, {"key": "gpu"}]
    await stage.create(daemon_set(template(spec={"hostNetwork": True, "tolerations": tolerations})))
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def has_none_on_a_node_that_it_does_not_select(stage: Stage) -> None:
    """By labels, by affinity, and by name."""
    await stage.create(daemon_set(template(spec={"nodeSelector": {"scenario.konverge.dev/none": "yes"}})))
    await settled(stage, desiredNumberScheduled=0)


@scenario(shows=SHOWN)
async def has_none_where_its_affinity_does_not_lead(stage: Stage) -> None:
    """A term that no node meets."""
    term = {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "NotIn", "values": ["linux"]}]}
    term["matchExpressions"].append({"key": "kubernetes.io/hostname", "operator": "DoesNotExist"})
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    await stage.create(daemon_set(template(spec={"affinity": {"nodeAffinity": required}})))
    await settled(stage, desiredNumberScheduled=0)


@scenario(shows=SHOWN)
async def follows_the_labels_of_the_node(stage: Stage) -> None:
    """It comes with a label, goes without it, and comes back."""
    selector = {"scenario.konverge.dev/follows": "yes"}
    await stage.create(daemon_set(template(spec={"nodeSelector": selector})))
    await settled(stage, desiredNumberScheduled=0)
    await label_node(stage, "follows", "yes")
    await settled(stage, **RUNS)
    await label_node(stage, "follows", None)
    await settled(stage, desiredNumberScheduled=0, numberMisscheduled=0)
    await stage.until_listed(POD, lambda pods: not pods)
    await label_node(stage, "follows", "yes")
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def rolls_out_a_new_template(stage: Stage) -> None:
    """The old pod goes before the new one comes."""
    await stage.create(daemon_set())
    await settled(stage, **RUNS)
    await stage.patch(SET, "agent", {"spec": {"template": template("2")}})
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def rolls_out_with_a_surge(stage: Stage) -> None:
    """The old pod goes when the new one works."""
    await stage.create(daemon_set(updateStrategy=rolling(maxSurge=1, maxUnavailable=0)))
    await settled(stage, **RUNS)
    await stage.patch(SET, "agent", {"spec": {"template": template("2", readyAfter=1)}})
    await settled(stage, **RUNS)
    await stage.until_listed(POD, lambda pods: len(pods) == 1)


@scenario(shows=SHOWN)
async def surges_beside_a_pod_that_works(stage: Stage) -> None:
    """A new template that does not work leaves the old pod in its place.

    The old pod takes its time: of two pods of the same second the status shows the one whose random name comes first.
    """
    await stage.create(daemon_set(template(readyAfter=2), updateStrategy=rolling(maxSurge="50%", maxUnavailable=0)))
    await settled(stage, **RUNS)
    await stage.patch(SET, "agent", {"spec": {"template": template("2", readyAfter=None)}})
    await stage.until_listed(POD, lambda pods: [pod["status"]["phase"] for pod in pods] == ["Running", "Running"])
    await settled(stage, numberAvailable=1, updatedNumberScheduled=0)


@scenario(shows=SHOWN)
async def is_not_stuck_with_a_broken_template(stage: Stage) -> None:
    """A pod that does not work gives way at once."""
    await stage.create(daemon_set())
    await settled(stage, **RUNS)
    await stage.patch(SET, "agent", {"spec": {"template": template("2", readyAfter=None)}})
    await settled(stage, numberUnavailable=1, updatedNumberScheduled=1)
    await stage.patch(SET, "agent", {"spec": {"template": template("3")}})
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def rolls_out_when_pods_are_deleted(stage: Stage) -> None:
    """With OnDelete nothing happens until someone deletes the pod."""
    await stage.create(daemon_set(updateStrategy={"type": "OnDelete"}))
    await settled(stage, **RUNS)
    await stage.patch(SET, "agent", {"spec": {"template": template("2")}})
    await settled(stage, numberAvailable=1, updatedNumberScheduled=0)
    (pod,) = await stage.list(POD)
    await stage.delete(POD, pod["metadata"]["name"])
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def goes_back_to_an_old_template(stage: Stage) -> None:
    """The revision of the past becomes the newest once more."""
    await stage.create(daemon_set())
    await settled(stage, **RUNS)
    await stage.patch(SET, "agent", {"spec": {"template": template("2")}})
    await settled(stage, **RUNS)
    await stage.patch(SET, "agent", {"spec": {"template": template("1")}})
    await stage.until_listed(REVISION, lambda found: sorted(each["revision"] for each in found) == [2, 3])
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def keeps_few_revisions(stage: Stage) -> None:
    """Those that no pod has go, the oldest first."""
    await stage.create(daemon_set(revisionHistoryLimit=1))
    await settled(stage, **RUNS)
    for image in ("2", "3"):
        await stage.patch(SET, "agent", {"spec": {"template": template(image)}})
        await settled(stage, **RUNS)
    await stage.until_listed(REVISION, lambda found: sorted(each["revision"] for each in found) == [2, 3])


@scenario(shows=SHOWN)
async def makes_a_pod_anew_that_failed(stage: Stage) -> None:
    """The node refused it twice."""
    await stage.create(daemon_set(template(inTurn=[{"fail": "OutOfcpu"}, {"fail": "OutOfcpu"}, {}])))
    await settled(stage, **RUNS)
    await stage.until_listed(POD, lambda pods: len(pods) == 1)


@scenario(shows=SHOWN)
async def waits_until_its_pod_is_available(stage: Stage) -> None:
    """Ready is not enough with minReadySeconds."""
    await stage.create(daemon_set(minReadySeconds=2))
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def brings_back_a_pod_that_was_deleted(stage: Stage) -> None:
    """Another one comes in its place."""
    await stage.create(daemon_set())
    await settled(stage, **RUNS)
    (pod,) = await stage.list(POD)
    await stage.delete(POD, pod["metadata"]["name"])
    await stage.gone(POD, pod["metadata"]["name"])
    await settled(stage, **RUNS)


@scenario(shows=SHOWN)
async def takes_everything_along_when_it_is_deleted(stage: Stage) -> None:
    """Pods and revisions go with it."""
    await stage.create(daemon_set())
    await settled(stage, **RUNS)
    await stage.delete(SET, "agent", propagation="Foreground")
    await stage.gone(SET, "agent")
