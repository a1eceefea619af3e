"""What the operator does about a MyResource, on a cluster in which Deployments become pods."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
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

from myresource.api.v1.my_resource import MyResource, MyResourceSpec, State
from myresource.controllers.my_resource import state_of

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[Runs]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"


def web(*, name: str = "web", memory: str = "512Mi") -> MyResource:
    """Return a MyResource."""
    return MyResource(metadata=kv.ObjectMeta(name=name), spec=MyResourceSpec(image="nginx:1", memory=memory))


async def ready(client: kv.Client, name: str = "web") -> MyResource:
    """Wait until a MyResource is Ready."""
    return await wait_for(client, MyResource, name, until=lambda found: found.status.state == "Ready")


async def at_rest(client: kv.Client, runs: Runs) -> MyResource:
    """Wait until the operator, the Deployment's own controller, and then again the operator have had their last word."""
    await wait_idle(runs.manager)
    await wait_for(client, apps_v1.Deployment, "web", until=rolled_out)
    await wait_idle(runs.manager)
    return await ready(client)


async def change(client: kv.Client, image: str) -> None:
    """Change it as a user would."""
    resource = await client.get(MyResource, "web")
    resource.spec.image = image
    await client.patch(resource)


async def image_of(client: kv.Client, name: str = "web") -> str | None:
    """Return the image that its Deployment has."""
    return container_of(await client.get(apps_v1.Deployment, name)).image


def container_of(deployment: apps_v1.Deployment) -> core_v1.Container:
    """Return the container of a Deployment's pods."""
    assert deployment.spec.template.spec is not None
    return deployment.spec.template.spec.containers[0]


async def versions(client: kv.Client) -> list[str | None]:
    """Return the version of everything that the operator writes to."""
    found = [*await client.list(MyResource), *await client.list(apps_v1.Deployment)]
    return [each.metadata.resource_version for each in found]


async def test_a_name_that_no_label_can_have_is_refused(client: kv.Client, operator: Operator) -> None:
    """At once, and not later by a Deployment that cannot be made; the longest that is taken is good for it."""
    async with operator():
        with pytest.raises(kv.errors.Invalid, match="label of the Deployment"):
            await client.create(web(name="w" * 64))
        await client.create(web(name="w" * 63))
        await ready(client, "w" * 63)


async def test_the_sample_becomes_ready(client: kv.Client, operator: Operator, namespace: str) -> None:
    """By a Deployment with its image and memory; it is Building until that is rolled out."""
    election = kv.LeaderElection(id="myresource.example.com", namespace=namespace)  # as it runs in a cluster
    async with operator(leader_election=election):
        await apply(client, SAMPLE)
        resource = await ready(client)
        [deployment] = await wait_children(client, resource, apps_v1.Deployment, names=["web"])
    main = container_of(deployment)
    assert main.image == "nginx:1.29"
    assert main.resources is not None
    assert main.resources.requests == {"memory": "512Mi"}


async def test_it_is_building_while_its_pod_is_not_ready(client: kv.Client, operator: Operator) -> None:
    """The state follows the Deployment, although nothing else changes then."""
    never = {"konverge.dev/simulate": '{"readyAfter": null}'}  # its pod, on the simulated node
    async with operator():
        await client.create(web())
        await ready(client)
        deployment = await client.get(apps_v1.Deployment, "web")
        deployment.spec.template.metadata = kv.ObjectMeta(
            labels={"myresource.example.com/name": "web"}, annotations=never
        )
        deployment.spec.strategy = apps_v1.DeploymentStrategy(type="Recreate")
        await client.patch(deployment)  # annotations and strategy are none of the operator's fields: they stay
        await wait_for(client, MyResource, "web", until=lambda found: found.status.state == "Building")


