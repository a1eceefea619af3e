"""The steps of a VisitorsApp, and the turns of many, under virtual time: here no Deployment is ready unless we say so."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import konverge as kv
import pytest
from konverge.models import apps_v1
from konverge.testing import Runs, advance

from visitors.api.v1.visitors_app import VisitorsApp, VisitorsAppSpec
from visitors.directory import Directory

pytestmark = pytest.mark.virtual_time
Operator = Callable[..., AbstractAsyncContextManager[Runs]]


class Nowhere(Directory):
    """A directory that takes everything, and forgets nothing while it is down."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.is_down = False

    async def enter(self, app: str) -> None:
        """Note it."""
        self.entered.append(app.rpartition("/")[2])

    async def forget(self, app: str) -> None:
        """Do nothing, or fail."""
        if self.is_down:
            raise ConnectionError(app)


async def finish(client: kv.Client, name: str) -> None:
    """Do what the controller of Deployments would do, once all pods are there."""
    deployment = await client.get(apps_v1.Deployment, name)
    deployment.status.observed_generation = deployment.metadata.generation
    deployment.status.replicas = deployment.status.ready_replicas = deployment.spec.replicas
    deployment.status.updated_replicas = deployment.status.available_replicas = deployment.spec.replicas
    await client.status.update(deployment)
    await advance(1)


async def names(client: kv.Client) -> list[str]:
    """Return the names of the Deployments."""
    return [each.metadata.name or "" for each in await client.list(apps_v1.Deployment)]


async def steps(client: kv.Client) -> list[str | None]:
    """Return the step of each app."""
    return [each.status.step for each in await client.list(VisitorsApp)]


async def test_a_part_is_made_when_those_before_it_are_ready(client: kv.Client, operator: Operator) -> None:
    """In between the operator looks again every five seconds, and makes nothing."""
    async with operator(Nowhere()) as runs:
        await client.create(VisitorsApp(metadata=kv.ObjectMeta(name="site")))
        await advance(1)
        begun = len(runs)
        await advance(60)
        assert len(runs) == begun + 12
        assert await names(client) == ["site-database"]
        for name, step in (("database", "Backend"), ("backend", "Frontend"), ("frontend", "Ready")):
            await finish(client, f"site-{name}")
            assert await steps(client) == [step]
        done = len(runs)
        await advance(minutes=10)
        assert len(runs) == done


async def test_a_part_that_is_there_is_kept_up_to_date_while_another_is_waited_for(
    client: kv.Client, operator: Operator
) -> None:
    """A database that restarts is no reason to leave a frontend as it was."""
    async with operator(Nowhere()):
        await client.create(VisitorsApp(metadata=kv.ObjectMeta(name="site")))
        await advance(1)
        for name in ("database", "backend", "frontend"):
            await finish(client, f"site-{name}")
        database = await client.get(apps_v1.Deployment, "site-database")
        database.status.available_replicas = 0
        await client.status.update(database)
        app = await client.get(VisitorsApp, "site")
        app.spec.frontend_image = "visitors-webui:2"
        await client.patch(app)
        await advance(1)
        assert await steps(client) == ["Database"]
        frontend = await client.get(apps_v1.Deployment, "site-frontend")
        assert frontend.spec.template.spec is not None
        assert frontend.spec.template.spec.containers[0].image == "visitors-webui:2"


async def test_the_status_tells_the_image_that_runs(client: kv.Client, operator: Operator) -> None:
    """Which is that of the spec only once all pods have it."""

    async def told() -> list[str | None]:
        status = (await client.get(VisitorsApp, "site")).status
        return [status.step, status.backend_image, status.frontend_image]

    async with operator(Nowhere()):
        app = await client.create(VisitorsApp(metadata=kv.ObjectMeta(name="site")))
        await advance(1)
        for name in ("database", "backend", "frontend"):
            await finish(client, f"site-{name}")
        app.spec.backend_image, app.spec.frontend_image = "visitors-service:2", "visitors-webui:2"
        await client.patch(app)
        await advance(1)
        assert await told() == ["Backend", "visitors-service:1", "visitors-webui:1"]
        await finish(client, "site-backend")
        assert await told() == ["Frontend", "visitors-service:2", "visitors-webui:1"]
        await finish(client, "site-frontend")
        assert await told() == ["Ready", "visitors-service:2", "visitors-webui:2"]


async def test_many_apps_take_turns(client: kv.Client, operator: Operator) -> None:
    """Two are built at once; the next one begins when one of them is ready, the oldest first."""
    directory = Nowhere()
    async with operator(directory, at_once=2):
        for name in ("a", "b", "c", "d"):
            await client.create(VisitorsApp(metadata=kv.ObjectMeta(name=name), spec=VisitorsAppSpec()))
            await advance(2)
        assert await steps(client) == ["Database", "Database", "Waiting", "Waiting"]
        assert sorted(set(directory.entered)) == ["a", "b"]
        for part in ("database", "backend", "frontend"):
            await finish(client, f"b-{part}")
        await advance(10)
        assert await steps(client) == ["Database", "Ready", "Database", "Waiting"]
        assert await names(client) == ["a-database", "b-backend", "b-database", "b-frontend", "c-database"]


async def test_one_that_is_being_deleted_takes_no_turn(client: kv.Client, operator: Operator) -> None:
    """Its clean-up may fail for days; the others do not wait for that."""
    directory = Nowhere()
    directory.is_down = True
    async with operator(directory, at_once=1):
        for name in ("a", "b"):
            await client.create(VisitorsApp(metadata=kv.ObjectMeta(name=name)))
            await advance(2)
        assert await steps(client) == ["Database", "Waiting"]
        await client.delete(VisitorsApp, "a")
        await advance(10)
        assert await steps(client) == ["Database", "Database"]
