"""Garbage collection: the propagation policies, and owners that are absent, elsewhere, in a circle or of a new kind."""

from __future__ import annotations

from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

CM, SECRET, ROLE = "v1 ConfigMap", "v1 Secret", "rbac.authorization.k8s.io/v1 ClusterRole"
SHOWN = (CM, SECRET, "v1 Event")
HELD = "test.konverge.dev/held"
NOBODY = "5d1b5e54-4b53-4b9e-8c0a-0123456789ab"

Json = dict[str, Any]


def owned(name: str, *owners: Json, block: bool = False, kind: str = CM, **metadata: Any) -> Json:
    """Return an object that belongs to others, or to nobody."""
    api_version, _, word = kind.partition(" ")
    references = [_reference(owner, block=block) for owner in owners]
    meta = {"name": name, **({"ownerReferences": references} if references else {}), **metadata}
    return {"apiVersion": api_version, "kind": word, "metadata": meta}


def _reference(owner: Json, *, block: bool) -> Json:
    metadata = owner["metadata"]
    found = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": metadata["name"], "uid": metadata["uid"]}
    return {**found, **({"blockOwnerDeletion": True} if block else {})}


async def made(stage: Stage, name: str, *owners: Json, kind: str = CM, **options: Any) -> Json:
    """Create an object, and return it as it is there."""
    await stage.create(owned(name, *owners, kind=kind, **options))
    return await stage.get(kind, name)


async def collected(stage: Stage, name: str = "canary") -> None:
    """Wait until an object whose owner never was is collected: what came before it has been looked at."""
    absent = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nobody", "uid": NOBODY}}
    await stage.create(owned(name, absent))
    await stage.gone(CM, name)


async def install(stage: Stage, group: str) -> str:
    """Install a kind, and return its name when it is served."""

    def is_established(definition: Json) -> bool:
        conditions = {each["type"]: each["status"] for each in definition["status"]["conditions"]}
        return conditions.get("Established") == "True"

    await stage.create(_definition(group))
    await stage.until("apiextensions.k8s.io/v1 CustomResourceDefinition", f"widgets.{group}", is_established)
    return f"{group}/v1 Widget"


async def release(stage: Stage, name: str) -> None:
    """Take the finalizers off."""
    await stage.patch(CM, name, {"metadata": {"finalizers": None}})


@scenario(shows=SHOWN)
async def a_chain_across_kinds_goes_in_the_background(stage: Stage) -> None:
    """Owner, dependent, and its dependent."""
    first = await made(stage, "first")
    second = await made(stage, "second", first, kind=SECRET)
    await made(stage, "third", second)
    await made(stage, "apart")
    await stage.delete(CM, "first", propagation="Background")
    await stage.gone(CM, "third")


@scenario(shows=SHOWN)
async def the_default_policy_is_background(stage: Stage) -> None:
    """For an object of the core group."""
    owner = await made(stage, "owner")
    await made(stage, "dependent", owner, block=True)
    await stage.delete(CM, "owner")
    await stage.gone(CM, "dependent")


@scenario(shows=SHOWN)
async def foreground_waits_for_a_dependent_that_blocks(stage: Stage) -> None:
    """The owner is there as long as a finalizer keeps the dependent."""
    owner = await made(stage, "owner")
    await made(stage, "held", owner, block=True, finalizers=[HELD])
    await made(stage, "free", owner, block=True)
    await stage.delete(CM, "owner", propagation="Foreground")
    await stage.gone(CM, "free")
    await stage.until(CM, "held", lambda obj: obj["metadata"]["deletionTimestamp"])


@scenario(shows=SHOWN)
async def foreground_ends_when_the_last_that_blocks_is_gone(stage: Stage) -> None:
    """First the dependent, then the owner."""
    owner = await made(stage, "owner")
    await made(stage, "held", owner, block=True, finalizers=[HELD])
    await stage.delete(CM, "owner", propagation="Foreground")
    await stage.until(CM, "held", lambda obj: obj["metadata"]["deletionTimestamp"])
    await release(stage, "held")
    await stage.gone(CM, "owner")


