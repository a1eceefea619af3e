"""What an earlier run registered and nobody serves is taken back; everything else stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import konverge as kv
from konverge.cli.former_webhooks import forget
from konverge.manifest import crds_of
from konverge.testing import Cluster
from konverge.webhook.ca_bundle import FIELD_OWNER
from konverge.webhook.registration import (
    Target,
    WebhookOptions,
    WebhookService,
    configurations,
    conversion_config,
    register,
)

pytestmark = pytest.mark.cluster("embedded")  # a shared server has the webhooks of others
NOBODY = "https://127.0.0.1:1"
CONFIGURATIONS = kv.unstructured("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
DEFINITIONS = kv.unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition")


class CartSpec(kv.Spec):
    """What a cart is to be."""

    size: int = 1


@kv.resource(group="former.konverge.dev", version="v1")
class Cart(kv.CustomResource[CartSpec, None]):
    """A cart."""


@pytest.fixture
async def client(cluster: Cluster) -> AsyncIterator[kv.Client]:
    """A client of an empty server."""
    async with cluster.client() as client:
        yield client
        for found in await client.list(CONFIGURATIONS):
            await client.delete(found)


@pytest.fixture
async def served() -> AsyncIterator[str]:
    """The URL of somebody who listens."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def registered(client: kv.Client, name: str, target: Target, owner: str = FIELD_OWNER) -> None:
    """Register a webhook of carts, as a manager does."""
    hook = register(Cart, mutating=False, operations=("CREATE",), options=WebhookOptions())
    for each in configurations([hook], name=name, target=target):
        await client.apply(kv.Unstructured.from_dict(each), force=True, field_owner=owner)


async def test_what_nobody_serves_is_taken_back(client: kv.Client, served: str) -> None:
    """Not what this run serves, what another one does, what is elsewhere, or what somebody else wrote."""
    await registered(client, "former", NOBODY)
    await registered(client, "own", NOBODY)
    await registered(client, "another", served)
    await registered(client, "elsewhere", "https://webhooks.example.com:443")
    await registered(client, "service", WebhookService(namespace="default", name="webhooks"))
    await registered(client, "strange", NOBODY, owner="somebody")
    kept = ["own-validating-webhook-configuration"]
    said = [sentence async for sentence in forget(client, configurations=kept, converted=())]
    what = "ValidatingWebhookConfiguration former-validating-webhook-configuration"
    assert said == [f"removed {what}: an earlier run served its webhooks, and nobody does now"]
    left = [each.metadata.name or "" for each in await client.list(CONFIGURATIONS)]
    assert [name.partition("-")[0] for name in left] == ["another", "elsewhere", "own", "service", "strange"]


@pytest.mark.parametrize("is_ours", [True, False])
async def test_a_conversion_that_nobody_serves_is_taken_back(client: kv.Client, is_ours: bool) -> None:
    """Unless this run is about to serve it."""
    (definition,) = crds_of([Cart])
    definition["spec"]["conversion"] = conversion_config(NOBODY)
    await client.apply(kv.Unstructured.from_dict(definition), force=True, field_owner="test")
    name = definition["metadata"]["name"]
    said = [sentence async for sentence in forget(client, configurations=(), converted=[name] if is_ours else [])]
    found = await client.get(DEFINITIONS, name)
    assert found["spec"]["conversion"]["strategy"] == ("Webhook" if is_ours else "None")
    assert len(said) == (0 if is_ours else 1)