@pytest.mark.parametrize(
    ("seen", "pods", "updated", "ready", "state"),
    [
        (2, 3, 3, 3, "Ready"),  # how many there are is an autoscaler's choice
        (1, 3, 3, 3, "Building"),  # its controller has not seen the last template yet
        (2, 4, 1, 3, "Building"),  # the three that are ready have the image before
        (2, 3, 3, 2, "Building"),
        (2, None, None, None, "Building"),
    ],
)
def test_ready_means_rolled_out(
    *, seen: int, pods: int | None, updated: int | None, ready: int | None, state: State
) -> None:
    """Not just that some pod is ready."""
    deployment = apps_v1.Deployment(metadata=kv.ObjectMeta(name="web", generation=2))
    deployment.spec.replicas, deployment.status.observed_generation = 3, seen
    deployment.status.replicas, deployment.status.updated_replicas = pods, updated
    deployment.status.ready_replicas = ready
    assert state_of([deployment]) == state
    assert state_of([]) == "Building"


async def test_a_second_reconcile_changes_nothing(client: kv.Client, operator: Operator, namespace: str) -> None:
    """It applies once, and no version changes: not even where the API server spells the memory in another way."""
    async with operator() as runs:
        await client.create(web(memory="1024Mi"))
        await at_rest(client, runs)
    before = await versions(client)
    async with operator() as runs:  # started anew, it looks at every object once
        await wait_idle(runs.manager)
    assert len(runs) == 1
    assert [str(write) for write in runs.writes] == [f"patch deployments {namespace}/web"]
    assert await versions(client) == before


async def test_memory_is_a_quantity(client: kv.Client) -> None:
    """The API server refuses what is none, before the operator would fail at it again and again."""
    with pytest.raises(kv.errors.Invalid, match=r"spec\.memory"):
        await client.create(web(memory="much"))


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator) -> None:
    """Both apply what is not there yet; the name follows from the owner's, and the API server has one of each name."""
    gate = Gate()
    async with operator(gate=gate) as one, operator(gate=gate) as two:
        with gate.hold("patch", "deployments") as held:
            await client.create(web())
            await held.reached(2)
            assert not await client.list(apps_v1.Deployment)
        await at_rest(client, one)
        await at_rest(client, two)
    assert [each.metadata.generation for each in await client.list(apps_v1.Deployment)] == [1]
    assert len(await client.list(apps_v1.ReplicaSet)) == 1
    # One of two who tell the state is behind, looks again, and finds it told.
    assert {type(error) for error in (*one.failures, *two.failures)} <= {kv.errors.Conflict}


async def test_several_changes_are_one_change_of_the_deployment(client: kv.Client, operator: Operator) -> None:
    """Those that come while it is at work are one reconcile, of the last state: the others never reach the child."""
    gate = Gate()
    async with operator(gate=gate) as runs:
        await client.create(web())
        await at_rest(client, runs)
        with gate.hold("patch", "deployments") as held:
            await change(client, "nginx:2")
            await held.reached()
            for number in range(3, 7):
                await change(client, f"nginx:{number}")
            await wait_for(runs.manager.client, await client.get(MyResource, "web"), until=_wants("nginx:6"))
        await at_rest(client, runs)
    applied = [container_of(each).image for each in runs.written(apps_v1.Deployment)]
    assert [image for image, before in zip(applied, [None, *applied], strict=False) if image != before] == [
        "nginx:1",
        "nginx:2",  # read before the others came
        "nginx:6",
    ]
    assert (await client.get(apps_v1.Deployment, "web")).metadata.generation == 3


def _wants(image: str) -> Callable[[MyResource], bool]:
    return lambda resource: resource.spec.image == image


async def _is(client: kv.Client, image: str) -> bool:
    return await image_of(client) == image


