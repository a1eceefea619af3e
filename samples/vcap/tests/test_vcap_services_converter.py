"""What the operator does about a VcapServicesConverter and the Secret of its name."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import konverge as kv
import pytest
from konverge.models import core_v1
from konverge.testing import Gate, Runs, advance, apply, wait_for, wait_gone, wait_idle

from vcap.api.v1.vcap_services_converter import VcapServicesConverter, VcapServicesConverterSpec
from vcap.controllers.vcap_services_converter import CREDENTIALS, IGNORE
from vcap.main import RESYNC

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[Runs]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"


def converter(name: str = "orders") -> VcapServicesConverter:
    """Return a converter."""
    return VcapServicesConverter(metadata=kv.ObjectMeta(name=name), spec=VcapServicesConverterSpec(label="postgresql"))


def credentials(uri: str, *, name: str = "orders", labels: dict[str, str] | None = None) -> core_v1.Secret:
    """Return a Secret that wakes the operator, unless it has other labels."""
    chosen = {CREDENTIALS: ""} if labels is None else labels
    return core_v1.Secret(metadata=kv.ObjectMeta(name=name, labels=chosen), data={"uri": uri.encode()})


async def change(client: kv.Client, uri: str) -> None:
    """Write other credentials."""
    secret = await client.get(core_v1.Secret, "orders")
    secret.data = {"uri": uri.encode()}
    await client.patch(secret)


def has(uri: str) -> Callable[[core_v1.Secret], bool]:
    """Return whether a result has these credentials."""
    return lambda secret: uri_in(secret) == uri


def uri_in(secret: core_v1.Secret) -> Any:
    """Return what a result says of the credentials."""
    return json.loads((secret.data or {})["VCAP_SERVICES"])["postgresql"][0]["credentials"]["uri"]


async def converted(client: kv.Client, uri: str, *, name: str = "orders") -> core_v1.Secret:
    """Wait until the result has these credentials."""
    return await wait_for(client, core_v1.Secret, f"{name}-vcap", until=has(uri))


async def versions(client: kv.Client) -> list[str | None]:
    """Return the version of everything that the operator writes to."""
    found = [*await client.list(VcapServicesConverter), *await client.list(core_v1.Secret)]
    return [each.metadata.resource_version for each in found]


async def test_the_sample_is_converted(client: kv.Client, operator: Operator, namespace: str) -> None:
    """Whichever of the two is there first."""
    election = kv.LeaderElection(id="vcap.example.com", namespace=namespace)  # as it runs in a cluster
    async with operator(leader_election=election):
        await apply(client, SAMPLE)
        await converted(client, "postgres://orders:change-me@db.example.com/orders")
        await wait_for(client, VcapServicesConverter, "orders", condition="Ready")
        await client.create(converter("later"))
        await wait_for(client, VcapServicesConverter, "later", condition="Ready=False")
        await client.create(credentials("b", name="later"))
        await converted(client, "b", name="later")


async def test_the_request_of_a_secret_carries_its_own_name(client: kv.Client, operator: Operator) -> None:
    """A Secret without a converter is a request for an object that is not there: done, and not tried again."""
    async with operator() as runs:
        await client.create(credentials("a", name="nobody"))
        await wait_idle(runs.manager)
    [run] = runs
    assert run.request.name == "nobody"
    assert run.outcome == kv.Result()


async def test_a_second_reconcile_writes_nothing(client: kv.Client, operator: Operator) -> None:
    """No version changes, and no write is even tried."""
    async with operator() as runs:
        await client.create(credentials("a"))
        await client.create(converter())
        await wait_idle(runs.manager)
        await wait_for(client, VcapServicesConverter, "orders", condition="Ready")
    before = await versions(client)
    async with operator() as runs:  # started anew, it looks at every object once
        await wait_idle(runs.manager)
    assert len(runs) == 1
    assert runs.writes == []
    assert await versions(client) == before


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator) -> None:
    """Both have looked, and found nothing: the second is told that the name is taken, and then finds it done."""
    gate = Gate()
    async with operator(gate=gate) as one, operator(gate=gate) as two:
        with gate.hold("create", "secrets") as held:
            await client.create(credentials("a"))
            await client.create(converter())
            await held.reached(2)
        await converted(client, "a")
        await wait_idle(one.manager)
        await wait_idle(two.manager)
    made = [write.operation.resource for write in (*one.writes, *two.writes) if write.operation.verb == "create"]
    assert made == ["secrets"]
    failed = {type(error) for error in (*one.failures, *two.failures)}
    assert kv.errors.AlreadyExists in failed
    assert failed <= {kv.errors.AlreadyExists, kv.errors.Conflict}
    assert [each.metadata.name for each in await client.list(core_v1.Secret)] == ["orders", "orders-vcap"]


async def test_several_changes_are_one_write_of_the_last(client: kv.Client, operator: Operator) -> None:
    """Those that come while it is at work are one reconcile, of the last state: the others never reach the result."""
    gate = Gate()
    async with operator(gate=gate) as runs:
        await client.create(credentials("0"))
        await client.create(converter())
        await converted(client, "0")
        await wait_idle(runs.manager)
        count = len(runs)
        with gate.hold("update", "secrets") as held:
            await change(client, "1")
            await held.reached()
            for number in range(2, 6):
                await change(client, str(number))
            await wait_for(runs.manager.client, await client.get(core_v1.Secret, "orders"), until=_holds("5"))
        await converted(client, "5")
        await wait_idle(runs.manager)
    assert [uri_in(secret) for secret in runs.written(core_v1.Secret)] == ["0", "1", "5"]
    assert [len(run.writes) for run in runs[count:] if run.writes] == [1, 1]  # of what it had read, and of the last


def _holds(uri: str) -> Callable[[core_v1.Secret], bool]:
    return lambda secret: secret.data == {"uri": uri.encode()}


async def test_an_edited_or_lost_result_comes_back(client: kv.Client, operator: Operator) -> None:
    """What others put beside it stays."""
    async with operator():
        await client.create(credentials("a"))
        await client.create(converter())
        result = await converted(client, "a")
        result.data = {"VCAP_SERVICES": b'{"postgresql": [{"credentials": {"uri": "b"}}]}', "more": b"1"}
        await client.patch(result)
        result = await converted(client, "a")
        assert (result.data or {})["more"] == b"1"
        await client.delete(result)
        await wait_gone(client, result)
        assert (await converted(client, "a")).metadata.uid != result.metadata.uid


async def test_who_writes_between_read_and_write_is_not_written_over(client: kv.Client, operator: Operator) -> None:
    """An update names the version it was made of: where that is behind, it is refused, and the operator looks again."""
    gate = Gate()
    async with operator(gate=gate) as runs:
        await client.create(credentials("0"))
        await client.create(converter())
        result = await converted(client, "0")
        await wait_idle(runs.manager)
        with gate.hold("update", "secrets") as held:
            await change(client, "1")
            await held.reached()  # it has read the result, and is about to write it
            result.metadata.annotations = {"team": "blue"}
            await client.update(result)
        result = await converted(client, "1")
        await wait_idle(runs.manager)
    assert {type(error) for error in runs.failures} == {kv.errors.Conflict}  # again, while its cache is behind
    assert result.metadata.annotations == {"team": "blue"}
    assert [uri_in(secret) for secret in runs.written(core_v1.Secret)] == ["0", "1"]


def is_name_taken(converter: VcapServicesConverter) -> bool:
    """Whether the operator has met a Secret of someone else; before that it may have known of no credentials."""
    return [each.reason for each in converter.status.conditions or []] == ["NameTaken"]


async def test_a_secret_of_someone_else_is_left_alone(client: kv.Client, operator: Operator) -> None:
    """It may have the name that the result would have."""
    async with operator():
        theirs = await client.create(core_v1.Secret(metadata=kv.ObjectMeta(name="orders-vcap"), data={"a": b"1"}))
        await client.create(credentials("a"))
        await client.create(converter())
        await wait_for(client, VcapServicesConverter, "orders", until=is_name_taken)
        assert (await client.get(core_v1.Secret, "orders-vcap")).data == theirs.data


async def test_what_is_being_deleted_is_left_alone(client: kv.Client, operator: Operator) -> None:
    """Else, in a foreground deletion, it would make anew what the garbage collector has just deleted."""
    held = converter()
    kv.add_finalizer(held, "example.com/hold")  # of someone else: it is there until that is taken off
    async with operator() as runs:
        await client.create(held)
        await client.create(credentials("a"))
        await converted(client, "a")
        await wait_idle(runs.manager)
        child = await client.get(core_v1.Secret, "orders-vcap")
        done = len(runs.writes)
        await client.delete(held)
        await wait_idle(runs.manager)  # it knows of that before it learns of the other
        await client.delete(child)
        await wait_gone(client, child)
        await wait_idle(runs.manager)
    assert len(runs.writes) == done
    assert await kv.ignore_not_found(client.get(core_v1.Secret, "orders-vcap")) is None
    held = await client.get(VcapServicesConverter, "orders")
    kv.remove_finalizer(held, "example.com/hold")
    await client.patch(held)


async def test_deletion_leaves_nothing_behind(client: kv.Client, operator: Operator) -> None:
    """Without credentials there is no result, and without a converter neither; the credentials are the user's."""
    async with operator():
        for name in ("orders", "other"):
            await client.create(credentials("a", name=name))
            await client.create(converter(name))
        orders, other = await converted(client, "a"), await converted(client, "a", name="other")
        await client.delete(core_v1.Secret, "orders")
        await wait_gone(client, orders)
        await client.delete(VcapServicesConverter, "other")
        await wait_gone(client, other)
    assert [each.metadata.name for each in await client.list(core_v1.Secret)] == ["other"]


