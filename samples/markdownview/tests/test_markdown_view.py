"""What the operator does about a MarkdownView, beside the built-in controllers and a simulated node."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import konverge as kv
import pytest
from konverge.controller import is_controlled_by
from konverge.models import apps_v1, core_v1, events_v1
from konverge.testing import (
    Cluster,
    Gate,
    Runs,
    eventually,
    rolled_out,
    running,
    wait_children,
    wait_for,
    wait_gone,
    wait_idle,
)
from prometheus_client import generate_latest

from markdownview.api.v1.markdown_view import MarkdownView, MarkdownViewSpec
from markdownview.children import labels_of
from markdownview.controllers.markdown_view import add_markdown_view_controller

pytestmark = pytest.mark.cluster(controllers=True)

FILES = "markdowns-handbook"
VIEWER = "viewer-handbook"
CHILDREN: list[tuple[type[kv.Object], str]] = [
    (core_v1.ConfigMap, FILES),
    (apps_v1.Deployment, VIEWER),
    (core_v1.Service, VIEWER),
]


def handbook(text: str = "# Hi", *, replicas: int = 1) -> MarkdownView:
    """Return a MarkdownView of one page."""
    spec = MarkdownViewSpec(markdowns={"README.md": text}, replicas=replicas)
    return MarkdownView(metadata=kv.ObjectMeta(name="handbook"), spec=spec)


async def healthy(client: kv.Client, *, replicas: int = 1) -> MarkdownView:
    """Create one, and wait until all of it is there."""
    await client.create(handbook(replicas=replicas))
    return await wait_for(client, MarkdownView, "handbook", condition="Ready")


async def at_rest(client: kv.Client, *managers: kv.Manager) -> MarkdownView:
    """Wait until operators, the Deployment's own controller, and then again they have had their last word."""
    for manager in managers:
        await wait_idle(manager)
    await wait_for(client, apps_v1.Deployment, VIEWER, until=rolled_out)
    for manager in managers:
        await wait_idle(manager)
    return await wait_for(client, MarkdownView, "handbook", condition="Ready")


async def change(client: kv.Client, text: str, *, replicas: int = 1) -> None:
    """Change it as a user would."""
    view = await client.get(MarkdownView, "handbook")
    view.spec.markdowns, view.spec.replicas = {"README.md": text}, replicas
    await client.patch(view, kv.MergePatch())


async def versions(client: kv.Client) -> list[str | None]:
    """Return the resource versions of the object and its children."""
    kinds: list[tuple[type[kv.Object], str]] = [(MarkdownView, "handbook"), *CHILDREN]
    return [(await client.get(kind, name)).metadata.resource_version for kind, name in kinds]


@asynccontextmanager
async def another(cluster: Cluster, namespace: str, gate: Gate) -> AsyncIterator[Runs]:
    """Run one more operator, without webhooks; gives its reconciles, a list that grows."""
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)), gate=gate)
    add_markdown_view_controller(manager)
    runs = Runs(manager)
    async with running(manager):
        yield runs


async def test_it_becomes_a_config_map_a_deployment_and_a_service(client: kv.Client) -> None:
    """Each of them is its own, and all of it is healthy in the end."""
    view = await healthy(client, replicas=2)
    assert view.status.state == "Healthy"
    assert kv.is_condition_true(view.status.conditions, "Available")
    [files] = await wait_children(client, view, core_v1.ConfigMap, names=[FILES])
    assert files.data == {"README.md": "# Hi"}
    [viewer] = await wait_children(client, view, apps_v1.Deployment, names=[VIEWER])
    assert viewer.status.ready_replicas == 2
    assert viewer.spec.template.spec is not None
    assert viewer.spec.template.spec.containers[0].image == view.spec.viewer_image
    [service] = await wait_children(client, view, core_v1.Service, names=[VIEWER])
    assert [(port.port, port.target_port) for port in service.spec.ports or ()] == [(80, 3000)]


