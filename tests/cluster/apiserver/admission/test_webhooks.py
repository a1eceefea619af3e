"""Webhooks of an embedded cluster, answered in process: time, writes that come between, and versions."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

import konverge as kv
from konverge.cluster.embedded import EmbeddedCluster
from konverge.errors import ApiError, InternalError

pytestmark = pytest.mark.virtual_time
HOOKS = "https://hooks.shop.svc"
Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
ConfigMap = kv.unstructured("v1", "ConfigMap")
Validating = kv.unstructured("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")


class Shop:
    """A cluster, a client of it, and what its webhooks answer."""

    def __init__(self, cluster: EmbeddedCluster, client: kv.Client) -> None:
        self.cluster = cluster
        self.client = client
        self.answers: dict[str, Answer] = {}
        self.asked: list[dict[str, Any]] = []
        cluster.webhooks.register(HOOKS, self._answer)

    async def _answer(self, path: str, body: bytes) -> bytes:
        review = json.loads(body)
        self.asked.append(review["request"])
        response = {"uid": review["request"]["uid"], **await self.answers[path](review["request"])}
        return json.dumps({**review, "response": response}).encode()

    async def hook(self, phase: str, path: str, answer: Answer, **more: Any) -> None:
        """Configure a webhook of ConfigMaps."""
        self.answers[path] = answer
        service = {"namespace": "shop", "name": "hooks", "path": path}
        entry = {
            "name": f"{path[1:]}.hooks.dev",
            "clientConfig": {"service": service},
            "rules": [{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **more,
        }
        body = {"metadata": {"name": path[1:]}, "webhooks": [entry]}
        kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{phase}WebhookConfiguration"}
        await self.client.create(kv.Unstructured.from_dict({**kind, **body}))

    async def create(self, name: str, **data: str) -> Any:
        """Create a ConfigMap."""
        value = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}
        return await self.client.create(kv.Unstructured.from_dict({**value, "data": data}))

    async def get(self, name: str) -> Any:
        """Read a ConfigMap."""
        return await self.client.get(ConfigMap, name, namespace="default")


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    """A cluster whose webhooks are functions of the test."""
    async with EmbeddedCluster() as cluster, kv.Client(cluster.transport()) as client:
        yield Shop(cluster, client)


async def allow(_: dict[str, Any]) -> dict[str, Any]:
    """Say yes."""
    return {"allowed": True}


def patching(*operations: dict[str, Any]) -> Answer:
    """Return what changes the object."""

    async def answer(_: dict[str, Any]) -> dict[str, Any]:
        encoded = base64.b64encode(json.dumps(operations).encode()).decode()
        return {"allowed": True, "patchType": "JSONPatch", "patch": encoded}

    return answer


async def test_a_webhook_that_takes_too_long_is_not_waited_for(shop: Shop) -> None:
    """Its time is up after its own seconds, and its policy decides."""

    async def sleep(_: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(3600)
        return {"allowed": True}

    await shop.hook("Validating", "/sleep", sleep, timeoutSeconds=7)
    begun = asyncio.get_running_loop().time()
    with pytest.raises(InternalError, match=r"timeout=7s.*context deadline exceeded"):
        await shop.create("a")
    assert asyncio.get_running_loop().time() - begun == pytest.approx(7)


async def test_a_request_has_its_own_limit_whatever_its_webhooks_have(shop: Shop) -> None:
    """Five slow mutators in a row are more than a request may take."""

    async def slow(_: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(9)
        return {"allowed": True}

    for name in "abcde":
        await shop.hook("Mutating", f"/{name}", slow, failurePolicy="Ignore")
    with pytest.raises(ApiError, match="request did not complete within requested timeout") as caught:
        await shop.create("a")
    assert caught.value.code == 504


async def test_validators_are_asked_at_the_same_time(shop: Shop) -> None:
    """Five that take a second each take one second."""

    async def slow(_: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(1)
        return {"allowed": True}

    for name in "abcde":
        await shop.hook("Validating", f"/{name}", slow)
    begun = asyncio.get_running_loop().time()
    await shop.create("a")
    assert asyncio.get_running_loop().time() - begun == pytest.approx(1)


async def test_a_write_that_comes_between_is_not_lost(shop: Shop) -> None:
    """A patch whose webhook is slow is done again on what was written meanwhile."""
    await shop.create("a", first="1")
    is_asked = asyncio.Event()

    async def slow(request: dict[str, Any]) -> dict[str, Any]:
        if "slow" in request["object"]["data"]:
            is_asked.set()
            await asyncio.sleep(2)
        return {"allowed": True}

    await shop.hook("Mutating", "/slow", slow)
    slow_one, quick_one = await shop.get("a"), await shop.get("a")
    slow_one["data"] = {"first": "1", "slow": "1"}
    late = asyncio.create_task(shop.client.patch(slow_one))
    await is_asked.wait()
    quick_one["data"] = {"first": "1", "quick": "1"}
    await shop.client.patch(quick_one)
    found = await late
    assert found.to_dict()["data"] == {"first": "1", "slow": "1", "quick": "1"}


async def test_what_a_webhook_adds_is_defaulted_and_owned_by_nobody(shop: Shop) -> None:
    """The patched object is stored; the record of owners is the client's own."""
    await shop.hook("Mutating", "/data", patching({"op": "add", "path": "/data/b", "value": "2"}))
    made = (await shop.create("a", a="1")).to_dict()
    assert made["data"] == {"a": "1", "b": "2"}
    assert made["metadata"]["managedFields"][0]["fieldsV1"] == {"f:data": {".": {}, "f:a": {}}}


async def test_a_service_that_nobody_knows_is_an_error_that_names_it(shop: Shop) -> None:
    """The write is refused, and says where the webhook should have been."""
    shop.cluster.webhooks.unregister(HOOKS)
    await shop.hook("Validating", "/allow", allow)
    with pytest.raises(InternalError, match=r'https://hooks\.shop\.svc:443/allow\?timeout=10s": service "hooks" not'):
        await shop.create("a")


async def test_a_configuration_that_is_gone_is_no_longer_asked(shop: Shop) -> None:
    """What was compiled of it goes with it."""
    await shop.hook("Validating", "/allow", allow)
    await shop.create("a")
    assert len(shop.asked) == 1
    await shop.client.delete(Validating, "allow")
    await shop.create("b")
    assert len(shop.asked) == 1
