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
    """A directory that takes everything."""

    async def enter(self, app: str) -> None:
        """Do nothing."""

    async def forget(self, app: str) -> None:
        """Do nothing."""


async def finish(client: kv.Client, name: str) -> None:
    """Do what the controller of Deployments would do, once all pods are there."""
    deployment = await client.get(apps_v1.Deployment, name)
    deployment.status.observed_generation = deployment.metadata.generation
    deployment.status.replicas = deployment.status.ready_replicas = deployment.spec.replicas
    deployment.status.available_replicas = deployment.spec.replicas
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


async def test_many_apps_take_turns(client: kv.Client, operator: Operator) -> None:
    """Two are built at once; the next one begins when one of them is ready, the oldest first."""
    async with operator(Nowhere(), at_once=2):
        for name in ("a", "b", "c", "d"):
            await client.create(VisitorsApp(metadata=kv.ObjectMeta(name=name), spec=VisitorsAppSpec()))
            await advance(2)
        assert await steps(client) == ["Database", "Database", "Waiting", "Waiting"]
        for part in ("database", "backend", "frontend"):
            await finish(client, f"b-{part}")
        await advance(10)
        assert await steps(client) == ["Database", "Ready", "Database", "Waiting"]
        assert await names(client) == ["a-database", "b-backend", "b-database", "b-frontend", "c-database"]