async def test_a_change_reaches_the_children(client: kv.Client) -> None:
    """Another text and another number; the object is ready again when they have."""
    await healthy(client)
    await change(client, "# Bye", replicas=3)
    await wait_for(client, core_v1.ConfigMap, FILES, until=lambda files: files.data == {"README.md": "# Bye"})
    await wait_for(client, apps_v1.Deployment, VIEWER, until=lambda viewer: viewer.status.available_replicas == 3)
    await wait_for(client, MarkdownView, "handbook", until=is_up_to_date)


def is_up_to_date(view: MarkdownView) -> bool:
    """Whether all that the status says is of the last spec, and good."""
    seen = {each.observed_generation for each in view.status.conditions or []}
    return view.status.state == "Healthy" and seen == {view.metadata.generation}


async def test_a_second_reconcile_changes_nothing(
    cluster: Cluster, namespace: str, client: kv.Client, manager: kv.Manager, gate: Gate
) -> None:
    """What is applied stays at its version; where nothing is applied, nothing is sent at all."""
    await client.create(handbook())
    await at_rest(client, manager)
    before = await versions(client)
    async with another(cluster, namespace, gate) as runs:  # started anew, it looks at every object once
        await wait_idle(runs.manager)
    assert len(runs) == 1
    assert [str(write) for write in runs.writes] == [
        f"patch deployments {namespace}/{VIEWER}",
        f"patch services {namespace}/{VIEWER}",
    ]
    assert await versions(client) == before


async def test_operators_that_race_make_no_duplicates(
    cluster: Cluster, namespace: str, client: kv.Client, manager: kv.Manager, gate: Gate
) -> None:
    """All have looked, and found nothing: the names follow from the object, so there is one of each."""
    first = Runs(manager)
    async with another(cluster, namespace, gate) as second, another(cluster, namespace, gate) as third:
        with (
            gate.hold("patch", "services") as services,
            gate.hold("patch", "deployments") as deployments,
            gate.hold("create", "configmaps") as files,
        ):
            await client.create(handbook())
            for held in (files, deployments, services):
                await held.reached(3)
                held.release()
        view = await at_rest(client, manager, second.manager, third.manager)
        for kind, name in CHILDREN:
            await wait_children(client, view, kind, names=[name])
    all_runs = (first, second, third)
    made = [write for runs in all_runs for write in runs.writes if write.operation.verb == "create"]
    assert [str(write) for write in made] == [f"create configmaps {namespace}/{FILES}"]
    failed = [type(error) for runs in all_runs for error in runs.failures]
    assert failed.count(kv.errors.AlreadyExists) >= 2
    assert set(failed) <= {kv.errors.AlreadyExists, kv.errors.Conflict}
    assert len([each async for each in client.list(apps_v1.ReplicaSet, limit=50)]) == 1


async def test_several_changes_become_one_reconcile(client: kv.Client, manager: kv.Manager, gate: Gate) -> None:
    """Those that come while it is at work, of the last state: those in between never reach a child."""
    runs = Runs(manager)
    await client.create(handbook("0"))
    await at_rest(client, manager)
    with gate.hold("update", "configmaps") as held:
        await change(client, "1", replicas=2)
        await held.reached()
        for number in (2, 3, 4, 5):
            await change(client, str(number), replicas=number)
        await wait_for(manager.client, await client.get(MarkdownView, "handbook"), until=says("5"))
    await at_rest(client, manager)
    assert [files.data for files in runs.written(core_v1.ConfigMap)] == [
        {"README.md": "0"},
        {"README.md": "1"},  # read before the others came
        {"README.md": "5"},
    ]
    applied = [viewer.spec.replicas for viewer in runs.written(apps_v1.Deployment)]
    assert [count for count, before in zip(applied, [None, *applied], strict=False) if count != before] == [1, 2, 5]
    assert (await client.get(apps_v1.Deployment, VIEWER)).metadata.generation == 3


def says(text: str) -> Callable[[MarkdownView], bool]:
    """Return a check of the text."""
    return lambda view: view.spec.markdowns == {"README.md": text}


