"""Waiting for an object, and what is told where it does not come."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import konverge as kv
from konverge.errors import RequestError
from konverge.models import core_v1, policy_v1
from konverge.testing import Cluster, eventually, running, wait_for, wait_gone
from konverge.testing.virtual_time import VirtualTimeError, advance

SOON = 0.3  # seconds: what these tests wait for does not come


def pod(name: str = "web") -> core_v1.Pod:
    """A pod, of which a test writes the status itself."""
    made = core_v1.Pod(metadata=kv.ObjectMeta(name=name), spec=core_v1.PodSpec())
    made.spec.containers = [core_v1.Container(name="main", image="none")]
    return made


def ready(status: str, reason: str | None = None, message: str | None = None) -> list[core_v1.PodCondition]:
    """The conditions of a pod."""
    return [core_v1.PodCondition(type="Ready", status=status, reason=reason, message=message)]


async def test_it_returns_the_object_when_the_condition_holds(cluster: Cluster, namespace: str) -> None:
    """By kind and name, or by the object itself; another status may be asked for."""
    async with cluster.client(namespace=namespace) as client:
        found = await client.create(pod())
        found.status.conditions = ready("True")
        await client.status.update(found)
        by_name = await wait_for(client, core_v1.Pod, "web", condition="Ready")
        assert by_name.metadata.uid == found.metadata.uid
        assert (await wait_for(client, found, until=lambda pod: pod.status.conditions)).status.conditions
        by_name.status.conditions = ready("False")
        await client.status.update(by_name)
        await wait_for(client, found, condition="Ready=False", until=lambda pod: pod.metadata.name == "web")


async def test_a_failure_tells_all_about_the_object(cluster: Cluster, namespace: str) -> None:
    """What was expected and why not, the object without managedFields, its events and its last reconciles."""
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)))

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        found = await ctx.client.get(core_v1.Pod, request)
        ctx.recorder.warning(found, "NoPaper", "the printer is empty")
        raise ValueError("cannot print")

    kv.new_controller(manager).for_(core_v1.Pod).complete(reconcile)
    async with running(manager), cluster.client(namespace=namespace) as client:
        found = await client.create(pod())
        found.status.conditions = ready("False", reason="Empty", message="no paper")
        await client.status.update(found)
        await wait_for(client, core_v1.Pod, "web", condition="Ready=False")
        await eventually(lambda: _events(client))  # they are sent in the background
        with pytest.raises(AssertionError) as error:
            await wait_for(client, core_v1.Pod, "web", condition="Ready", within=SOON)
    told = str(error.value)
    first, _, rest = told.partition("\n")
    assert first == f'Pod "{namespace}/web" is not Ready after 0.3 s: Ready is False (Empty: no paper)'
    assert "it looks like this:\n  apiVersion: v1\n  kind: Pod\n  metadata:\n" in rest
    assert "managedFields" not in rest
    assert "Warning NoPaper: the printer is empty" in rest.partition("the last events about it:\n")[2]
    runs = rest.partition("its last reconciles:\n")[2]
    assert "pod: failed with ValueError: cannot print in " in runs
    assert "wrote nothing; because of " in runs


async def _events(client: kv.Client) -> list[core_v1.Event]:
    return [event async for event in client.list(core_v1.Event)]


@pytest.mark.virtual_time
async def test_what_is_not_there_is_told(cluster: Cluster, namespace: str) -> None:
    """With what is known of it, which is nothing."""
    async with cluster.client(namespace=namespace) as client:
        with pytest.raises(AssertionError) as error:
            await wait_for(client, core_v1.ConfigMap, "card", within=5)
    assert str(error.value) == (
        f'ConfigMap "{namespace}/card" is not there after 5 s: there is no such object\n'
        "it looks like this:\n  (it is not there)\n"
        "the last events about it:\n  (none)\n"
        "its last reconciles:\n  (none by a manager inside `konverge.testing.running`)"
    )


@pytest.mark.virtual_time
async def test_a_secret_is_never_shown(cluster: Cluster, namespace: str) -> None:
    """Neither typed nor as it comes."""
    async with cluster.client(namespace=namespace) as client:
        secret = core_v1.Secret(metadata=kv.ObjectMeta(name="login"), string_data={"password": "hunter2"})
        await client.create(secret)
        for kind in (core_v1.Secret, kv.unstructured("v1", "Secret")):
            with pytest.raises(AssertionError) as error:
                await wait_for(client, kind, "login", until=lambda _: False, within=1)
            assert "hunter2" not in str(error.value)
            assert "aHVudGVyMg" not in str(error.value)
            assert "  kind: Secret\n" in str(error.value)


@pytest.mark.virtual_time
async def test_a_function_may_assert_and_may_meet_nothing(cluster: Cluster, namespace: str) -> None:
    """Both count as not yet, and the last reason is told."""
    async with cluster.client(namespace=namespace) as client:
        await client.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name="card")))

        def has_a_name(card: core_v1.ConfigMap) -> bool:
            assert card.data, "no data yet"
            return "name" in card.data

        with pytest.raises(
            AssertionError, match=r'card" is not as has_a_name \(.*\) wants it after 1 s: .*no data yet'
        ):
            await wait_for(client, core_v1.ConfigMap, "card", until=has_a_name, within=1)
        with pytest.raises(
            AssertionError, match=r"<lambda> \(test_object_waiting\.py:\d+\) wants it after 1 s: TypeError: "
        ):
            await wait_for(client, core_v1.ConfigMap, "card", until=lambda card: card["data"]["name"], within=1)


@pytest.mark.virtual_time
async def test_a_condition_of_an_older_generation_does_not_count(cluster: Cluster, namespace: str) -> None:
    """It is about what the object was before; one that is not there is told with those that are."""
    condition = kv.Condition(type="Disrupted", status="True", reason="x", message="", observed_generation=1)
    condition.last_transition_time = datetime(2026, 1, 1, tzinfo=UTC)
    async with cluster.client(namespace=namespace) as client:
        budget = policy_v1.PodDisruptionBudget(metadata=kv.ObjectMeta(name="some"))
        budget.spec = policy_v1.PodDisruptionBudgetSpec(max_unavailable=1)
        found = await client.create(budget)
        found.status = policy_v1.PodDisruptionBudgetStatus(
            conditions=[condition], current_healthy=0, desired_healthy=0, disruptions_allowed=0, expected_pods=0
        )
        found = await client.status.update(found)
        await wait_for(client, found, condition="Disrupted", within=1)
        found.spec.max_unavailable = 2
        found = await client.update(found)
        with pytest.raises(AssertionError, match="Disrupted is about generation 1, and the object is at 2"):
            await wait_for(client, found, condition="Disrupted", within=1)
        with pytest.raises(AssertionError, match="it has no condition Ready, only: Disrupted=True"):
            await wait_for(client, found, condition="Ready", within=1)


@pytest.mark.virtual_time
async def test_a_kind_alone_is_not_enough(cluster: Cluster) -> None:
    """Which of its objects is meant has to be said."""
    async with cluster.client() as client:
        with pytest.raises(RequestError, match="which Pod to wait for"):
            await wait_gone(client, core_v1.Pod)


async def test_gone_is_gone_for_good(cluster: Cluster, namespace: str) -> None:
    """Another object of the name counts as gone; finalizers that keep one are named."""
    async with cluster.client(namespace=namespace) as client:
        card = core_v1.ConfigMap(metadata=kv.ObjectMeta(name="card", finalizers=["example.com/keep"]))
        found = await client.create(card)
        with pytest.raises(AssertionError, match=r"is still there after 0\.3 s: nobody has deleted it"):
            await wait_gone(client, found, within=SOON)
        await client.delete(found)
        with pytest.raises(AssertionError, match=r"waits for its finalizers: example\.com/keep"):
            await wait_gone(client, core_v1.ConfigMap, "card", within=SOON)
        there = await client.get(core_v1.ConfigMap, "card")
        kv.remove_finalizer(there, "example.com/keep")
        await client.update(there)
        await wait_gone(client, core_v1.ConfigMap, "card")
        await client.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name="card")))
        await wait_gone(client, found)


@pytest.mark.virtual_time
async def test_time_moves_when_it_is_told_to(cluster: Cluster, namespace: str) -> None:
    """And what is due by then is done: the run at the very end of it, too."""
    runs: list[float] = []
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)))  # the server has ConfigMaps of its own

    async def reconcile(_ctx: kv.Context, _request: kv.Request) -> kv.Result:
        runs.append(1)
        return kv.Result(requeue_after=3600)

    kv.new_controller(manager).for_(core_v1.ConfigMap).complete(reconcile)
    async with running(manager), cluster.client(namespace=namespace) as client:
        await client.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name="card")))
        await advance(1)
        assert len(runs) == 1
        await advance(hours=24)
        assert len(runs) == 25


async def test_real_time_does_not_move() -> None:
    """The error says what to do."""
    with pytest.raises(VirtualTimeError, match=r"mark it pytest\.mark\.virtual_time"):
        await advance(1)