@scenario(shows=SHOWN)
async def foreground_does_not_wait_for_one_that_does_not_block(stage: Stage) -> None:
    """The owner goes, the dependent stays as long as its finalizer."""
    owner = await made(stage, "owner")
    await made(stage, "held", owner, finalizers=[HELD])
    await stage.delete(CM, "owner", propagation="Foreground")
    await stage.gone(CM, "owner")
    await stage.until(CM, "held", lambda obj: obj["metadata"]["deletionTimestamp"])


@scenario(shows=SHOWN)
async def foreground_goes_down_the_chain(stage: Stage) -> None:
    """Each of three waits for the next."""
    first = await made(stage, "first")
    second = await made(stage, "second", first, block=True)
    await made(stage, "third", second, block=True, finalizers=[HELD])
    await stage.delete(CM, "first", propagation="Foreground")
    await stage.until(CM, "third", lambda obj: obj["metadata"]["deletionTimestamp"])
    await stage.until(CM, "second", lambda obj: obj["metadata"]["deletionTimestamp"])


@scenario(shows=SHOWN)
async def an_owner_is_unblocked_by_an_edit(stage: Stage) -> None:
    """The dependent that held it no longer names it."""
    owner = await made(stage, "owner")
    await made(stage, "held", owner, block=True, finalizers=[HELD])
    await stage.delete(CM, "owner", propagation="Foreground")
    await stage.until(CM, "held", lambda obj: obj["metadata"]["deletionTimestamp"])
    await stage.patch(CM, "held", {"metadata": {"ownerReferences": None}})
    await stage.gone(CM, "owner")


@scenario(shows=SHOWN)
async def orphans_are_kept_and_name_nobody(stage: Stage) -> None:
    """One with another owner keeps that one."""
    owner, other = await made(stage, "owner"), await made(stage, "other")
    await made(stage, "a", owner)
    await made(stage, "b", owner, other, kind=SECRET)
    await stage.delete(CM, "owner", propagation="Orphan")
    await stage.gone(CM, "owner")
    await collected(stage)


@scenario(shows=SHOWN)
async def one_of_two_owners_is_enough(stage: Stage) -> None:
    """The reference to the one that is gone is taken out."""
    owner, other = await made(stage, "owner"), await made(stage, "other")
    await made(stage, "dependent", owner, other)
    await stage.delete(CM, "owner")
    await stage.until(CM, "dependent", lambda obj: len(obj["metadata"]["ownerReferences"]) == 1)
    await collected(stage)


@scenario(shows=SHOWN)
async def one_of_two_owners_goes_in_the_foreground(stage: Stage) -> None:
    """It does not wait for a dependent that stays."""
    owner, other = await made(stage, "owner"), await made(stage, "other")
    await made(stage, "dependent", owner, other, block=True)
    await stage.delete(CM, "owner", propagation="Foreground")
    await stage.gone(CM, "owner")
    await collected(stage)


@scenario(shows=SHOWN)
async def an_owner_that_never_was(stage: Stage) -> None:
    """What names it goes."""
    await collected(stage, "dependent")


@scenario(shows=SHOWN)
async def an_owner_of_the_same_name_is_another(stage: Stage) -> None:
    """The uid counts."""
    owner = await made(stage, "owner")
    await made(stage, "real", owner)
    await stage.create(owned("false", {**owner, "metadata": {"name": "owner", "uid": NOBODY}}))
    await stage.gone(CM, "false")
    await collected(stage)


@scenario(shows=SHOWN)
async def an_owner_of_a_kind_that_is_not_served(stage: Stage) -> None:
    """Nobody can tell whether it exists, so what names it stays."""
    owner = {"apiVersion": "nothere.konverge.dev/v1", "kind": "Nothing", "metadata": {"name": "x", "uid": NOBODY}}
    await made(stage, "dependent", owner)
    absent = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "nobody", "uid": NOBODY[:-1] + "c"}}
    await stage.create(owned("canary", absent))
    await stage.gone(CM, "canary")


