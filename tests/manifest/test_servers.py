"""What a real server and the embedded one say to the CRDs that are made here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Annotated, Any

import marker_kinds
import pytest

import konverge as kv
from konverge import clock
from konverge.manifest import breaking_changes, crd
from konverge.models import apiextensions_v1, core_v1
from konverge.testing import Cluster

GROUP = "servers.konverge.dev"
IDS = [classes[0].__name__ for classes in marker_kinds.CRDS]


class RunnerSpec(kv.Spec):
    """What is to run."""

    template: core_v1.PodTemplateSpec
    claims: list[core_v1.PersistentVolumeClaim] | None = None
    resources: core_v1.ResourceRequirements | None = None
    size: Annotated[int, kv.Maximum(5)] = 1
    note: str | None = None


@kv.resource(group=GROUP, version="v1")
class Runner(kv.CustomResource[RunnerSpec, None]):
    """A kind with Kubernetes' own types in it."""


@asynccontextmanager
async def installed(
    client: kv.Client, *classes: type[kv.Object]
) -> AsyncIterator[apiextensions_v1.CustomResourceDefinition]:
    """Create a CRD, wait until the server serves it, and delete it in the end."""
    made = apiextensions_v1.CustomResourceDefinition.from_dict(crd(*classes))
    await client.create(made)
    watched = client.watch(apiextensions_v1.CustomResourceDefinition, fields=f"metadata.name={made.metadata.name}")
    async with asyncio.timeout(60), aclosing(watched) as events:
        stored = await anext(event.object async for event in events if _is_established(event.object))
        await _served(client, classes[0])
    yield stored
    await client.delete(made)


async def _served(client: kv.Client, kind: type[kv.Object]) -> None:
    """Return when the kind can be listed: a server says that it is established a moment before it serves it."""
    while True:
        try:
            await client.list(kind)
        except kv.errors.NotFound:
            continue
        return


def _is_established(found: apiextensions_v1.CustomResourceDefinition) -> bool:
    conditions = (found.status.conditions if found.status else None) or []
    return any(each.type == "Established" and each.status == "True" for each in conditions)


@pytest.mark.parametrize("classes", marker_kinds.CRDS, ids=IDS)
async def test_a_server_takes_the_crd_as_it_is(
    cluster: Cluster, classes: tuple[type[kv.Object], ...], caplog: pytest.LogCaptureFixture
) -> None:
    """Each CRD is accepted with no warning, and nothing in its schema is dropped or changed."""
    with caplog.at_level(logging.WARNING):
        async with cluster.client() as client, installed(client, *classes) as stored:
            pass
    assert not caplog.records
    assert stored.to_dict()["spec"]["versions"] == crd(*classes)["spec"]["versions"]


async def test_the_class_is_a_kind_for_the_client(cluster: Cluster, namespace: str) -> None:
    """An object of a custom resource is created, read, validated and given a status like one of any other kind."""
    async with cluster.client(namespace=namespace) as client, installed(client, marker_kinds.Shapes):
        shape = marker_kinds.Shapes(
            metadata=kv.ObjectMeta(name="one"), spec=marker_kinds.ShapesSpec(memory="1Gi", either="25%")
        )
        await client.create(shape)
        shape.status.conditions = [
            kv.Condition(type="Ready", status="True", reason="Made", message="", last_transition_time=clock.now())
        ]
        await client.status.update(shape)
        found = await client.get(marker_kinds.Shapes, "one")
        assert (found.spec.memory, found.spec.either) == ("1Gi", "25%")
        assert kv.is_condition_true(found.status.conditions, "Ready")
        found.spec.percent = "half"
        with pytest.raises(kv.errors.Invalid, match=r"spec\.percent"):
            await client.update(found)


async def test_the_server_keeps_to_what_the_types_say(cluster: Cluster, namespace: str) -> None:
    """An object that breaks a rule, a one-of or an immutable attribute is refused with the rule's message."""
    spec = marker_kinds.ChoicesSpec(fixed="a", zone="z")
    async with cluster.client(namespace=namespace) as client, installed(client, marker_kinds.Choices):
        made = marker_kinds.Choices(metadata=kv.ObjectMeta(name="one"), spec=spec)
        made.spec.source = marker_kinds.Source(url="a", secret_ref="b")
        with pytest.raises(kv.errors.Invalid, match=r"at most one of the fields in .url secretRef. may be set"):
            await client.create(made)
        made.spec.source = None
        await client.create(made)
        made.spec.policy = marker_kinds.Policy.DELETE
        with pytest.raises(kv.errors.Invalid, match="a deletion needs a reason"):
            await client.update(made)
        made.spec.reason = "old"
        made.spec.zone = "y"
        with pytest.raises(kv.errors.Invalid, match="field is immutable"):
            await client.update(made)