async def test_what_is_not_in_the_spec_of_a_converter_wakes_nobody(client: kv.Client, operator: Operator) -> None:
    """Neither its status, which the operator writes itself, nor a note that someone puts on it."""
    async with operator() as runs:
        made = await client.create(converter())
        await wait_for(client, VcapServicesConverter, "orders", condition="Ready=False")
        await wait_idle(runs.manager)
        made.metadata.annotations = {"team": "blue"}
        await client.patch(made)
        await wait_idle(runs.manager)
    assert len(runs) == 1


@pytest.mark.virtual_time
async def test_what_the_filters_drop_is_found_by_the_next_resync(client: kv.Client, operator: Operator) -> None:
    """A Secret without the label wakes nobody; every ten minutes all converters are looked at anyway."""
    async with operator() as runs:
        await client.create(credentials("a", labels={}))
        await client.create(converter())
        await advance(1)
        await change(client, "b")
        count = len(runs)
        await advance(RESYNC / 2)
        assert len(runs) == count
        assert uri_in(await client.get(core_v1.Secret, "orders-vcap")) == "a"
        await advance(RESYNC)
        assert uri_in(await client.get(core_v1.Secret, "orders-vcap")) == "b"


@pytest.mark.virtual_time
async def test_a_converter_without_a_result_is_looked_at_by_the_resync_too(
    client: kv.Client, operator: Operator
) -> None:
    """There is no child then whose resync would wake it: its own has to pass the filter."""
    async with operator():
        await client.create(converter())
        await advance(1)
        await client.create(credentials("a", labels={}))
        await advance(RESYNC / 2)
        assert [each.metadata.name for each in await client.list(core_v1.Secret)] == ["orders"]
        await advance(RESYNC)
        assert uri_in(await client.get(core_v1.Secret, "orders-vcap")) == "a"


@pytest.mark.virtual_time
async def test_what_is_to_be_ignored_wakes_nobody(client: kv.Client, operator: Operator) -> None:
    """The event filter is for all kinds; once the label is gone the next event passes."""
    async with operator() as runs:
        await client.create(credentials("a", labels={CREDENTIALS: "", IGNORE: ""}))
        made = converter()
        made.metadata.labels = {IGNORE: ""}
        await client.create(made)
        await advance(3 * RESYNC)
        assert not runs
        made = await client.get(VcapServicesConverter, "orders")
        made.metadata.labels = None
        made.spec.plan = "small"
        await client.patch(made)
        await advance(1)
        assert uri_in(await client.get(core_v1.Secret, "orders-vcap")) == "a"
