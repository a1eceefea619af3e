"""Errors as the real server gives them, beside those that the tests of each verb meet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import konverge as kv
from konverge.api import request
from konverge.errors import BadRequest, DecodeError, Expired, Invalid, NotAcceptable, TooLarge, TooManyRequests
from konverge.models import core_v1, policy_v1
from konverge.testing import Cluster

if TYPE_CHECKING:
    from tests.client.conftest import Loopback


async def test_invalid(own: kv.Client) -> None:
    """An object that breaks rules is Invalid, with a cause for each field, and the identity in the message."""
    ports = [core_v1.ServicePort(port=0), core_v1.ServicePort(name="B!", port=80)]
    with pytest.raises(Invalid) as error:
        await own.create(core_v1.Service(metadata=kv.ObjectMeta(name="a"), spec=core_v1.ServiceSpec(ports=ports)))
    fields = {cause.field for cause in error.value.causes}
    assert {"spec.ports[0].port", "spec.ports[1].name"} <= fields
    assert all(cause.message and cause.reason for cause in error.value.causes)
    assert str(error.value).startswith('create services "test-')


async def test_invalid_custom_resource(own: kv.Client, widgets: str) -> None:
    """The schema of a custom resource is enforced the same way."""
    made = kv.Unstructured(api_version=widgets, kind="Widget", metadata=kv.ObjectMeta(name="w"))
    made["spec"] = {"replicas": -1, "size": "far too long"}
    with pytest.raises(Invalid) as error:
        await own.create(made)
    assert {cause.field.removeprefix(".") for cause in error.value.causes} == {"spec.replicas", "spec.size"}


async def test_too_large(own: kv.Client) -> None:
    """A request beyond what the server takes is TooLarge."""
    big = core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a"), data={"x": "y" * 4_000_000})
    with pytest.raises(TooLarge):
        await own.create(big)


async def test_not_acceptable(client: kv.Client) -> None:
    """A form that the server cannot answer in is NotAcceptable."""
    call = replace(request.raw("/api/v1/namespaces"), accept="text/csv")
    with pytest.raises(NotAcceptable):
        await client._engine.call(call)


async def test_bad_request(client: kv.Client) -> None:
    """A selector that the server cannot read is a BadRequest that quotes it."""
    with pytest.raises(BadRequest, match="list configmaps"):
        await client.list(core_v1.ConfigMap, fields="data.x=1")


@pytest.mark.cluster("real")  # the embedded server has no such cache: its history reaches back to its first revision
async def test_a_version_before_the_watch_cache(own: kv.Client, widgets: str) -> None:
    """A watch from a version that the server no longer has raises Expired."""
    with pytest.raises(Expired, match=r"watch widgets\.test\.konverge\.dev"):
        async for _ in own.watch(kv.unstructured(widgets, "Widget"), resource_version="1"):
            pass


async def test_too_many_requests(cluster: Cluster, namespace: str) -> None:
    """An eviction that a disruption budget forbids for now is TooManyRequests, and says when to come back."""
    labels = {"app": "web"}
    pod = core_v1.Pod(
        metadata=kv.ObjectMeta(name="p", labels=labels),
        spec=core_v1.PodSpec(node_name="nowhere", containers=[core_v1.Container(name="c", image="c:1")]),
    )
    budget = policy_v1.PodDisruptionBudget(
        metadata=kv.ObjectMeta(name="b"),
        spec=policy_v1.PodDisruptionBudgetSpec(
            min_available=1, selector=kv.api.meta.LabelSelector(match_labels=labels)
        ),
    )
    eviction = policy_v1.Eviction(metadata=kv.ObjectMeta(name="p"))
    config = kv.Config.load(cluster.kubeconfig)
    async with kv.Client.connect(config, retry=kv.RetryPolicy(attempts=1)) as connected:
        client = connected.in_namespace(namespace)
        await client.create(pod)
        pod["status"] = core_v1.PodStatus(phase="Running")
        await client.status.update(pod)
        await client.create(budget)
        with pytest.raises(TooManyRequests, match="disruption budget") as error:
            await client.subresource("eviction").create(pod, eviction)
    assert error.value.retry_after == 10


def _held() -> core_v1.ConfigMap:
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a", namespace="x"), data={"k": "v"})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"kind": "Status", "status": "Success"}, 'with a Status "", not with a ConfigMap'),
        ({"kind": "Pod", "metadata": {"name": "a"}}, 'with a Pod "a", not with a ConfigMap'),
        ({"kind": "ConfigMap", "metadata": {"name": "b"}}, 'with ConfigMap "b", not with "a"'),
    ],
)
async def test_an_answer_about_something_else(loopback: Loopback, answer: dict[str, Any], said: str) -> None:
    """A 200 with another kind or name is a DecodeError that names both, and the author's object stays as it was."""
    loopback.answers = [loopback.json(answer)]
    async with kv.Client.connect(loopback.config()) as client:
        for verb in (client.create, client.update, client.apply):
            held = _held()
            with pytest.raises(DecodeError, match=f'configmaps "x/a": the server answered {said}'):
                await verb(held)
            assert held == _held()
        with pytest.raises(DecodeError, match=said):
            await client.get(core_v1.ConfigMap, "a", namespace="x")
        with pytest.raises(DecodeError, match=said):
            await client.patch(_held(), kv.RawPatch("application/merge-patch+json", b"{}"))


async def test_a_status_is_no_list(loopback: Loopback) -> None:
    """A Status has no items, and does not pass for an empty list."""
    loopback.answers = [loopback.json({"kind": "Status", "status": "Success"})]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(DecodeError, match="list configmaps: the server answered with a Status"):
            await client.list(core_v1.ConfigMap)


async def test_a_login_page_is_no_deletion(loopback: Loopback) -> None:
    """An answer in HTML, with whatever code, does not say that something was deleted."""
    loopback.answers = [loopback.text("<html>log in</html>")]
    async with kv.Client.connect(loopback.config()) as client:
        with pytest.raises(DecodeError, match='delete configmaps "x/a"'):
            await client.delete(_held())
        with pytest.raises(DecodeError, match="deletecollection configmaps"):
            await client.delete_all_of(core_v1.ConfigMap, namespace="x")
        with pytest.raises(DecodeError, match='update configmaps/status "x/a"'):
            await client.status.update(_held())


async def test_the_status_of_another_object(loopback: Loopback) -> None:
    """The answer to a write of a subresource is compared by name as well."""
    loopback.answers = [loopback.json({"kind": "ConfigMap", "metadata": {"name": "b"}})]
    async with kv.Client.connect(loopback.config()) as client:
        held = _held()
        with pytest.raises(DecodeError, match='with ConfigMap "b", not with "a"'):
            await client.status.update(held)
        assert held == _held()
