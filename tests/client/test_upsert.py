from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import konverge as kv
from konverge.errors import Forbidden, RequestError
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.client.conftest import Recorder

Recorded = tuple[kv.Client, "Recorder"]


def config_map() -> core_v1.ConfigMap:
    """A ConfigMap with its name alone."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a"))


def want(value: str) -> Any:
    """A mutation that sets one key and leaves the others alone."""

    def mutate(obj: core_v1.ConfigMap) -> None:
        obj.data = {**(obj.data or {}), "x": value}

    return mutate


@pytest.mark.parametrize("verb", [kv.create_or_update, kv.create_or_patch])
async def test_created_unchanged_updated(recorded: Recorded, verb: Any) -> None:
    """Each result is told, and an unchanged object makes no write and no new version."""
    client, recorder = recorded
    obj = config_map()
    assert await verb(client, obj, want("1")) is kv.OperationResult.CREATED
    version = obj.metadata.resource_version
    assert await verb(client, config_map(), want("1")) is kv.OperationResult.UNCHANGED
    assert len(recorder.writes()) == 1
    assert (await client.get(core_v1.ConfigMap, "a")).metadata.resource_version == version
    changed = config_map()
    assert await verb(client, changed, want("2")) is kv.OperationResult.UPDATED
    assert recorder.writes() == ["POST", "PUT" if verb is kv.create_or_update else "PATCH"]
    assert changed.data == {"x": "2"}
    assert changed.metadata.resource_version != version


@pytest.mark.parametrize("verb", [kv.create_or_update, kv.create_or_patch])
async def test_what_others_set_stays(own: kv.Client, verb: Any) -> None:
    """The mutation is made on the live object, so what it does not mention stays."""
    other = config_map()
    other.data = {"y": "1"}
    await own.create(other)
    obj = config_map()
    await verb(own, obj, want("1"))
    assert obj.data == {"x": "1", "y": "1"}


@pytest.mark.parametrize("verb", [kv.create_or_update, kv.create_or_patch])
async def test_async_mutation(own: kv.Client, verb: Any) -> None:
    """A mutation may be a coroutine function, and read what it needs."""

    async def mutate(obj: core_v1.ConfigMap) -> None:
        obj.data = {"account": (await own.get(core_v1.ServiceAccount, "default")).metadata.uid or ""}

    obj = config_map()
    assert await verb(own, obj, mutate) is kv.OperationResult.CREATED
    assert (obj.data or {})["account"]
    assert await verb(own, config_map(), mutate) is kv.OperationResult.UNCHANGED


@pytest.mark.parametrize("verb", [kv.create_or_update, kv.create_or_patch])
@pytest.mark.parametrize("exists", [False, True])
async def test_a_mutation_must_not_rename(recorded: Recorded, verb: Any, exists: bool) -> None:
    """A mutation that makes another object of it is refused before anything is written."""
    client, recorder = recorded
    if exists:
        await client.create(config_map())

    def rename(obj: core_v1.ConfigMap) -> None:
        obj.metadata.name = "b"

    with pytest.raises(RequestError, match=r'changed the name of ConfigMap "(.*/)?a" to "(.*/)?b"'):
        await verb(client, config_map(), rename)
    assert len(recorder.writes()) == int(exists)


async def test_status_has_a_write_of_its_own(recorded: Recorded, widgets: str) -> None:
    """A patch of object and status is two writes, of the status one, and the result says which."""
    client, recorder = recorded

    def widget() -> kv.Unstructured:
        return kv.Unstructured(api_version=widgets, kind="Widget", metadata=kv.ObjectMeta(name="w"))

    def set_to(replicas: int, phase: str | None) -> Any:
        def mutate(obj: kv.Unstructured) -> None:
            obj["spec"] = {"replicas": replicas}
            if phase:
                obj["status"] = {"phase": phase}

        return mutate

    results = []
    for replicas, phase in ((1, None), (1, "A"), (2, "B"), (3, "B"), (3, "B")):
        obj = widget()
        results.append(str(await kv.create_or_patch(client, obj, set_to(replicas, phase))))
        assert (obj.spec.replicas, obj.content.get("status", {}).get("phase")) == (replicas, phase)
    assert results == ["created", "updatedStatusOnly", "updatedStatus", "updated", "unchanged"]
    assert len(recorder.writes()) == 5


async def test_errors_pass(own: kv.Client) -> None:
    """Only NotFound means to create; any other refusal is raised, and so is what the mutation raises."""
    with pytest.raises(Forbidden):
        await kv.create_or_update(own.impersonate("nobody"), config_map(), want("1"))

    def broken(_obj: core_v1.ConfigMap) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await kv.create_or_update(own, config_map(), broken)
