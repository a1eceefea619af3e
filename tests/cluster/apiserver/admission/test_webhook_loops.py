"""Webhooks that write, undo each other, or stand in the way of everything: each write ends, the way out is open."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

import konverge as kv
from konverge.cluster.embedded import EmbeddedCluster
from konverge.errors import AlreadyExists, Conflict, InternalError

pytestmark = pytest.mark.virtual_time
HOOKS = "https://hooks.shop.svc"
ConfigMap = kv.unstructured("v1", "ConfigMap")
Act = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]


class Shop:
    """A cluster whose webhooks do what a test says, and count how often they are asked."""

    def __init__(self, cluster: EmbeddedCluster, client: kv.Client) -> None:
        self.client = client
        self.asked: list[str] = []
        self.act: Act = _nothing
        cluster.webhooks.register(HOOKS, self._answer)

    async def _answer(self, path: str, body: bytes) -> bytes:
        review = json.loads(body)
        self.asked.append(path[1:])
        more = await self.act(review["request"]) or {}
        return json.dumps({**review, "response": {"uid": review["request"]["uid"], "allowed": True, **more}}).encode()

    async def hook(self, phase: str, *names: str, resources: str = "configmaps", each: int = 1, **more: Any) -> None:
        """Configure a webhook of each name, so many in one configuration."""
        rules = [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": [resources]}]
        entries = [
            {
                "name": f"{name}.hooks.dev",
                "clientConfig": {"service": {"namespace": "shop", "name": "hooks", "path": f"/{name}"}},
                "rules": rules,
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                **more,
            }
            for name in names
        ]
        for start in range(0, len(names), each):
            made = _configuration(phase, names[start], webhooks=entries[start : start + each])
            await self.client.create(made)

    async def create(self, name: str) -> Any:
        """Create a ConfigMap."""
        return await self.client.create(_config_map(name))


def _configuration(phase: str, name: str, **more: Any) -> kv.Unstructured:
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{phase}WebhookConfiguration"}
    return kv.Unstructured.from_dict({**kind, "metadata": {"name": name}, **more})


def _config_map(name: str, **data: str) -> kv.Unstructured:
    metadata = {"name": name, "namespace": "default"}
    return kv.Unstructured.from_dict({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})


async def _nothing(_: dict[str, Any]) -> dict[str, Any] | None:
    return None


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    """A cluster whose webhooks are functions of the test."""
    async with EmbeddedCluster() as cluster, kv.Client(cluster.transport()) as client:
        yield Shop(cluster, client)


@pytest.mark.parametrize("phase", ["Validating", "Mutating"])
async def test_a_webhook_that_makes_what_it_is_asked_about_ends(shop: Shop, phase: str) -> None:
    """Each write asks it about the next one: no time passes under virtual time, so their depth is what ends it."""

    async def another(_: dict[str, Any]) -> None:
        await shop.create(f"n-{len(shop.asked)}")

    shop.act = another
    await shop.hook(phase, "loop")
    with pytest.raises(InternalError, match="the handler of this process failed"):
        await shop.create("first")
    assert len(shop.asked) == 20


async def test_a_loop_that_may_fail_lets_the_innermost_write_pass(shop: Shop) -> None:
    """With failurePolicy Ignore all writes up to the deepest are made, and no more."""

    async def another(_: dict[str, Any]) -> None:
        await shop.create(f"n-{len(shop.asked)}")

    shop.act = another
    await shop.hook("Validating", "loop", failurePolicy="Ignore")
    await shop.create("first")
    assert len(await shop.client.list(ConfigMap, namespace="default")) == 21


async def test_a_validating_webhook_makes_the_object_first(shop: Shop) -> None:
    """The write that it was asked about finds the name taken."""

    async def same(request: dict[str, Any]) -> None:
        if len(shop.asked) == 1:
            await shop.create(request["name"])

    shop.act = same
    await shop.hook("Validating", "first")
    with pytest.raises(AlreadyExists):
        await shop.create("a")
    assert shop.asked == ["first", "first"]


async def test_a_webhook_changes_the_object_that_is_being_replaced(shop: Shop) -> None:
    """The write that it was asked about is based on what is no longer there."""
    made = await shop.create("a")

    async def same(_: dict[str, Any]) -> None:
        if len(shop.asked) == 1:
            await shop.client.update(made)

    shop.act = same
    await shop.hook("Validating", "first")
    stale = _config_map("a", by="outer")
    stale.metadata.resource_version = made.metadata.resource_version
    made.metadata.labels = {"by": "hook"}
    with pytest.raises(Conflict):
        await shop.client.update(stale)


async def test_mutators_that_undo_each_other_are_asked_twice_at_most(shop: Shop) -> None:
    """Each changes what the other made, and wants to be asked again: there is one second round."""

    async def flip(request: dict[str, Any]) -> dict[str, Any]:
        value = {"op": "add", "path": "/data", "value": {"turn": str(len(shop.asked)), "of": request["uid"]}}
        encoded = base64.b64encode(json.dumps([value]).encode()).decode()
        return {"patch": encoded, "patchType": "JSONPatch"}

    shop.act = flip
    await shop.hook("Mutating", "one", "two", reinvocationPolicy="IfNeeded")
    made = await shop.create("a")
    assert shop.asked == ["one", "two", "one", "two"]
    assert made["data"]["turn"] == "4"


async def test_hundreds_of_webhooks_are_all_asked(shop: Shop) -> None:
    """Validators at once and mutators one after the other, in the order of their configurations' names."""
    names = [f"n-{number:03d}" for number in range(200)]
    await shop.hook("Validating", *names, each=20)
    await shop.create("a")
    assert sorted(shop.asked) == names
    for name in names[::20]:
        await shop.client.delete(_configuration("Validating", name))
    await shop.hook("Mutating", *names, each=20)
    shop.asked.clear()
    await shop.create("b")
    assert shop.asked == names


async def test_what_refuses_everything_can_be_taken_away(shop: Shop) -> None:
    """Nobody is asked about the configurations themselves, so the way out is always open."""

    async def refuse(_: dict[str, Any]) -> dict[str, Any]:
        return {"allowed": False}

    shop.act = refuse
    await shop.hook("Validating", "wall", resources="*/*")
    with pytest.raises(kv.errors.ApiError, match="denied the request"):
        await shop.create("a")
    await shop.client.delete(_configuration("Validating", "wall"))
    await shop.create("a")


async def test_a_handler_that_breaks_is_a_webhook_that_does_not_answer(shop: Shop) -> None:
    """Its failurePolicy decides; the server's own answer is not what the handler's error says."""

    async def breaks(_: dict[str, Any]) -> None:
        raise RuntimeError("the contents of a secret")

    shop.act = breaks
    await shop.hook("Validating", "broken")
    with pytest.raises(InternalError) as caught:
        await shop.create("a")
    assert "RuntimeError" in str(caught.value)
    assert "contents" not in str(caught.value)


async def test_many_slow_webhooks_take_as_long_as_the_slowest(shop: Shop) -> None:
    """A hundred validators that never answer are given up together."""

    async def never(_: dict[str, Any]) -> None:
        await asyncio.sleep(1e6)

    shop.act = never
    await shop.hook("Validating", *(f"n-{number}" for number in range(100)), each=50, timeoutSeconds=7)
    loop = asyncio.get_running_loop()
    before = loop.time()
    with pytest.raises(InternalError, match="context deadline exceeded"):
        await shop.create("a")
    assert loop.time() - before == pytest.approx(7, abs=0.1)