@scenario(shows=SHOWN)
async def a_circle_goes_in_the_foreground(stage: Stage) -> None:
    """Two that wait for each other would wait for ever; one gives way."""
    first = await made(stage, "first")
    second = await made(stage, "second", first, block=True)
    await stage.patch(CM, "first", {"metadata": {"ownerReferences": [_reference(second, block=True)]}})
    await stage.delete(CM, "first", propagation="Foreground")
    await stage.gone(CM, "first")
    await stage.gone(CM, "second")


@scenario(shows=SHOWN)
async def a_circle_goes_in_the_background(stage: Stage) -> None:
    """The one that is deleted takes the other along."""
    first = await made(stage, "first")
    second = await made(stage, "second", first)
    await stage.patch(CM, "first", {"metadata": {"ownerReferences": [_reference(second, block=False)]}})
    await stage.delete(CM, "first", propagation="Background")
    await stage.gone(CM, "second")


@scenario(shows=SHOWN)
async def an_owner_without_a_namespace(stage: Stage) -> None:
    """A ClusterRole owns ConfigMaps."""
    name = f"owner-of-{stage.namespace}"
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": []}
    await stage.create({**role, "metadata": {"name": name, "namespace": ""}})
    await made(stage, "dependent", await stage.get(ROLE, name))
    await stage.delete(ROLE, name)
    await stage.gone(CM, "dependent")


@scenario(shows=SHOWN)
async def an_owner_in_another_namespace(stage: Stage) -> None:
    """Owners are looked for in the object's own: it goes, and an event says why."""
    other = f"{stage.namespace}-other"
    await stage.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": other, "namespace": ""}})
    elsewhere = Stage(stage.client.with_defaults(namespace=other), other)
    owner = await made(elsewhere, "owner")
    await collected(elsewhere)  # now the owner has been seen: only then is the reference known to be wrong
    await stage.create(owned("dependent", owner))
    await stage.gone(CM, "dependent")
    await stage.until_listed("v1 Event", len)
    assert await elsewhere.get(CM, "owner")


@scenario(shows=SHOWN)
async def a_kind_that_comes_later(stage: Stage) -> None:
    """A custom resource owns, and is owned."""
    group = f"{stage.namespace}.konverge.dev"
    widget = await install(stage, group)
    owner = await made(stage, "owner")
    custom = await made(stage, "custom", owner, kind=widget)
    await made(stage, "dependent", custom, kind=SECRET)
    await stage.delete(CM, "owner")
    await stage.gone(SECRET, "dependent")


@scenario(shows=SHOWN)
async def a_custom_resource_is_orphaned(stage: Stage) -> None:
    """Kinds without strategic merge patches lose their references as well."""
    group = f"{stage.namespace}.konverge.dev"
    widget = await install(stage, group)
    await stage.create(owned("absent", {**owned("nobody"), "metadata": {"name": "nobody", "uid": NOBODY}}, kind=widget))
    await stage.gone(widget, "absent")  # now the kind is watched
    owner = await made(stage, "owner")
    await made(stage, "kept", owner, kind=widget)
    await stage.delete(CM, "owner", propagation="Orphan")
    await stage.gone(CM, "owner")
    kept = await stage.until(widget, "kept", lambda obj: "ownerReferences" not in obj["metadata"])
    await stage.create({**owned("seen"), "data": {"finalizers": str(kept["metadata"].get("finalizers"))}})


@scenario(shows=("apps/v1 Deployment", "apps/v1 ReplicaSet", "v1 Pod"))
async def a_deployment_goes_with_its_pods(stage: Stage) -> None:
    """Three kinds in a row, in the foreground."""
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "main", "image": "example.com/web:1"}]},
    }
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    await stage.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    await stage.until("apps/v1 Deployment", "web", lambda obj: obj["status"]["availableReplicas"] == 2)
    await stage.delete("apps/v1 Deployment", "web", propagation="Foreground")
    await stage.gone("apps/v1 Deployment", "web")


def _definition(group: str) -> Json:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    names = {"kind": "Widget", "plural": "widgets"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}", "namespace": ""},
        "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": [version]},
    }