async def test_each_of_our_fields_comes_back(client: kv.Client, operator: Operator) -> None:
    """Also the label that the state is computed by, and the owner, without which it would outlive the MyResource."""
    async with operator() as runs:
        await client.create(web())
        resource = await at_rest(client, runs)
        deployment = await client.get(apps_v1.Deployment, "web")
        deployment.metadata.labels = {"theirs": "stays"}
        deployment.metadata.owner_references = None
        container_of(deployment).image = "other:1"
        container_of(deployment).resources = core_v1.ResourceRequirements(requests={"memory": "1Mi"})
        await client.update(deployment)
        await at_rest(client, runs)
    deployment = await client.get(apps_v1.Deployment, "web")
    assert deployment.metadata.labels == {"theirs": "stays", "myresource.example.com/name": "web"}
    assert is_controlled_by(deployment, resource)
    main = container_of(deployment)
    assert (main.image, main.resources) == ("nginx:1", core_v1.ResourceRequirements(requests={"memory": "512Mi"}))


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
    theirs = apps_v1.Deployment(metadata=kv.ObjectMeta(name="web", annotations={"team": "blue"}))
    other = core_v1.PodSpec(containers=[core_v1.Container(name="app", image="other:1")])
    theirs.spec = apps_v1.DeploymentSpec(template=core_v1.PodTemplateSpec(spec=other))
    async with operator():
        await client.create(web())
        await ready(client)
        for _ in range(2):  # the second time the same event is counted, not written anew
            await client.apply(theirs, force=True)
            await eventually(lambda: _is(client, "nginx:1"))
        [told] = await eventually(lambda: _conflicts(client))
    assert ".image of someone" in (told.note or "")
    deployment = await client.get(apps_v1.Deployment, "web")
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
        stray = apps_v1.Deployment.from_dict((await client.get(apps_v1.Deployment, "web")).to_dict())
        stray.metadata = kv.ObjectMeta(name="stray", labels={"myresource.example.com/name": "web"})
        await client.create(stray)
        resource = await client.get(MyResource, "web")
        resource.spec.image = "nginx:2"
        await client.patch(resource)
        await eventually(lambda: _failed(runs, "not 2: stray, web"))
        await client.delete(stray)
        await eventually(lambda: _succeeded_last(runs))


async def test_each_namespace_has_its_own(client: kv.Client, operator: Operator, namespace: str) -> None:
    """Of two that have the same name in two namespaces, neither sees the Deployment of the other; nor do two in one."""
    elsewhere = await client.create(core_v1.Namespace(metadata=kv.ObjectMeta(name=f"{namespace}-too")))
    async with operator(f"{namespace}-too") as runs:
        await client.create(web())
        await client.create(web(name="api"))
        await ready(client, "api")
        await client.in_namespace(f"{namespace}-too").create(web())
        await at_rest(client, runs)
        await at_rest(client.in_namespace(f"{namespace}-too"), runs)
    assert not runs.failures
    await client.delete(elsewhere)


async def _failed(runs: Runs, why: str) -> bool:
    return any(why in str(run) for run in runs)


async def _succeeded_last(runs: Runs) -> bool:
    return not isinstance(runs[-1].outcome, BaseException)


async def test_what_is_being_deleted_is_left_alone(client: kv.Client, operator: Operator) -> None:
    """Else, in a foreground deletion, it would make anew what the garbage collector has just deleted."""
    held = web()
    kv.add_finalizer(held, "example.com/hold")  # of someone else: it is there until that is taken off
    async with operator() as runs:
        await client.create(held)
        await at_rest(client, runs)
        child = await client.get(apps_v1.Deployment, "web")
        done = len(runs.writes)
        await client.delete(held)
        await wait_idle(runs.manager)  # it knows of that before it learns of the other
        await client.delete(child, propagation="Background")
        await wait_gone(client, child)
        await wait_idle(runs.manager)
    assert len(runs.writes) == done
    assert await kv.ignore_not_found(client.get(apps_v1.Deployment, "web")) is None
    held = await client.get(MyResource, "web")
    kv.remove_finalizer(held, "example.com/hold")
    await client.patch(held)


async def test_deletion_leaves_nothing_behind(client: kv.Client, operator: Operator) -> None:
    """The garbage collector follows the owner references; the operator has nothing to do."""
    async with operator() as runs:
        await client.create(web())
        resource = await at_rest(client, runs)
        await client.delete(resource)
        await wait_gone(client, resource)
        await wait_idle(runs.manager)  # where it learns of a child first, it makes one that the collector takes too
        await eventually(lambda: _empty(client))
        await wait_idle(runs.manager)
    assert runs[-1].outcome == kv.Result()  # it is not looked for again


async def _empty(client: kv.Client) -> bool:
    kinds = (apps_v1.Deployment, apps_v1.ReplicaSet, core_v1.Pod)
    return not [found for kind in kinds for found in await client.list(kind)]
