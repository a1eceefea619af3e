"""What the operator does about a MyResource, on a cluster in which Deployments become pods."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import konverge as kv
import pytest
from konverge.controller.run import Run
from konverge.models import apps_v1, core_v1, events_v1
from konverge.testing import apply, eventually, wait_children, wait_for, wait_gone

from myresource.api.v1.my_resource import MyResource, MyResourceSpec

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[list[Run]]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"


def web(*, name: str = "web", memory: str = "512Mi") -> MyResource:
    """Return a MyResource."""
    return MyResource(metadata=kv.ObjectMeta(name=name), spec=MyResourceSpec(image="nginx:1", memory=memory))


async def ready(client: kv.Client, name: str = "web") -> MyResource:
    """Wait until a MyResource is Ready."""
    return await wait_for(client, MyResource, name, until=lambda found: found.status.state == "Ready")


async def image_of(client: kv.Client, name: str = "web") -> str | None:
    """Return the image that its Deployment has."""
    return main_of(await client.get(apps_v1.Deployment, f"{name}-deployment")).image


def main_of(deployment: apps_v1.Deployment) -> core_v1.Container:
    """Return the container of a Deployment's pods."""
    assert deployment.spec.template.spec is not None
    return deployment.spec.template.spec.containers[0]


async def versions(client: kv.Client) -> list[str | None]:
    """Return the version of everything that the operator writes to."""
    found = [*await client.list(MyResource), *await client.list(apps_v1.Deployment)]
    return [each.metadata.resource_version for each in found]


async def test_the_sample_becomes_ready(client: kv.Client, operator: Operator, namespace: str) -> None:
    """By a Deployment with its image and memory; it is Building until that has its pod."""
    election = kv.LeaderElection(id="myresource.example.com", namespace=namespace)  # as it runs in a cluster
    async with operator(leader_election=election):
        await apply(client, SAMPLE)
        resource = await ready(client)
        [deployment] = await wait_children(client, resource, apps_v1.Deployment, names=["web-deployment"])
    main = main_of(deployment)
    assert main.image == "nginx:1.29"
    assert main.resources is not None
    assert main.resources.requests == {"memory": "512Mi"}


async def test_it_is_building_while_its_pod_is_not_ready(client: kv.Client, operator: Operator) -> None:
    """The state follows the Deployment, although nothing else changes then."""
    never = {"konverge.dev/simulate": '{"readyAfter": null}'}  # its pod, on the simulated node
    async with operator():
        await client.create(web())
        await ready(client)
        deployment = await client.get(apps_v1.Deployment, "web-deployment")
        deployment.spec.template.metadata = kv.ObjectMeta(labels={"myresource": "web"}, annotations=never)
        deployment.spec.strategy = apps_v1.DeploymentStrategy(type="Recreate")
        await client.patch(deployment)  # annotations and strategy are none of the operator's fields: they stay
        await wait_for(client, MyResource, "web", until=lambda found: found.status.state == "Building")


async def test_a_second_reconcile_changes_nothing(client: kv.Client, operator: Operator) -> None:
    """Not even where the API server spells the memory in another way than the user."""
    async with operator():
        await client.create(web(memory="1024Mi"))
        await ready(client)

    async def nothing_changes() -> bool:
        before = await versions(client)
        async with operator() as runs:  # started anew, it looks at every object once
            await eventually(lambda: _any(runs))
        return await versions(client) == before

    await eventually(nothing_changes)  # the Deployment's own controller may still have been at work the first time


async def _any(runs: list[Run]) -> bool:
    return bool(runs)


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator) -> None:
    """The name of the Deployment follows from that of its owner, and the API server has one of each name."""
    names = ["one", "two", "three"]
    async with operator(), operator():
        for name in names:
            await client.create(web(name=name))
        for name in names:
            await ready(client, name)
    assert len(await client.list(apps_v1.Deployment)) == 3
    assert len(await client.list(apps_v1.ReplicaSet)) == 3


