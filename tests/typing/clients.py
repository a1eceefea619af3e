"""What a type checker knows of the two clients; read by mypy (`make check`, and a test), never run."""

from collections.abc import Iterator
from typing import assert_type

import konverge as kv
from konverge.client import blocking
from konverge.client.blocking import BlockingClient
from konverge.client.listing import ObjectList
from konverge.models import apps_v1, autoscaling_v1, core_v1


async def async_client(client: kv.Client, web: apps_v1.Deployment, pod: core_v1.Pod) -> None:
    """A verb gives what it was asked for."""
    assert_type(await client.get(core_v1.Pod, "a", namespace="b"), core_v1.Pod)
    assert_type(await client.get(kv.unstructured("v1", "Pod"), "a"), kv.Unstructured)
    assert_type(await client.get(kv.metadata_only(core_v1.Pod), "a"), kv.PartialObjectMetadata)
    assert_type(await client.list(core_v1.Pod), ObjectList[core_v1.Pod])
    async for each in client.list(core_v1.Pod):
        assert_type(each, core_v1.Pod)
    async for event in client.watch(core_v1.Pod):
        assert_type(event, kv.WatchEvent[core_v1.Pod])
    assert_type(await client.create(pod), core_v1.Pod)
    assert_type(await client.update(pod), core_v1.Pod)
    assert_type(await client.patch(pod), core_v1.Pod)
    assert_type(await client.apply(pod), core_v1.Pod)
    assert_type(await client.extract(core_v1.Pod, "a"), core_v1.Pod)
    assert_type(await client.status.update(web), apps_v1.Deployment)
    assert_type(await client.subresource("scale").get(web, autoscaling_v1.Scale), autoscaling_v1.Scale)
    assert_type(client.in_namespace("a"), kv.Client)
    assert_type(await kv.ignore_not_found(client.get(core_v1.Pod, "a")), core_v1.Pod | None)


def blocking_client(client: BlockingClient, web: apps_v1.Deployment, pod: core_v1.Pod) -> None:
    """The same without `await`."""
    assert_type(client.get(core_v1.Pod, "a", namespace="b"), core_v1.Pod)
    assert_type(client.get(kv.unstructured("v1", "Pod"), "a"), kv.Unstructured)
    assert_type(client.get(kv.metadata_only(core_v1.Pod), "a"), kv.PartialObjectMetadata)
    assert_type(client.list(core_v1.Pod), ObjectList[core_v1.Pod])
    assert_type(client.iterate(core_v1.Pod), Iterator[core_v1.Pod])
    for event in client.watch(core_v1.Pod):
        assert_type(event, kv.WatchEvent[core_v1.Pod])
    assert_type(client.create(pod), core_v1.Pod)
    assert_type(client.update(pod), core_v1.Pod)
    assert_type(client.patch(pod), core_v1.Pod)
    assert_type(client.apply(pod), core_v1.Pod)
    assert_type(client.extract(core_v1.Pod, "a"), core_v1.Pod)
    assert_type(client.status.update(web), apps_v1.Deployment)
    assert_type(client.subresource("scale").get(web, autoscaling_v1.Scale), autoscaling_v1.Scale)
    assert_type(client.in_namespace("a"), BlockingClient)
    assert_type(blocking.ignore_not_found(lambda: client.get(core_v1.Pod, "a")), core_v1.Pod | None)
    client.get(core_v1.Pod, "a", "b")  # type: ignore[call-arg] # options are keyword-only
    client.get(core_v1.PodSpec, "a")  # type: ignore[type-var] # not an object
