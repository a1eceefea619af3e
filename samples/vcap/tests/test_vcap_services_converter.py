"""What the operator does about a VcapServicesConverter and the Secret of its name."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import konverge as kv
import pytest
from konverge.controller.run import Run
from konverge.models import core_v1
from konverge.testing import advance, apply, eventually, wait_for, wait_gone

from vcap.api.v1.vcap_services_converter import VcapServicesConverter, VcapServicesConverterSpec
from vcap.controllers.vcap_services_converter import CREDENTIALS, IGNORE
from vcap.main import RESYNC

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[list[Run]]]
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
        [run] = await eventually(lambda: _returned(runs))
    assert run.request.name == "nobody"
    assert run.outcome == kv.Result()


async def _returned(runs: list[Run]) -> list[Run]:
    return runs


async def test_a_second_reconcile_writes_nothing(client: kv.Client, operator: Operator) -> None:
    """No version changes, and no write is even tried."""
    async with operator():
        await client.create(credentials("a"))
        await client.create(converter())
        await wait_for(client, VcapServicesConverter, "orders", condition="Ready")
    before = await versions(client)
    async with operator() as runs:  # started anew, it looks at every object once
        await eventually(lambda: _returned(runs))
    assert not [run for run in runs if run.writes]
    assert await versions(client) == before


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator) -> None:
    """Who comes second is told that the name is taken, tries again, and finds nothing left to do."""
    names = ["one", "two", "three"]
    async with operator(), operator():
        for name in names:
            await client.create(converter(name))
            await client.create(credentials("a", name=name))
        for name in names:
            await converted(client, "a", name=name)
    assert len(await client.list(core_v1.Secret)) == 6


async def test_several_changes_are_one_write_of_the_last(client: kv.Client, operator: Operator) -> None:
    """What counts is the state when it looks, not how it came to be."""
    async with operator():
        await client.create(credentials("0"))
        await client.create(converter())
        await wait_for(client, VcapServicesConverter, "orders", condition="Ready")
    for number in range(1, 6):
        await change(client, str(number))
    async with operator() as runs:
        await converted(client, "5")
    assert [len(run.writes) for run in runs if run.writes] == [1]


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
    async with operator() as runs:
        await client.create(credentials("0"))
        await client.create(converter())
        await converted(client, "0")
        for number in range(1, 20):  # at the same time as the operator, who also writes to this Secret
            await change(client, str(number))
            await eventually(partial(_noted, client, number))
        result = await converted(client, "19")
    assert (result.metadata.annotations or {})["count"] == "19"
    refused = [run.outcome for run in runs if isinstance(run.outcome, Exception)]
    assert all(isinstance(each, kv.errors.Conflict) for each in refused)


async def _noted(client: kv.Client, number: int) -> bool:
    result = await client.get(core_v1.Secret, "orders-vcap")
    result.metadata.annotations = {"count": str(number)}
    try:
        await client.update(result)
    except kv.errors.Conflict:
        return False  # the operator was first: so do we look again
    return True


async def test_a_secret_of_someone_else_is_left_alone(client: kv.Client, operator: Operator) -> None:
    """It may have the name that the result would have."""
    async with operator():
        theirs = await client.create(core_v1.Secret(metadata=kv.ObjectMeta(name="orders-vcap"), data={"a": b"1"}))
        await client.create(credentials("a"))
        await client.create(converter())
        found = await wait_for(client, VcapServicesConverter, "orders", condition="Ready=False")
        assert [each.reason for each in found.status.conditions or []] == ["NameTaken"]
        assert (await client.get(core_v1.Secret, "orders-vcap")).data == theirs.data


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
