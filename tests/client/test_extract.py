from __future__ import annotations

import copy
from typing import Any

import pytest

import konverge as kv
from konverge.client.extract import owned
from konverge.errors import ApplyConflict, FieldConflict, RequestError
from konverge.models import apps_v1, core_v1

LABELS = {"app": "web"}


def config_map(**data: str) -> core_v1.ConfigMap:
    """A ConfigMap that names no namespace."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a"), data=data)


def deployment(*, image: str = "web:1") -> apps_v1.Deployment:
    """A Deployment with what an author would apply."""
    container = core_v1.Container(
        name="web", image=image, args=["a", "b"], ports=[core_v1.ContainerPort(container_port=80)]
    )
    return apps_v1.Deployment(
        metadata=kv.ObjectMeta(name="web", labels=LABELS, finalizers=["konverge.dev/mine"]),
        spec=apps_v1.DeploymentSpec(
            selector=kv.api.meta.LabelSelector(match_labels=LABELS),
            template=core_v1.PodTemplateSpec(
                metadata=kv.ObjectMeta(labels=LABELS), spec=core_v1.PodSpec(containers=[container])
            ),
        ),
    )


async def test_apply_creates_and_updates(own: kv.Client) -> None:
    """An apply creates the object, later brings it to the intent, and leaves the intent as it is."""
    intent = config_map(x="1", y="1")
    made = await own.apply(intent)
    assert made.metadata.uid
    assert intent.metadata.uid is None
    assert (await own.apply(config_map(x="2"))).data == {"x": "2"}


async def test_an_unchanged_apply_writes_nothing(own: kv.Client) -> None:
    """Applying the same intent twice leaves the version alone."""
    first = await own.apply(deployment())
    assert (await own.apply(deployment())).metadata.resource_version == first.metadata.resource_version


async def test_conflicts_name_fields_and_owners(own: kv.Client) -> None:
    """A conflict lists each field with its owner; force takes them over."""
    await own.apply(config_map(x="1", y="1"), field_owner="alice")
    await own.apply(config_map(z="1"), field_owner="bob")
    with pytest.raises(ApplyConflict) as error:
        await own.apply(config_map(x="2", y="2", z="2"))
    assert set(error.value.conflicts) == {
        FieldConflict(".data.x", "alice"),
        FieldConflict(".data.y", "alice"),
        FieldConflict(".data.z", "bob"),
    }
    assert ".data.x (owned by alice)" in str(error.value)
    assert "force=True" in str(error.value)
    assert (await own.apply(config_map(x="2", y="2", z="2"), force=True)).data == {"x": "2", "y": "2", "z": "2"}


async def test_apply_refuses_what_was_read(own: kv.Client) -> None:
    """An object read from the server would claim every field, so it is refused, whole or for its status."""
    read = await own.create(config_map(x="1"))
    for verb in (own.apply, own.status.apply):
        with pytest.raises(RequestError, match="extract"):
            await verb(read)


async def test_extract_change_apply(own: kv.Client) -> None:
    """What a manager applied can be read back, changed and applied again: what it leaves out goes, the rest stays."""
    await own.apply(config_map(x="1", y="1"))
    await own.apply(config_map(z="1"), field_owner="other")
    mine = await own.extract(core_v1.ConfigMap, "a")
    assert mine.data == {"x": "1", "y": "1"}
    assert mine.metadata.uid is None
    mine.data = {"x": "2"}
    assert (await own.apply(mine)).data == {"x": "2", "z": "1"}


@pytest.mark.parametrize("form", [apps_v1.Deployment, kv.unstructured("apps/v1", "Deployment")])
async def test_extract_is_the_intent(own: kv.Client, form: Any) -> None:
    """Of an object full of defaults, extract gives what was applied: maps, list items, sets and whole values."""
    await own.apply(deployment())
    expected = deployment().to_dict()
    mine = await own.extract(form, "web")
    found = mine.to_dict()
    expected["metadata"]["namespace"] = found["metadata"]["namespace"]
    port = expected["spec"]["template"]["spec"]["containers"][0]["ports"][0]
    port["protocol"] = "TCP"  # a key of the list, so the item cannot be named without it
    assert found == expected
    before = await own.get(apps_v1.Deployment, "web")
    assert (await own.apply(mine)).metadata.generation == before.metadata.generation


async def test_extract_of_a_stranger(own: kv.Client) -> None:
    """Who owns nothing of an object extracts its name alone."""
    await own.apply(config_map(x="1"))
    nothing = await own.extract(core_v1.ConfigMap, "a", field_owner="stranger")
    assert nothing.data is None
    assert nothing.metadata.name == "a"


async def test_extract_keeps_unknown_fields(own: kv.Client, widgets: str) -> None:
    """Fields that the class does not know are extracted and applied again too."""
    widget = {"apiVersion": widgets, "kind": "Widget", "metadata": {"name": "w"}}
    await own.apply(_unstructured(widget | {"spec": {"replicas": 1, "future": {"deep": [1]}}}))
    mine = await own.extract(kv.unstructured(widgets, "Widget"), "w")
    mine.spec.replicas = 3
    applied = await own.apply(mine)
    assert applied.to_dict()["spec"] == {"replicas": 3, "future": {"deep": [1]}}


def _unstructured(data: dict[str, Any]) -> kv.Unstructured:
    """An object of the author's own making: one that was not read."""
    content = {name: value for name, value in data.items() if name not in ("apiVersion", "kind", "metadata")}
    made = kv.Unstructured(
        api_version=data["apiVersion"], kind=data["kind"], metadata=kv.ObjectMeta(name=data["metadata"]["name"])
    )
    made.content.update(content)
    return made