async def test_several_changes_are_one_change_of_the_deployment(client: kv.Client, operator: Operator) -> None:
    """What counts is the state when it looks, not how it came to be."""
    async with operator():
        resource = await client.create(web())
        await ready(client)
    for number in range(2, 7):
        resource = await client.get(MyResource, "web")
        resource.spec.image = f"nginx:{number}"
        await client.patch(resource)
    async with operator():
        await eventually(lambda: _is(client, "nginx:6"))
    deployment = await client.get(apps_v1.Deployment, "web-deployment")
    assert deployment.metadata.generation == 2


async def _is(client: kv.Client, image: str) -> bool:
    return await image_of(client) == image


async def test_a_lost_deployment_comes_back(client: kv.Client, operator: Operator) -> None:
    """With another uid."""
    async with operator():
        resource = await client.create(web())
        [lost] = await wait_children(client, resource, apps_v1.Deployment, count=1)
        await client.delete(lost, propagation="Background")
        await wait_gone(client, lost)
        [found] = await wait_children(client, resource, apps_v1.Deployment, count=1)
    assert found.metadata.uid != lost.metadata.uid


async def test_a_conflict_is_told_and_the_field_taken_back(client: kv.Client, operator: Operator) -> None:
    """By an event that names the field and who had set it; fields that are not the operator's stay."""
    theirs = apps_v1.Deployment(metadata=kv.ObjectMeta(name="web-deployment", annotations={"team": "blue"}))
    other = core_v1.PodSpec(containers=[core_v1.Container(name="main", image="other:1")])
    theirs.spec = apps_v1.DeploymentSpec(template=core_v1.PodTemplateSpec(spec=other))
    async with operator():
        await client.create(web())
        await ready(client)
        for _ in range(2):  # the second time the same event is counted, not written anew
            await client.apply(theirs, force=True)
            await eventually(lambda: _is(client, "nginx:1"))
        [told] = await eventually(lambda: _conflicts(client))
    assert ".image of someone" in (told.note or "")
    deployment = await client.get(apps_v1.Deployment, "web-deployment")
    assert (deployment.metadata.annotations or {})["team"] == "blue"
    with pytest.raises(kv.errors.ApplyConflict, match="owned by myresource"):
        await client.apply(theirs)


async def _conflicts(client: kv.Client) -> list[events_v1.Event]:
    found = [event for event in await client.list(events_v1.Event) if event.reason == "FieldConflict"]
    return [event for event in found if event.series]


async def test_a_second_deployment_with_the_label_is_an_error(client: kv.Client, operator: Operator) -> None:
    """The state would be that of any of them."""
    async with operator() as runs:
        await client.create(web())
        await ready(client)
        stray = apps_v1.Deployment.from_dict((await client.get(apps_v1.Deployment, "web-deployment")).to_dict())
        stray.metadata = kv.ObjectMeta(name="stray", labels={"myresource": "web"})
        await client.create(stray)
        resource = await client.get(MyResource, "web")
        resource.spec.image = "nginx:2"
        await client.patch(resource)
        await eventually(lambda: _failed(runs, "not 2: stray, web-deployment"))
        await client.delete(stray)
        await eventually(lambda: _succeeded_last(runs))


async def _failed(runs: list[Run], why: str) -> bool:
    return any(why in str(run) for run in runs)


async def _succeeded_last(runs: list[Run]) -> bool:
    return not isinstance(runs[-1].outcome, BaseException)


async def test_deletion_leaves_nothing_behind(client: kv.Client, operator: Operator) -> None:
    """The garbage collector follows the owner references; the operator has nothing to do, and does nothing."""
    async with operator() as runs:
        resource = await client.create(web())
        await ready(client)
        await client.delete(resource)
        await wait_gone(client, resource)
        await eventually(lambda: _empty(client))
        await eventually(lambda: _wrote_nothing_last(runs))


async def _empty(client: kv.Client) -> bool:
    kinds = (apps_v1.Deployment, apps_v1.ReplicaSet, core_v1.Pod)
    return not [found for kind in kinds for found in await client.list(kind)]


async def _wrote_nothing_last(runs: list[Run]) -> bool:
    return not runs[-1].writes
