"""Namespace deletion: what goes, in which order, and what is said of what stays."""

from __future__ import annotations

import json
from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

from konverge.errors import Forbidden
from scenarios.garbage_collector import CM, HELD, SECRET, owned

NS, POD = "v1 Namespace", "v1 Pod"
SHOWN = (CM,)
Json = dict[str, Any]


async def opened(stage: Stage, **given: Any) -> Stage:
    """Make a namespace beside the scenario's own."""
    name = f"{stage.namespace}-ending"
    meta = {"name": name, "namespace": "", **given.pop("metadata", {})}
    await stage.create({"apiVersion": "v1", "kind": "Namespace", "metadata": meta, **given})
    other = Stage(stage.client.with_defaults(namespace=name), name)
    await other.until("v1 ServiceAccount", "default", lambda _: True)
    return other


async def close(stage: Stage) -> None:
    """Delete the namespace."""
    await stage.delete(NS, stage.namespace)


async def until(stage: Stage, **conditions: str) -> Json:
    """Wait until the namespace has these conditions."""

    def has_them(namespace: Json) -> bool:
        found = {each["type"]: each["status"] for each in namespace["status"]["conditions"]}
        return conditions.items() <= found.items()

    return await stage.until(NS, stage.namespace, has_them)


async def note(stage: Stage, namespace: Json, **more: Any) -> None:
    """Write down how a namespace looks, where it is compared."""
    status, metadata = namespace["status"], namespace["metadata"]
    conditions = [
        {key: value for key, value in each.items() if key != "lastTransitionTime"}
        for each in status.get("conditions", ())
    ]
    seen = {
        "phase": status.get("phase"),
        "conditions": conditions,
        "finalizers": [metadata.get("finalizers"), namespace["spec"].get("finalizers")],
        **more,
    }
    await stage.create({**owned("seen"), "data": {"seen": json.dumps(seen, indent=1, sort_keys=True)}})


def pod(name: str = "a", *, grace: int = 1, simulate: str = "", **metadata: Any) -> Json:
    """Return a pod of one container."""
    annotations = {"annotations": {"konverge.dev/simulate": simulate}} if simulate else {}
    spec = {"terminationGracePeriodSeconds": grace, "containers": [{"name": "main", "image": "example.com/web:1"}]}
    meta = {"name": name, **annotations, **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


async def running(stage: Stage, name: str = "a") -> None:
    """Wait until a pod runs."""
    await stage.until(POD, name, lambda obj: obj["status"]["phase"] == "Running")


@scenario(shows=SHOWN)
async def an_empty_one_goes(stage: Stage) -> None:
    """With its account and its CA."""
    ending = await opened(stage)
    await close(ending)
    await stage.gone(NS, ending.namespace)


@scenario(shows=SHOWN)
async def content_of_many_kinds_goes(stage: Stage) -> None:
    """Built-in kinds of several groups."""
    ending = await opened(stage)
    await ending.create(owned("a"), owned("b", kind=SECRET), owned("c", kind="v1 ServiceAccount"))
    await ending.create(owned("d", kind="coordination.k8s.io/v1 Lease"))
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "e"}, "rules": []}
    await ending.create(role)
    await close(ending)
    await stage.gone(NS, ending.namespace)


@scenario(shows=SHOWN)
async def a_finalizer_keeps_it(stage: Stage) -> None:
    """The conditions say which, and on what."""
    ending = await opened(stage)
    await ending.create(owned("held", finalizers=[HELD]), owned("free"))
    await close(ending)
    await note(stage, await until(ending, NamespaceFinalizersRemaining="True"))


@scenario(shows=SHOWN)
async def many_finalizers_keep_it(stage: Stage) -> None:
    """Kinds and finalizers are counted, and sorted."""
    ending = await opened(stage)
    await ending.create(owned("a", finalizers=[HELD]), owned("b", finalizers=["test.konverge.dev/a", HELD]))
    await ending.create(owned("c", kind=SECRET, finalizers=[HELD]))
    await ending.create(owned("d", kind="coordination.k8s.io/v1 Lease", finalizers=[HELD]))
    await close(ending)
    await note(stage, await until(ending, NamespaceFinalizersRemaining="True"))


