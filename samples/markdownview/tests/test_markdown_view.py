"""What the operator does about a MarkdownView, beside the built-in controllers and a simulated node."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import konverge as kv
import pytest
from konverge.controller.run import Run
from konverge.manifest import crds_of
from konverge.models import apps_v1, core_v1, events_v1
from konverge.testing import Cluster, eventually, running, wait_children, wait_for, wait_gone
from prometheus_client import generate_latest

from markdownview.api.v1.markdown_view import MarkdownView, MarkdownViewSpec
from markdownview.controllers.markdown_view import MarkdownViewReconciler, add_markdown_view_controller
from markdownview.main import KINDS
from markdownview.metrics import ViewMetrics
from markdownview.webhooks.markdown_view import add_markdown_view_webhooks

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


async def change(client: kv.Client, text: str, *, replicas: int = 1) -> None:
    """Change it as a user would."""
    view = await client.get(MarkdownView, "handbook")
    view.spec.markdowns, view.spec.replicas = {"README.md": text}, replicas
    await client.patch(view, kv.MergePatch())


async def versions(client: kv.Client) -> list[str | None]:
    """Return the resource versions of the object and its children."""
    kinds: list[tuple[type[kv.Object], str]] = [(MarkdownView, "handbook"), *CHILDREN]
    return [(await client.get(kind, name)).metadata.resource_version for kind, name in kinds]


def writes(runs: list[Run]) -> list[tuple[str, str]]:
    """Return what reconciles sent: verbs and resources."""
    return [(write.operation.verb, write.operation.resource) for run in runs for write in run.writes]


@asynccontextmanager
async def another(cluster: Cluster, namespace: str) -> AsyncIterator[list[Run]]:
    """Run one more operator, without webhooks; gives its reconciles, a list that grows."""
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)))
    add_markdown_view_controller(manager)
    runs: list[Run] = []
    manager.controllers["markdownview"].watch_runs(runs.append)
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
    assert [(port.port, port.target_port) for port in service.spec.ports or ()] == [(80, "http")]


async def test_a_change_reaches_the_children(client: kv.Client) -> None:
    """Another text and another number; the object is ready again when they have."""
    await healthy(client)
    await change(client, "# Bye", replicas=3)
    await wait_for(client, core_v1.ConfigMap, FILES, until=lambda files: files.data == {"README.md": "# Bye"})
    await wait_for(client, apps_v1.Deployment, VIEWER, until=lambda viewer: viewer.status.available_replicas == 3)
    await wait_for(client, MarkdownView, "handbook", condition="Ready")


async def test_a_second_reconcile_changes_nothing(cluster: Cluster, namespace: str, client: kv.Client) -> None:
    """What is applied stays at its version; where nothing is applied, nothing is sent at all."""
    await healthy(client)

    async def changes_nothing() -> bool:
        before = await versions(client)
        async with another(cluster, namespace) as runs:

            async def has_run() -> bool:
                return bool(runs)

            await eventually(has_run)
        assert set(writes(runs)) == {("patch", "deployments"), ("patch", "services")}
        return await versions(client) == before

    # Again, if the Deployment's own controller had a last word to write in between.
    await eventually(changes_nothing)


async def test_operators_that_race_make_no_duplicates(cluster: Cluster, namespace: str, client: kv.Client) -> None:
    """Names follow from the object, so each operator finds what the others have made."""
    async with another(cluster, namespace), another(cluster, namespace):
        view = await healthy(client)
        for kind, name in CHILDREN:
            await wait_children(client, view, kind, names=[name])
        assert len([each async for each in client.list(apps_v1.ReplicaSet, limit=50)]) == 1


class Held:
    """The reconciler, which waits before each reconcile until it may go."""

    def __init__(self, inner: MarkdownViewReconciler) -> None:
        self._inner = inner
        self.begun, self.may_go = asyncio.Event(), asyncio.Event()

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Do as the inner one does, later."""
        self.begun.set()
        await self.may_go.wait()
        return await self._inner.reconcile(ctx, request)


@pytest.fixture
async def held(cluster: Cluster, namespace: str, webhooks: kv.WebhookServing) -> AsyncIterator[tuple[Held, kv.Manager]]:
    """An operator whose reconciles wait, in the place of the usual one."""
    await cluster.install(*crds_of(KINDS))
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)), webhooks=webhooks)
    reconciler = Held(MarkdownViewReconciler(ViewMetrics(manager.metrics.registry)))
    kv.new_controller(manager).for_(MarkdownView).owns(core_v1.ConfigMap, apps_v1.Deployment).complete(reconciler)
    add_markdown_view_webhooks(manager)
    async with running(manager):
        yield reconciler, manager


async def test_several_changes_become_one_reconcile(
    cluster: Cluster, namespace: str, held: tuple[Held, kv.Manager]
) -> None:
    """Of the last state: those in between never reach a child."""
    reconciler, manager = held
    runs: list[Run] = []
    manager.controllers["markdownview"].watch_runs(runs.append)
    async with cluster.client(namespace=namespace) as client:
        await client.create(handbook("0"))
        await reconciler.begun.wait()
        for number in range(1, 6):
            await change(client, str(number))
        await wait_for(manager.client, MarkdownView, "handbook", namespace=namespace, until=says("5"))
        reconciler.may_go.set()
        await wait_for(client, core_v1.ConfigMap, FILES)
        await wait_for(client, MarkdownView, "handbook", condition="Ready")
        files = await client.get(core_v1.ConfigMap, FILES)
    assert files.data == {"README.md": "5"}
    assert [each for each in writes(runs) if each[1] == "configmaps"] == [("create", "configmaps")]


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


async def test_a_child_that_is_edited_comes_back(client: kv.Client) -> None:
    """Fields of ours get their values again; a label of someone else's stays."""
    await healthy(client)
    files = await client.get(core_v1.ConfigMap, FILES)
    files.data = {"README.md": "mine now", "other.md": "too"}
    files.metadata.labels = {**(files.metadata.labels or {}), "theirs": "stays"}
    await client.update(files)
    back = await wait_for(client, core_v1.ConfigMap, FILES, until=lambda files: files.data == {"README.md": "# Hi"})
    assert (back.metadata.labels or {})["theirs"] == "stays"


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
    """No child, no pod, and no series of metrics."""
    view = await healthy(client)
    series = f'markdownview_state{{name="handbook",namespace="{namespace}",state="Healthy"}} 1.0'

    async def shown() -> bool:
        return series in generate_latest(manager.metrics.registry).decode()

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


async def test_events_tell_what_happened(client: kv.Client) -> None:
    """From the first file to the last server."""
    view = await healthy(client)

    async def are_told() -> bool:
        events = [event async for event in client.list(events_v1.Event, limit=50)]
        about = {event.reason for event in events if event.regarding and event.regarding.uid == view.metadata.uid}
        return {"Written", "NotReady", "Healthy"} <= about

    await eventually(are_told)
