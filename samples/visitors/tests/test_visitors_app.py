"""What the operator does about a VisitorsApp, on a cluster in which Deployments become pods."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, ExitStack
from pathlib import Path

import konverge as kv
import pytest
from konverge.controller import is_controlled_by
from konverge.models import apps_v1, core_v1, events_v1
from konverge.testing import (
    Gate,
    Runs,
    apply,
    eventually,
    rolled_out,
    wait_children,
    wait_for,
    wait_gone,
    wait_idle,
)

from visitors.api.v1.visitors_app import VisitorsApp, VisitorsAppSpec
from visitors.controllers.visitors_app import FINALIZER
from visitors.parts import container_of

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[Runs]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"
PARTS = ["site-backend", "site-database", "site-frontend"]
IN_ORDER = ["site-database", "site-backend", "site-frontend"]


class Entries:
    """A directory in memory, which can be out of order; `meanwhile` happens during a clean-up."""

    def __init__(self) -> None:
        self.entries: dict[str, int] = {}
        self.forgotten = 0
        self.is_down = False
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def enter(self, app: str) -> None:
        """Make an entry, and count how often."""
        self.entries[app] = self.entries.get(app, 0) + 1

    async def forget(self, app: str) -> None:
        """Remove an entry, and count how often that is asked for."""
        self.forgotten += 1
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


async def at_rest(client: kv.Client, runs: Runs) -> VisitorsApp:
    """Wait until the operator, the Deployments' own controller, and then again the operator have had their last word."""
    await ready(client)
    await wait_idle(runs.manager)
    for name in PARTS:
        await wait_for(client, apps_v1.Deployment, name, until=rolled_out)
    await wait_idle(runs.manager)
    return await ready(client)


async def change(client: kv.Client, number: int) -> None:
    """Change it as a user would: so many backends, of that image."""
    app = await client.get(VisitorsApp, "site")
    app.spec.size, app.spec.backend_image = number, f"visitors-service:{number}"
    await client.patch(app)


async def versions(client: kv.Client) -> list[str | None]:
    """Return the version of everything that the operator writes to."""
    kinds = (VisitorsApp, apps_v1.Deployment, core_v1.Service)
    return [each.metadata.resource_version for kind in kinds for each in await client.list(kind)]


@pytest.mark.parametrize("name", ["s" * 55, "my.site", "1st"])
async def test_a_name_that_no_service_can_have_is_refused(client: kv.Client, name: str) -> None:
    """At once, and not later by children that cannot be made."""
    with pytest.raises(kv.errors.Invalid, match="Services are named after it"):
        await client.create(site(name))


async def test_the_longest_name_is_good_for_all_parts(
    client: kv.Client, operator: Operator, directory: Entries
) -> None:
    """No child and no label of it is too long."""
    async with operator(directory):
        await client.create(site("s" * 54))
        await ready(client, "s" * 54)


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
    async with operator(directory) as runs:
        await client.create(site())
        await at_rest(client, runs)
    before = await versions(client)
    async with operator(directory) as runs:  # started anew, it looks at every object once
        await wait_idle(runs.manager)
    assert len(runs) == 1
    assert runs.writes == []
    assert await versions(client) == before


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator, directory: Entries) -> None:
    """Both have looked, and found nothing: the second is told that the name is taken, and then finds it done."""
    gate = Gate()
    async with operator(directory, gate=gate) as one, operator(directory, gate=gate) as two:
        with ExitStack() as stack:
            kinds = ("deployments", "services")
            holds = [stack.enter_context(gate.hold("create", kind, name=name)) for name in IN_ORDER for kind in kinds]
            await client.create(site())
            for held in holds:
                await held.reached(2)
                held.release()
        await at_rest(client, one)
        await at_rest(client, two)
    made = [write for write in (*one.writes, *two.writes) if write.operation.verb == "create"]
    assert sorted(write.key.name for write in made) == sorted(2 * PARTS)
    failed = [type(error) for error in (*one.failures, *two.failures)]
    assert failed.count(kv.errors.AlreadyExists) >= len(holds)
    assert set(failed) <= {kv.errors.AlreadyExists, kv.errors.Conflict}
    assert [each.metadata.name for each in await client.list(apps_v1.Deployment)] == PARTS
    assert [each.metadata.name for each in await client.list(core_v1.Service)] == PARTS
    assert len(await client.list(apps_v1.ReplicaSet)) == 3