@scenario(shows=SHOWN)
async def it_goes_when_the_finalizer_is_gone(stage: Stage) -> None:
    """It is looked at again, though nothing tells."""
    ending = await opened(stage)
    await ending.create(owned("held", finalizers=[HELD]))
    await close(ending)
    await until(ending, NamespaceFinalizersRemaining="True")
    await ending.patch(CM, "held", {"metadata": {"finalizers": None}})
    await stage.gone(NS, ending.namespace)


@scenario(shows=SHOWN)
async def running_pods_go(stage: Stage) -> None:
    """With the grace they ask for."""
    ending = await opened(stage)
    await ending.create(pod(), owned("beside"))
    await running(ending)
    await close(ending)
    await stage.gone(NS, ending.namespace)


@scenario(shows=SHOWN)
async def pods_go_first(stage: Stage) -> None:
    """As long as a pod is there, nothing else is deleted."""
    ending = await opened(stage)
    await ending.create(pod(finalizers=[HELD]), owned("beside"))
    await running(ending)
    await close(ending)
    found = await until(ending, NamespaceContentRemaining="False")
    beside = await ending.get(CM, "beside")
    await note(stage, found, beside="deletionTimestamp" in beside["metadata"])


@scenario(shows=SHOWN)
async def then_the_rest_goes(stage: Stage) -> None:
    """When the last pod is gone."""
    ending = await opened(stage)
    await ending.create(pod(finalizers=[HELD]), owned("beside", finalizers=[HELD]))
    await running(ending)
    await close(ending)
    await until(ending, NamespaceContentRemaining="False")
    await ending.patch(POD, "a", {"metadata": {"finalizers": None}})
    await note(stage, await until(ending, NamespaceContentRemaining="True"))


@scenario(shows=SHOWN)
async def a_pod_without_a_node_goes_at_once(stage: Stage) -> None:
    """Nobody has to end it."""
    ending = await opened(stage)
    waiting = pod()
    waiting["spec"]["nodeSelector"] = {"konverge.dev/nowhere": "true"}
    await ending.create(waiting)
    await close(ending)
    await stage.gone(NS, ending.namespace)


@scenario(shows=SHOWN)
async def a_finalizer_of_its_own_keeps_it_empty(stage: Stage) -> None:
    """The content is gone, ours is off, and it is still there."""
    ending = await opened(stage, metadata={"finalizers": [HELD]})
    await ending.create(owned("free"))
    await close(ending)
    found = await ending.until(NS, ending.namespace, lambda obj: not obj["spec"].get("finalizers"))
    await note(stage, found)


@scenario(shows=SHOWN)
async def a_foreign_finalizer_in_its_spec_stays(stage: Stage) -> None:
    """Only ours is taken off."""
    ending = await opened(stage, spec={"finalizers": ["konverge.dev/other", "kubernetes"]})
    await close(ending)
    found = await ending.until(NS, ending.namespace, lambda obj: obj["spec"]["finalizers"] == ["konverge.dev/other"])
    await note(stage, found)


@scenario(shows=SHOWN)
async def nothing_new_comes_in(stage: Stage) -> None:
    """A create is refused while it ends."""
    ending = await opened(stage)
    await ending.create(owned("held", finalizers=[HELD]))
    await close(ending)
    refused = ""
    try:
        await ending.create(owned("late"))
    except Forbidden as error:
        refused = error.message
    await note(stage, await until(ending, NamespaceFinalizersRemaining="True"), refused=refused)


@scenario(shows=SHOWN)
async def a_deployment_does_not_fight_it(stage: Stage) -> None:
    """Its pods are not made anew."""
    ending = await opened(stage)
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod()["spec"]}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    await ending.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    await ending.until("apps/v1 Deployment", "web", lambda obj: obj["status"]["availableReplicas"] == 2)
    await close(ending)
    await stage.gone(NS, ending.namespace)
