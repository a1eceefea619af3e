"""What the operator does about a VisitorsApp, on a cluster in which Deployments become pods."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import konverge as kv
import pytest
from konverge.controller.run import Run
from konverge.models import apps_v1, core_v1, events_v1
from konverge.testing import apply, eventually, wait_children, wait_for, wait_gone

from visitors.api.v1.visitors_app import VisitorsApp, VisitorsAppSpec
from visitors.controllers.visitors_app import FINALIZER
from visitors.parts import container_of

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[list[Run]]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"
PARTS = ["site-backend", "site-database", "site-frontend"]


class Entries:
    """A directory in memory, which can be out of order; `meanwhile` happens during a clean-up."""

    def __init__(self) -> None:
        self.entries: dict[str, int] = {}
        self.is_down = False
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def enter(self, app: str) -> None:
        """Make an entry, and count how often."""
        self.entries[app] = self.entries.get(app, 0) + 1

    async def forget(self, app: str) -> None:
        """Remove an entry."""
        if self.is_down:
            raise ConnectionError("the directory is down")
        if self.meanwhile is not None:
            happening, self.meanwhile = self.meanwhile, None
            await happening()
        self.entries.pop(app, None)


@pytest.fixture
def directory() -> Entries:
    """The directory outside."""
    return Entries()


def site(name: str = "site", *, size: int = 1) -> VisitorsApp:
    """Return a VisitorsApp."""
    return VisitorsApp(metadata=kv.ObjectMeta(name=name), spec=VisitorsAppSpec(size=size))


async def ready(client: kv.Client, name: str = "site") -> VisitorsApp:
    """Wait until an app is Ready."""
    return await wait_for(client, VisitorsApp, name, until=lambda found: found.status.step == "Ready")


async def versions(client: kv.Client) -> list[str | None]:
    """Return the version of everything that the operator writes to."""
    kinds = (VisitorsApp, apps_v1.Deployment, core_v1.Service)
    return [each.metadata.resource_version for kind in kinds for each in await client.list(kind)]


async def test_the_sample_becomes_ready(
    client: kv.Client, operator: Operator, directory: Entries, namespace: str
) -> None:
    """With its three parts, each a Deployment and a Service, and an entry in the directory."""
    election = kv.LeaderElection(id="visitors.example.com", namespace=namespace)  # as it runs in a cluster
    async with operator(directory, leader_election=election):
        await apply(client, SAMPLE)
        app = await ready(client)
        await wait_children(client, app, apps_v1.Deployment, names=PARTS)
        await wait_children(client, app, core_v1.Service, names=PARTS)
    assert app.status.ready_backends == 2
    assert app.status.backend_image == "visitors-service:1"
    assert list(directory.entries) == [f"{namespace}/site"]


async def test_the_status_follows_although_nothing_else_is_to_do(
    client: kv.Client, operator: Operator, directory: Entries
) -> None:
    """Pods come later than the Deployment that asks for them."""
    async with operator(directory) as runs:
        await client.create(site(size=3))
        await wait_for(client, VisitorsApp, "site", until=lambda app: app.status.ready_backends == 3)
        await ready(client)
    assert any([write.operation.resource for write in run.writes] == ["visitorsapps/status"] for run in runs)


async def test_a_second_reconcile_writes_nothing(client: kv.Client, operator: Operator, directory: Entries) -> None:
    """No version changes, and no write is even tried."""
    async with operator(directory):
        await client.create(site())
        await ready(client)

    async def nothing_is_written() -> bool:
        before = await versions(client)
        async with operator(directory) as runs:  # started anew, it looks at every object once
            await eventually(lambda: _any(runs))
        return not runs[0].writes and await versions(client) == before

    await eventually(nothing_is_written)  # the Deployments' own controller may still have been at work the first time


async def _any(runs: list[Run]) -> bool:
    return bool(runs)


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator, directory: Entries) -> None:
    """Who comes second is told that the name is taken, or that the object changed, tries again, and finds it done."""
    names = ["one", "two"]
    async with operator(directory), operator(directory):
        for name in names:
            await client.create(site(name))
        for name in names:
            await ready(client, name)
    assert len(await client.list(apps_v1.Deployment)) == 6
    assert len(await client.list(apps_v1.ReplicaSet)) == 6
    assert len(await client.list(core_v1.Service)) == 6


async def test_several_changes_are_one_change_of_the_child(
    client: kv.Client, operator: Operator, directory: Entries
) -> None:
    """What counts is the state when it looks, not how it came to be."""
    async with operator(directory):
        await client.create(site())
        await ready(client)
    for size in (5, 4, 3, 2):
        app = await client.get(VisitorsApp, "site")
        app.spec.size, app.spec.backend_image = size, f"visitors-service:{size}"
        await client.patch(app)
    async with operator(directory):
        await wait_for(client, VisitorsApp, "site", until=lambda app: app.status.backend_image == "visitors-service:2")
    backend = await client.get(apps_v1.Deployment, "site-backend")
    assert backend.metadata.generation == 2
    assert backend.spec.replicas == 2


async def test_a_lost_or_edited_child_comes_back(client: kv.Client, operator: Operator, directory: Entries) -> None:
    """Our fields are put right, others' stay."""
    async with operator(directory):
        app = await client.create(site())
        await ready(client)
        for kind in (apps_v1.Deployment, core_v1.Service):
            lost = await client.get(kind, "site-frontend")
            await client.delete(lost, propagation="Background")
            await wait_gone(client, lost)
            await wait_children(client, app, kind, names=PARTS)
        service = await client.get(core_v1.Service, "site-backend")
        service.metadata.annotations = {"team": "blue"}
        service.spec.selector = {"app": "elsewhere"}
        service.spec.ports = [core_v1.ServicePort(port=9999, protocol="UDP", target_port=9999)]
        await client.patch(service)
        service = await wait_for(client, service, until=lambda found: found.spec.selector != {"app": "elsewhere"})
        assert service.metadata.annotations == {"team": "blue"}
        [port] = service.spec.ports or []
        assert (port.port, port.protocol, port.target_port) == (8000, "TCP", 8000)
        deployment = await client.get(apps_v1.Deployment, "site-backend")
        container_of(deployment).ports = [core_v1.ContainerPort(container_port=9999, protocol="UDP")]
        await client.patch(deployment)
        await wait_for(client, deployment, until=_listens_on_8000)