async def test_extract_of_the_status(own: kv.Client, widgets: str) -> None:
    """What was applied to the status is apart from the rest."""
    widget = {"apiVersion": widgets, "kind": "Widget", "metadata": {"name": "w"}}
    await own.apply(_unstructured(widget | {"spec": {"replicas": 1}}))
    await own.status.apply(_unstructured(widget | {"status": {"phase": "Ready"}}))
    form = kv.unstructured(widgets, "Widget")
    assert "status" not in (await own.extract(form, "w")).to_dict()
    mine = await own.extract(form, "w", subresource="status")
    assert mine.status == {"phase": "Ready"}
    assert "spec" not in mine.to_dict()


def test_field_sets() -> None:
    """A field set is a tree of names, keys and values; the empty one is the whole value."""
    value = {"a": {"x": 1, "y": 2}, "list": [{"k": 1, "v": 2}, {"k": 2, "v": 3}], "set": ["p", "q"]}
    fields = {"f:a": {"f:x": {}}, "f:list": {'k:{"k":2}': {".": {}, "f:v": {}}}, "f:set": {'v:"q"': {}}}
    assert owned(value, fields) == {"a": {"x": 1}, "list": [{"k": 2, "v": 3}], "set": ["q"]}
    assert owned(value, {"f:a": {}}) == {"a": {"x": 1, "y": 2}}


async def test_update_refuses_what_was_extracted(own: kv.Client) -> None:
    """What one manager owns must not replace the object, which has fields of others; a manifest may."""
    await own.apply(config_map(a="1"))
    await own.apply(config_map(b="2"), field_owner="other")
    mine = await own.extract(core_v1.ConfigMap, "a")
    for each in (mine, copy.deepcopy(mine), kv.replace(mine, data={"a": "3"})):
        with pytest.raises(RequestError, match=r'"\S*a" came from client.extract.*apply it instead'):
            await own.update(each)
        with pytest.raises(RequestError, match=r"came from client\.extract"):
            await own.status.update(each)
    assert (await own.get(core_v1.ConfigMap, "a")).data == {"a": "1", "b": "2"}
    manifest = core_v1.ConfigMap.from_dict({"metadata": {"name": "a"}, "data": {"z": "26"}})
    assert (await own.update(manifest)).data == {"z": "26"}
