"""Waiting for a kind to be served."""

from __future__ import annotations

import pytest

import konverge as kv
from konverge.client.until_served import until_served
from konverge.errors import ApiError, NotFound
from konverge.manifest import crds_of
from konverge.testing import Cluster, eventually
from konverge.webhook.registration import conversion_config


class BoatSpec(kv.Spec):
    """What a boat is to be."""

    sails: int = 1


@kv.resource(group="boats.konverge.dev", version="v1", storage=True)
class Boat(kv.CustomResource[BoatSpec, None]):
    """A boat."""


@kv.resource(group="boats.konverge.dev", version="v2", kind="Boat", storage=False)
class BoatV2(kv.CustomResource[BoatSpec, None]):
    """A boat of another version."""


@kv.resource(group="boats.konverge.dev", version="v1", scope="Cluster")
class Harbour(kv.CustomResource[BoatSpec, None]):
    """A kind without namespaces."""


async def test_a_kind_can_be_used_then(cluster: Cluster, namespace: str) -> None:
    """In each of its versions; classes of one kind are one definition."""
    definitions = crds_of([Boat, Harbour, BoatV2])
    assert [[each["name"] for each in made["spec"]["versions"]] for made in definitions] == [["v1", "v2"], ["v1"]]
    async with cluster.client(namespace=namespace) as client:
        for definition in definitions:
            await client.apply(kv.Unstructured.from_dict(definition), force=True, field_owner="test")
            await until_served(client, definition)
        await client.create(BoatV2(metadata=kv.ObjectMeta(name="ark")))
        assert (await client.get(Boat, "ark")).spec.sails == 1
        await client.list(Harbour)


@kv.resource(group="piers.konverge.dev", version="v1", storage=True, scope="Cluster")
class Pier(kv.CustomResource[BoatSpec, None]):
    """A kind without namespaces, of two versions."""


@kv.resource(group="piers.konverge.dev", version="v2", kind="Pier", storage=False, scope="Cluster")
class PierV2(kv.CustomResource[BoatSpec, None]):
    """The one that is not stored."""


@pytest.mark.cluster("embedded")  # a real server says so, too, but the client would try for ten seconds
async def test_a_conversion_that_nobody_serves_is_not_waited_for(cluster: Cluster) -> None:
    """The webhook that would do it is often served by whoever waits, later."""
    (definition,) = crds_of([Pier, PierV2])
    async with cluster.client() as client:
        await client.apply(kv.Unstructured.from_dict(definition), force=True, field_owner="test")
        await until_served(client, definition)
        await client.create(Pier(metadata=kv.ObjectMeta(name="home")))
        definition["spec"]["conversion"] = conversion_config("https://127.0.0.1:1")
        applied = await client.apply(kv.Unstructured.from_dict(definition), force=True, field_owner="test")
        try:
            await eventually(lambda: _is_refused(client))
            await until_served(client, definition)
        finally:
            await client.delete(applied)


async def _is_refused(client: kv.Client) -> bool:
    """Whether the server has taken up that it is to ask a webhook, which is not there."""
    try:
        await client.list(PierV2)
    except ApiError as error:
        return "conversion webhook" in error.message
    return False


async def test_one_that_does_not_come_is_named(cluster: Cluster) -> None:
    """By the error of the last look."""
    (definition,) = crds_of([Boat])
    definition["spec"]["group"] = "absent.konverge.dev"
    async with cluster.client() as client:
        with pytest.raises(NotFound, match=r"absent\.konverge\.dev"):
            await until_served(client, definition, within=0)
