"""What a real server and the embedded one say to the CRDs that are made here."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import marker_kinds
import pytest

import konverge as kv
from konverge import clock
from konverge.manifest import crd
from konverge.models import apiextensions_v1
from konverge.testing import Cluster

IDS = [classes[0].__name__ for classes in marker_kinds.CRDS]


@asynccontextmanager
async def installed(
    client: kv.Client, *classes: type[kv.Object]
) -> AsyncIterator[apiextensions_v1.CustomResourceDefinition]:
    """Create a CRD, wait until the server serves it, and delete it in the end."""
    made = apiextensions_v1.CustomResourceDefinition.from_dict(crd(*classes))
    await client.create(made)
    watched = client.watch(apiextensions_v1.CustomResourceDefinition, fields=f"metadata.name={made.metadata.name}")
    async with aclosing(watched) as events:
        async for event in events:
            if kv.is_condition_true(event.object.status.conditions, "Established"):
                yield event.object
                break
    await client.delete(made)


@pytest.mark.parametrize("classes", marker_kinds.CRDS, ids=IDS)
async def test_a_server_takes_the_crd_as_it_is(
    cluster: Cluster, classes: tuple[type[kv.Object], ...], caplog: pytest.LogCaptureFixture
) -> None:
    """Each CRD is accepted with no warning, and nothing in its schema is dropped or changed."""
    with caplog.at_level(logging.WARNING):
        async with cluster.client() as client, installed(client, *classes) as stored:
            pass
    assert not caplog.records
    assert stored.to_dict()["spec"]["versions"] == crd(*classes)["spec"]["versions"]


async def test_the_class_is_a_kind_for_the_client(cluster: Cluster, namespace: str) -> None:
    """An object of a custom resource is created, read, validated and given a status like one of any other kind."""
    async with cluster.client(namespace=namespace) as client, installed(client, marker_kinds.Shapes):
        shape = marker_kinds.Shapes(
            metadata=kv.ObjectMeta(name="one"), spec=marker_kinds.ShapesSpec(memory="1Gi", either="25%")
        )
        await client.create(shape)
        shape.status.conditions = [
            kv.Condition(type="Ready", status="True", reason="Made", message="", last_transition_time=clock.now())
        ]
        await client.status.update(shape)
        found = await client.get(marker_kinds.Shapes, "one")
        assert (found.spec.memory, found.spec.either) == ("1Gi", "25%")
        assert kv.is_condition_true(found.status.conditions, "Ready")
        found.spec.percent = "half"
        with pytest.raises(kv.errors.Invalid, match=r"spec\.percent"):
            await client.update(found)


async def test_the_server_keeps_to_what_the_types_say(cluster: Cluster, namespace: str) -> None:
    """Defaults are filled in, and an object that breaks a rule, an enum or a one-of is refused with its field's name."""
    spec = marker_kinds.ChoicesSpec(fixed="a", zone="z")
    async with cluster.client(namespace=namespace) as client, installed(client, marker_kinds.Choices):
        made = marker_kinds.Choices(metadata=kv.ObjectMeta(name="one"), spec=spec)
        made.spec.source = marker_kinds.Source(url="a", secret_ref="b")
        with pytest.raises(kv.errors.Invalid, match="at most one of the fields in .url secretRef. may be set"):
            await client.create(made)
        made.spec.source = None
        await client.create(made)
        made.spec.policy = marker_kinds.Policy.DELETE
        with pytest.raises(kv.errors.Invalid, match="a deletion needs a reason"):
            await client.update(made)
        made.spec.reason = "old"
        made.spec.zone = "y"
        with pytest.raises(kv.errors.Invalid, match="field is immutable"):
            await client.update(made)