@pytest.mark.parametrize(("kind", "name"), CHILDREN)
async def test_a_child_that_is_deleted_comes_back(client: kv.Client, kind: type[kv.Object], name: str) -> None:
    """As it was, and the object is healthy again."""
    view = await healthy(client)
    lost = await client.get(kind, name)
    await client.delete(lost)
    await wait_gone(client, lost)
    [back] = await wait_children(client, view, kind, names=[name])
    assert back.metadata.uid != lost.metadata.uid
    await wait_for(client, MarkdownView, "handbook", condition="Ready")


async def test_a_child_that_is_edited_comes_back(client: kv.Client, manager: kv.Manager) -> None:
    """Each field of ours gets its value again, the owner too; a label of someone else's stays."""
    await client.create(handbook())
    view = await at_rest(client, manager)
    wanted = await ours(client, view)
    files = await client.get(core_v1.ConfigMap, FILES)
    files.data = {"README.md": "mine now", "other.md": "too"}
    deployment = await client.get(apps_v1.Deployment, VIEWER)
    assert deployment.spec.template.spec is not None
    [container] = deployment.spec.template.spec.containers
    container.image, container.args, container.volume_mounts = "other:1", ["/elsewhere"], None
    container.ports = container.readiness_probe = container.liveness_probe = None
    deployment.spec.replicas, deployment.spec.template.spec.volumes = 3, None
    service = await client.get(core_v1.Service, VIEWER)
    service.spec.selector = {"app": "elsewhere"}
    service.spec.ports = [core_v1.ServicePort(name="http", port=80, target_port=9999)]
    for child in (files, deployment, service):
        child.metadata.labels, child.metadata.owner_references = {"theirs": "stays"}, None
        await client.update(child)
    await at_rest(client, manager)
    assert await ours(client, view) == wanted
    for kind, name in CHILDREN:
        assert (await client.get(kind, name)).metadata.labels == {**labels_of(view), "theirs": "stays"}


@pytest.mark.parametrize("name", ["http", None])
@pytest.mark.parametrize("selector", [None, {"app": "elsewhere"}])
async def test_a_port_that_gets_another_number_comes_back(
    client: kv.Client, manager: kv.Manager, name: str | None, selector: dict[str, str] | None
) -> None:
    """For apply it is another port; whether there is a conflict beside it or not, and whoever owns it now."""
    await client.create(handbook())
    view = await at_rest(client, manager)
    wanted = await ours(client, view)
    service = await client.get(core_v1.Service, VIEWER)
    service.spec.ports = [core_v1.ServicePort(name=name, port=9999)]
    service.spec.selector = selector or service.spec.selector
    service.metadata.labels, service.metadata.owner_references = {"theirs": "stays"}, None
    await client.update(service)
    await wait_for(client, service, until=lambda found: is_controlled_by(found, view))
    await at_rest(client, manager)
    assert await ours(client, view) == wanted
    assert (await client.get(core_v1.Service, VIEWER)).metadata.labels == {**labels_of(view), "theirs": "stays"}


async def test_a_port_of_the_pods_that_gets_another_number_comes_back(client: kv.Client, manager: kv.Manager) -> None:
    """Beside the one that it has become, which is someone else's, as a container of theirs is."""
    await client.create(handbook())
    await at_rest(client, manager)
    deployment = await client.get(apps_v1.Deployment, VIEWER)
    assert deployment.spec.template.spec is not None
    deployment.spec.template.spec.containers[0].ports = [core_v1.ContainerPort(name="http", container_port=9999)]
    deployment.spec.template.spec.containers.append(core_v1.Container(name="side", image="side:1"))
    await client.update(deployment)
    await at_rest(client, manager)
    deployment = await client.get(apps_v1.Deployment, VIEWER)
    assert deployment.spec.template.spec is not None
    viewer, side = deployment.spec.template.spec.containers
    assert {port.container_port for port in viewer.ports or []} == {3000, 9999}
    assert side.name == "side"