async def test_kubernetes_own_types_are_kept_whole(cluster: Cluster, namespace: str) -> None:
    """A pod's template in a spec, with its metadata, ports and resources, comes back as it was sent."""
    container = core_v1.Container(
        name="app",
        image="app:1",
        ports=[core_v1.ContainerPort(container_port=80)],
        resources=core_v1.ResourceRequirements(limits={"cpu": "500m"}),
    )
    pod = core_v1.PodSpec(containers=[container], node_selector={"zone": "a"})
    template = core_v1.PodTemplateSpec(metadata=kv.ObjectMeta(labels={"app": "a"}), spec=pod)
    async with cluster.client(namespace=namespace) as client, installed(client, Runner):
        await client.create(Runner(metadata=kv.ObjectMeta(name="one"), spec=RunnerSpec(template=template)))
        found = await client.get(Runner, "one")
    assert found.spec.template.metadata == kv.ObjectMeta(labels={"app": "a"})
    assert found.spec.template.spec is not None
    (back,) = found.spec.template.spec.containers
    assert back.ports == [core_v1.ContainerPort(container_port=80, protocol="TCP")]
    assert (back.resources, found.spec.template.spec.node_selector) == (container.resources, pod.node_selector)


class TighterSpec(RunnerSpec):
    """The same with less room."""

    size: Annotated[int, kv.Maximum(2)] = 1


@kv.resource(group=GROUP, version="v1", kind="Runner", plural="runners")
class Tighter(kv.CustomResource[TighterSpec, None]):
    """A kind with Kubernetes' own types in it."""


async def test_what_is_told_to_break_does(cluster: Cluster, namespace: str) -> None:
    """A value outside of a new bound stays until it is changed, and is refused then: as the change is told."""
    pod = core_v1.PodSpec(containers=[core_v1.Container(name="app")])
    spec = RunnerSpec(template=core_v1.PodTemplateSpec(spec=pod), size=4)
    (change,) = breaking_changes(crd(Runner), crd(Tighter))
    assert (change.path, change.change) == ("v1.spec.size", "maximum 5 became 2")
    async with cluster.client(namespace=namespace) as client, installed(client, Runner) as stored:
        runner = Runner(metadata=kv.ObjectMeta(name="one"), spec=spec)
        await client.create(runner)
        await client.update(_with_spec_of(stored, crd(Tighter)))
        runner = await _refused(client, runner, size=3)
        runner.spec.note = "untouched"
        await client.update(runner)
        assert runner.spec.size == 4


def _with_spec_of(
    stored: apiextensions_v1.CustomResourceDefinition, made: dict[str, Any]
) -> apiextensions_v1.CustomResourceDefinition:
    new = apiextensions_v1.CustomResourceDefinition.from_dict(made)
    return kv.replace(stored, spec=new.spec)


async def _refused(client: kv.Client, runner: Runner, *, size: int) -> Runner:
    """Ask for this size until it is refused: a server takes a moment to use a new schema."""
    async with asyncio.timeout(60):
        while True:
            found = await client.get(Runner, runner.metadata.name or "")
            found.spec.size = size
            try:
                await client.update(found, dry_run=True)
            except kv.errors.Invalid as error:
                if "spec.size" in str(error):
                    return await client.get(Runner, runner.metadata.name or "")


async def test_a_controller_reconciles_it(cluster: Cluster, namespace: str) -> None:
    """The builder, the cache and the status subresource take the class as they take a built-in one."""
    seen: asyncio.Queue[str | None] = asyncio.Queue()

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        found = await ctx.client.get(marker_kinds.Widget, request)
        if found.status.replicas is None:
            found.status.replicas = found.spec.replicas
            await ctx.client.status.update(found)
        seen.put_nowait(found.spec.color)

    async with cluster.client() as client, installed(client, *marker_kinds.CRDS[-1]), asyncio.timeout(60):
        await client.create(
            marker_kinds.Widget(metadata=kv.ObjectMeta(name=namespace), spec=marker_kinds.WidgetSpec(color="red"))
        )
        manager = cluster.manager()
        kv.new_controller(manager).for_(marker_kinds.Widget).complete(reconcile)
        running = asyncio.create_task(manager.start())
        assert await seen.get() == "red"
        manager.stop()
        await running
        found = await client.get(marker_kinds.Widget, namespace)
    assert found.status.replicas == 1


async def test_no_server_takes_unique_items(cluster: Cluster) -> None:
    """The one marker without a counterpart has none because of this."""
    made = crd(marker_kinds.Lists)
    lists = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    lists["distinct"] = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    async with cluster.client() as client:
        with pytest.raises(kv.errors.Invalid, match="uniqueItems cannot be set to true"):
            await client.create(apiextensions_v1.CustomResourceDefinition.from_dict(made))
