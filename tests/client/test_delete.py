from __future__ import annotations

import pytest

import konverge as kv
from konverge.errors import BadRequest, Conflict, MethodNotAllowed, NotFound, RequestError
from konverge.models import apps_v1, core_v1


def config_map(name: str = "a", **labels: str) -> core_v1.ConfigMap:
    """A ConfigMap that names no namespace."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name=name, labels=labels))


def pod() -> core_v1.Pod:
    """A Pod on a node that does not exist, so that nobody but a test ends it."""
    container = core_v1.Container(name="c", image="c:1")
    return core_v1.Pod(
        metadata=kv.ObjectMeta(name="p"), spec=core_v1.PodSpec(node_name="nowhere", containers=[container])
    )


async def names(client: kv.Client) -> list[str | None]:
    """The names of the ConfigMaps that are there."""
    return [found.metadata.name for found in await client.list(core_v1.ConfigMap)]


async def test_delete_by_object_and_by_name(own: kv.Client, namespace: str) -> None:
    """An object is deleted given itself, or its kind and whatever names it."""
    made = await own.create(config_map())
    await own.delete(made)
    for name in ("a", kv.ObjectKey(namespace, "a")):
        await own.create(config_map())
        await own.delete(core_v1.ConfigMap, name)
    await own.create(config_map())
    await own.delete(kv.unstructured("v1", "ConfigMap"), "a")
    assert await names(own) == []


async def test_delete_of_nothing(own: kv.Client) -> None:
    """What is not there cannot be deleted: NotFound, with the name."""
    with pytest.raises(NotFound, match=r'delete configmaps "test-.*/a"'):
        await own.delete(core_v1.ConfigMap, "a")


async def test_preconditions(own: kv.Client) -> None:
    """A delete meant for another object, or another version of it, is a Conflict and deletes nothing."""
    made = await own.create(config_map())
    old = made.metadata.resource_version
    made.data = {"x": "1"}
    await own.update(made)
    with pytest.raises(Conflict, match="UID"):
        await own.delete(made, uid="00000000-0000-0000-0000-000000000000")
    with pytest.raises(Conflict, match="ResourceVersion"):
        await own.delete(made, resource_version=old)
    await own.delete(made, uid=made.metadata.uid, resource_version=made.metadata.resource_version)
    assert await names(own) == []


async def test_propagation(own: kv.Client) -> None:
    """The way of deletion becomes the finalizer that carries it out."""
    for name, finalizer in {"Foreground": "foregroundDeletion", "Orphan": "orphan"}.items():
        made = await own.create(config_map(name.lower()))
        await own.delete(made, propagation=name)
        found = await own.get(core_v1.ConfigMap, name.lower())
        assert found.metadata.finalizers == [finalizer]
        assert found.metadata.deletion_timestamp is not None
    with pytest.raises((BadRequest, kv.errors.Invalid)):
        await own.delete(await own.create(config_map("other")), propagation="Sideways")


async def test_grace(own: kv.Client) -> None:
    """A pod gets the grace it is given; none ends it at once."""
    await own.create(pod())
    await own.delete(core_v1.Pod, "p", grace_seconds=5)
    assert (await own.get(core_v1.Pod, "p")).metadata.deletion_grace_period_seconds == 5
    await own.delete(core_v1.Pod, "p", grace_seconds=0)
    assert await kv.ignore_not_found(own.get(core_v1.Pod, "p")) is None


async def test_finalizers_hold_it(own: kv.Client) -> None:
    """A deleted object with a finalizer stays until the finalizer is gone."""
    made = config_map()
    made.metadata.finalizers = ["konverge.dev/wait"]
    await own.create(made)
    await own.delete(made)
    found = await own.get(core_v1.ConfigMap, "a")
    assert found.metadata.deletion_timestamp is not None
    found.metadata.finalizers = None
    await own.update(found)
    assert await names(own) == []


async def test_delete_all_of(own: kv.Client) -> None:
    """Of many objects, those that the selectors select are deleted."""
    for name, tier in {"a": "web", "b": "web", "c": "db", "d": "db"}.items():
        await own.create(config_map(name, tier=tier))
    await own.delete_all_of(core_v1.ConfigMap, labels={"tier": "web"})
    assert await names(own) == ["c", "d"]
    await own.delete_all_of(core_v1.ConfigMap, fields="metadata.name=c")
    assert await names(own) == ["d"]
    await own.delete_all_of(core_v1.ConfigMap)
    assert await names(own) == []


async def test_delete_all_of_needs_a_namespace(client: kv.Client) -> None:
    """Nothing deletes across namespaces by accident."""
    with pytest.raises(RequestError, match="needs a namespace"):
        await client.delete_all_of(apps_v1.Deployment)


async def test_a_kind_that_has_no_such_verb(client: kv.Client) -> None:
    """Namespaces cannot be deleted all at once: the server does not allow the method."""
    with pytest.raises(MethodNotAllowed):
        await client.delete_all_of(core_v1.Namespace, labels="never=there")