async def ours(client: kv.Client, view: MarkdownView) -> list[object]:
    """Return what is ours of the children."""
    files, deployment = await client.get(core_v1.ConfigMap, FILES), await client.get(apps_v1.Deployment, VIEWER)
    service = await client.get(core_v1.Service, VIEWER)
    children = (files, deployment, service)
    owned = [is_controlled_by(child, view) for child in children]
    return [*owned, files.data, deployment.spec, service.spec.selector, service.spec.ports]


async def test_a_field_that_another_manager_takes_is_taken_back(client: kv.Client) -> None:
    """And the user is told which one, and from whom; what the other has beside it stays."""
    await healthy(client)
    theirs = apps_v1.Deployment(metadata=kv.ObjectMeta(name=VIEWER, annotations={"theirs": "stays"}))
    theirs.spec = apps_v1.DeploymentSpec(replicas=4)
    await client.apply(theirs, force=True, field_owner="scaler")
    back = await wait_for(client, apps_v1.Deployment, VIEWER, until=lambda viewer: viewer.spec.replicas == 1)
    assert (back.metadata.annotations or {})["theirs"] == "stays"

    async def is_told() -> bool:
        notes = [
            event.note or "" async for event in client.list(events_v1.Event, limit=50) if event.reason == "TakenBack"
        ]
        return notes == [f"Deployment {VIEWER}: .spec.replicas (scaler)"]

    await eventually(is_told)


async def test_deletion_leaves_nothing_behind(client: kv.Client, manager: kv.Manager, namespace: str) -> None:
    """No child, no pod, and no series of metrics; of these, one state is 1 before."""
    runs = Runs(manager)
    view = await healthy(client)
    series = [
        f'markdownview_state{{name="handbook",namespace="{namespace}",state="{state}"}} {value}'
        for state, value in (("NotReady", 0.0), ("Available", 0.0), ("Healthy", 1.0))
    ]

    async def shown() -> bool:
        told = generate_latest(manager.metrics.registry).decode()
        return all(line in told for line in series)

    await eventually(shown)
    children = [await client.get(kind, name) for kind, name in CHILDREN]
    await client.delete(view)
    for gone in (view, *children):
        await wait_gone(client, gone)

    async def forgotten() -> bool:
        return "handbook" not in generate_latest(manager.metrics.registry).decode()

    async def is_empty() -> bool:
        return not [pod async for pod in client.list(core_v1.Pod, limit=50)]

    await eventually(forgotten)
    await eventually(is_empty)
    await wait_idle(manager)
    assert runs[-1].outcome == kv.Result()  # it is not looked for again


async def test_what_is_being_deleted_is_left_alone(client: kv.Client, manager: kv.Manager) -> None:
    """Else, in a foreground deletion, it would make anew what the garbage collector has just deleted."""
    held = handbook()
    kv.add_finalizer(held, "example.com/hold")  # of someone else: it is there until that is taken off
    await client.create(held)
    await at_rest(client, manager)
    child = await client.get(core_v1.Service, VIEWER)
    await client.delete(held)
    await wait_idle(manager)  # it knows of that before it learns of the other
    await client.delete(child)
    await wait_gone(client, child)
    await wait_idle(manager)
    assert await kv.ignore_not_found(client.get(core_v1.Service, VIEWER)) is None
    held = await client.get(MarkdownView, "handbook")
    kv.remove_finalizer(held, "example.com/hold")
    await client.patch(held)


async def test_events_tell_what_happened(client: kv.Client) -> None:
    """From the first file to the last server, and nothing where nothing happened."""
    view = await healthy(client)

    async def told() -> list[events_v1.Event]:
        events = [event async for event in client.list(events_v1.Event, limit=50)]
        about = [event for event in events if event.regarding and event.regarding.uid == view.metadata.uid]
        return about if {"Written", "NotReady", "Healthy"} <= {event.reason for event in about} else []

    for event in await eventually(told):
        before, _, after = (event.note or "").partition(" became ")
        assert before != after
