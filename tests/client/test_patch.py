from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import konverge as kv
from konverge.api.request import JSON_PATCH, MERGE_PATCH
from konverge.client.patch import Patch
from konverge.errors import Conflict, Invalid, NotFound, RequestError, UnsupportedMediaType
from konverge.models import apps_v1, core_v1


def config_map(name: str = "a", **data: str) -> core_v1.ConfigMap:
    """A ConfigMap that names no namespace."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name=name), data=data)


def deployment() -> dict[str, Any]:
    """A Deployment of two containers, as JSON."""
    containers = [{"name": name, "image": f"{name}:1"} for name in ("web", "log")]
    labels = {"app": "web"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
    }


def pods_of(obj: apps_v1.Deployment) -> core_v1.PodSpec:
    """What a Deployment's pods are to be."""
    assert obj.spec.template.spec is not None
    return obj.spec.template.spec


async def test_merge_patch_of_the_changes(own: kv.Client) -> None:
    """A patch sends the changes alone, so a change made by others in between stays."""
    mine = await own.create(config_map(x="1", y="1"))
    other = await own.get(core_v1.ConfigMap, "a")
    other.data = {"x": "1", "y": "1", "z": "1"}
    await own.update(other)
    mine.data = {"x": "2"}
    assert await own.patch(mine) is mine
    assert mine.data == {"x": "2", "z": "1"}


async def test_nothing_changed(own: kv.Client) -> None:
    """A patch of nothing writes nothing on the server."""
    made = await own.create(config_map(x="1"))
    before = made.metadata.resource_version
    await own.patch(made)
    assert made.metadata.resource_version == before


async def test_optimistic_lock(own: kv.Client) -> None:
    """A patch with the lock is refused with Conflict if the object has changed since."""
    mine = await own.create(config_map(x="1"))
    other = copy.deepcopy(mine)
    other.data = {"x": "2"}
    await own.patch(other, kv.MergePatch(optimistic_lock=True))
    mine.data = {"x": "3"}
    with pytest.raises(Conflict):
        await own.patch(mine, kv.MergePatch(optimistic_lock=True))
    await own.patch(mine)
    assert mine.data == {"x": "3"}


async def test_a_base_of_the_authors_own(own: kv.Client) -> None:
    """An object that was never read is compared with the base it is given, and refused without one."""
    await own.create(config_map(x="1", y="1"))
    with pytest.raises(RequestError, match="nothing to compare"):
        await own.patch(config_map(x="2"))
    patched = await own.patch(config_map(x="2"), kv.MergePatch(base=config_map(x="1")))
    assert patched.data == {"x": "2", "y": "1"}


async def test_json_patch(own: kv.Client) -> None:
    """A JSON patch is the author's operations, or those that make the change."""
    made = await own.create(config_map(x="1"))
    await own.patch(made, kv.JsonPatch([{"op": "add", "path": "/data/y", "value": "2"}]))
    assert made.data == {"x": "1", "y": "2"}
    made.data = {"y": "3"}
    await own.patch(made, kv.JsonPatch())
    assert made.data == {"y": "3"}
    with pytest.raises(Invalid):
        await own.patch(made, kv.JsonPatch([{"op": "test", "path": "/data/y", "value": "no"}]))


async def test_raw_patch(own: kv.Client) -> None:
    """Bytes are sent as they are, with any media type, for an object that need not have been read."""
    await own.create(config_map(x="1"))
    patched = await own.patch(config_map(), kv.RawPatch(MERGE_PATCH, b'{"data":{"y":"2"}}'))
    assert patched.data == {"x": "1", "y": "2"}
    remove = json.dumps([{"op": "remove", "path": "/data/x"}]).encode()
    assert (await own.patch(config_map(), kv.RawPatch(JSON_PATCH, remove))).data == {"y": "2"}


@pytest.mark.parametrize("cls", [apps_v1.Deployment, kv.Unstructured])
async def test_strategic_merge_patch(own: kv.Client, cls: type[kv.Object]) -> None:
    """A strategic patch merges containers by name, in each form: others' containers stay, one's own can be removed."""
    mine = await own.create(cls.from_dict(deployment()))
    other = await own.get(apps_v1.Deployment, "web")
    pods_of(other).containers.append(core_v1.Container(name="side", image="side:1"))
    await own.update(other)
    containers = mine["spec"]["template"]["spec"]["containers"]
    del containers[1]
    containers[0]["image"] = "web:2"
    await own.patch(mine, kv.StrategicMergePatch())
    found = await own.get(apps_v1.Deployment, "web")
    assert [(each.name, each.image) for each in pods_of(found).containers] == [
        ("web", "web:2"),
        ("side", "side:1"),
    ]


async def test_strategic_patch_of_a_custom_resource(own: kv.Client, widgets: str) -> None:
    """The server takes no strategic patch of a custom resource, and says so as UnsupportedMediaType."""
    widget = {"apiVersion": widgets, "kind": "Widget", "metadata": {"name": "w"}, "spec": {"replicas": 1}}
    made = await own.create(kv.Unstructured.from_dict(widget))
    made.spec.replicas = 2
    with pytest.raises(UnsupportedMediaType, match="application/merge-patch"):
        await own.patch(made, kv.StrategicMergePatch())


async def test_patch_of_nothing_there(own: kv.Client) -> None:
    """A patch does not create."""
    with pytest.raises(NotFound, match="patch configmaps"):
        await own.patch(config_map(), kv.RawPatch(MERGE_PATCH, b"{}"))


def test_content_is_not_shown() -> None:
    """The repr of a patch shows its kind, never its content, which may be a secret."""
    base = kv.Unstructured.from_dict({"apiVersion": "v1", "kind": "X", "metadata": {"name": "hunter2"}})
    patches: list[Patch] = [
        kv.RawPatch("application/json-patch+json", b"hunter2"),
        kv.JsonPatch([{"op": "add", "path": "/data/p", "value": "hunter2"}]),
        kv.JsonPatch(base=base),
        kv.MergePatch(base),
        kv.StrategicMergePatch(base),
    ]
    for patch in patches:
        assert "hunter2" not in repr(patch)
        assert patch.media_type in repr(patch)