def _listens_on_8000(deployment: apps_v1.Deployment) -> bool:
    return container_of(deployment).ports == [core_v1.ContainerPort(container_port=8000, protocol="TCP")]


async def test_what_another_manager_holds_of_our_fields_is_put_right(
    client: kv.Client, operator: Operator, directory: Entries
) -> None:
    """An update asks nobody: the field is ours again, their own stay theirs, and who applies ours again is told."""
    theirs = apps_v1.Deployment(metadata=kv.ObjectMeta(name="site-backend", annotations={"team": "blue"}))
    theirs.spec.replicas = 4
    async with operator(directory):
        await client.create(site())
        await ready(client)
        await client.apply(theirs, force=True)
        put_right = await wait_for(client, theirs, until=lambda found: found.spec.replicas == 1)
        assert (put_right.metadata.annotations or {})["team"] == "blue"
    with pytest.raises(kv.errors.ApplyConflict, match="owned by visitors"):
        await client.apply(theirs)


async def test_a_clean_up_that_fails_is_told_and_tried_again(
    client: kv.Client, operator: Operator, directory: Entries
) -> None:
    """The finalizer keeps the app until the directory has forgotten it; then nothing is left."""
    async with operator(directory):
        app = await client.create(site())
        await ready(client)
        directory.is_down = True
        await client.delete(app)
        [told] = await eventually(lambda: _failures(client))  # counted, so it was tried more than once
        assert "the directory is down" in (told.note or "")
        assert kv.has_finalizer(await client.get(VisitorsApp, "site"), FINALIZER)
        directory.is_down = False
        await wait_gone(client, app)
        assert not directory.entries
        await eventually(lambda: _empty(client))


async def _failures(client: kv.Client) -> list[events_v1.Event]:
    found = [event for event in await client.list(events_v1.Event) if event.reason == "CleanUpFailed"]
    return [event for event in found if event.series]


async def _empty(client: kv.Client) -> bool:
    kinds = (VisitorsApp, apps_v1.Deployment, apps_v1.ReplicaSet, core_v1.Service, core_v1.Pod)
    return not [found for kind in kinds for found in await client.list(kind)]


async def test_who_changes_the_app_meanwhile_is_not_written_over(
    client: kv.Client, operator: Operator, directory: Entries
) -> None:
    """The write that would take the finalizer off is refused, since it was made of an older version: once more, then."""
    other = "example.com/other"

    async def change_a_label() -> None:
        app = await client.get(VisitorsApp, "site")
        app.metadata.labels = {"meanwhile": "changed"}
        await client.patch(app)

    async with operator(directory) as runs:
        app = site()
        kv.add_finalizer(app, other)
        await client.create(app)
        await ready(client)
        directory.meanwhile = change_a_label
        await client.delete(app)
        left = await wait_for(client, app, until=lambda found: found.metadata.finalizers == [other])
        assert left.metadata.labels == {"meanwhile": "changed"}
        assert [run for run in runs if isinstance(run.outcome, kv.errors.Conflict)]
        kv.remove_finalizer(left, other)
        await client.patch(left)
        await wait_gone(client, left)