async def test_several_changes_are_one_change_of_the_child(
    client: kv.Client, operator: Operator, directory: Entries
) -> None:
    """Those that come while it is at work are one reconcile, of the last state: the others never reach a child."""
    gate = Gate()
    async with operator(directory, gate=gate) as runs:
        await client.create(site())
        await at_rest(client, runs)
        count = len(runs)
        with gate.hold("update", "deployments") as held:
            await change(client, 2)
            await held.reached()
            for number in (3, 4, 5, 6):
                await change(client, number)
            await wait_for(runs.manager.client, await client.get(VisitorsApp, "site"), until=_has_size(6))
        await wait_for(client, VisitorsApp, "site", until=lambda app: app.status.backend_image == "visitors-service:6")
        await at_rest(client, runs)
    written = [write for run in runs[count:] for write in run.writes if write.operation.resource == "deployments"]
    assert [str(write.key.name) for write in written] == ["site-backend", "site-backend"]
    backends = [each for each in runs.written(apps_v1.Deployment) if each.metadata.name == "site-backend"]
    assert [(each.spec.replicas, container_of(each).image) for each in backends] == [
        (1, "visitors-service:1"),
        (2, "visitors-service:2"),  # read before the others came
        (6, "visitors-service:6"),
    ]
    assert (await client.get(apps_v1.Deployment, "site-backend")).metadata.generation == 3


def _has_size(size: int) -> Callable[[VisitorsApp], bool]:
    return lambda app: app.spec.size == size


@pytest.mark.parametrize("kind", [apps_v1.Deployment, core_v1.Service])
async def test_a_lost_child_comes_back(
    client: kv.Client, operator: Operator, directory: Entries, kind: type[kv.Object]
) -> None:
    """Each of the three, with another uid."""
    async with operator(directory) as runs:
        await client.create(site())
        app = await at_rest(client, runs)
        for name in PARTS:
            lost = await client.get(kind, name)
            await client.delete(lost, propagation="Background")
            await wait_gone(client, lost)
            await wait_children(client, app, kind, names=PARTS)
        await at_rest(client, runs)


async def test_each_of_our_fields_comes_back(client: kv.Client, operator: Operator, directory: Entries) -> None:
    """In each child, also the owner; what others have added stays."""
    async with operator(directory) as runs:
        await client.create(site())
        app = await at_rest(client, runs)
        wanted = [await _ours(client, app, name) for name in PARTS]
        for name in PARTS:
            await client.patch(_spoiled(await client.get(apps_v1.Deployment, name)))
            await client.patch(_misdirected(await client.get(core_v1.Service, name)))
        await at_rest(client, runs)
        assert [await _ours(client, app, name) for name in PARTS] == wanted
        for kind in (apps_v1.Deployment, core_v1.Service):
            for child in await client.list(kind):
                assert (child.metadata.annotations or {})["team"] == "blue"


async def _ours(client: kv.Client, app: VisitorsApp, name: str) -> list[object]:
    deployment, service = await client.get(apps_v1.Deployment, name), await client.get(core_v1.Service, name)
    container, [port] = container_of(deployment), service.spec.ports or []
    return [
        *(is_controlled_by(each, app) for each in (deployment, service)),
        *(deployment.metadata.labels, deployment.spec.replicas, container.image, container.ports, container.env),
        *(service.spec.selector, port.port, port.protocol, port.target_port),
    ]


def _spoiled(deployment: apps_v1.Deployment) -> apps_v1.Deployment:
    deployment.metadata.owner_references = deployment.metadata.labels = None
    deployment.metadata.annotations = {**(deployment.metadata.annotations or {}), "team": "blue"}
    deployment.spec.replicas = 3
    container = container_of(deployment)
    container.image, container.env = "other:1", [core_v1.EnvVar(name="OTHER", value="1")]
    container.ports = [core_v1.ContainerPort(container_port=9999, protocol="UDP")]
    return deployment


def _misdirected(service: core_v1.Service) -> core_v1.Service:
    service.metadata.owner_references = None
    service.metadata.annotations = {"team": "blue"}
    service.spec.selector = {"app": "elsewhere"}
    service.spec.ports = [core_v1.ServicePort(port=9999, protocol="UDP", target_port=9999)]
    return service


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
    async with operator(directory) as runs:
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
        await wait_idle(runs.manager)
    assert runs[-1].outcome == kv.Result()  # it is not looked for again


async def test_the_finalizer_is_there_before_the_entry(
    client: kv.Client, operator: Operator, directory: Entries
) -> None:
    """Else an app that is deleted just then would leave an entry that nobody forgets."""
    gate = Gate()
    async with operator(directory, gate=gate) as runs:
        with gate.hold("patch", "visitorsapps") as held:
            await client.create(site())
            await held.reached()
            assert not directory.entries
        await at_rest(client, runs)
        assert directory.entries


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
        await at_rest(client, runs)
        failed = len(runs.failures)
        directory.meanwhile = change_a_label
        await client.delete(app)
        left = await wait_for(client, app, until=lambda found: found.metadata.finalizers == [other])
        assert left.metadata.labels == {"meanwhile": "changed"}
        assert any(isinstance(error, kv.errors.Conflict) for error in runs.failures)
        await wait_idle(runs.manager)
        assert directory.forgotten == len(runs.failures) - failed + 1  # and never again, once our finalizer is off
        kv.remove_finalizer(left, other)
        await client.patch(left)
        await wait_gone(client, left)
