"""Pods on their way out, and what their subresources do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

PODS = "/api/v1/namespaces/default/pods"


class Client:
    """Asks a server, and reads its answers."""

    def __init__(self, server: ApiServer) -> None:
        self._server = server

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the code and the decoded body."""
        path, _, text = path.partition("?")
        query = tuple((name, value) for name, _, value in (part.partition("=") for part in text.split("&") if part))
        sent = b"" if body is None else msgspec.json.encode(body)
        headers = {"content-type": "application/json"}
        request = Request(method=method, path=path, query=query, headers=headers, body=sent, peer=Peer(is_trusted=True))
        answer = await self._server.handle(request)
        assert isinstance(answer, Response)
        return answer.status, msgspec.json.decode(answer.body)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """Return a client of a fresh server that has the account of its pods."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    made = Client(server)
    await made.ask("POST", "/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "default"}})
    yield made
    await server.close()


def pod(name: str, **spec: Any) -> dict[str, Any]:
    """Return a pod of one container."""
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}], **spec}}


async def test_a_pod_that_is_not_scheduled_is_deleted_at_once(client: Client) -> None:
    """It is marked and removed; the answer is the pod as it ended."""
    await client.ask("POST", PODS, pod("p"))
    code, ended = await client.ask("DELETE", f"{PODS}/p")
    assert (code, ended["kind"], ended["metadata"]["deletionGracePeriodSeconds"]) == (200, "Pod", 0)
    assert ended["metadata"]["generation"] == 2
    assert (await client.ask("GET", f"{PODS}/p"))[0] == 404


async def test_a_pod_on_a_node_is_given_time(client: Client) -> None:
    """Its time may only be shortened; with none left it goes."""
    await client.ask("POST", PODS, pod("p", nodeName="n", terminationGracePeriodSeconds=30))
    _, marked = await client.ask("DELETE", f"{PODS}/p")
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 30
    _, again = await client.ask("DELETE", f"{PODS}/p?gracePeriodSeconds=60")
    assert again["metadata"]["resourceVersion"] == marked["metadata"]["resourceVersion"]
    _, shorter = await client.ask("DELETE", f"{PODS}/p?gracePeriodSeconds=5")
    assert shorter["metadata"]["deletionGracePeriodSeconds"] == 5
    assert shorter["metadata"]["deletionTimestamp"] < marked["metadata"]["deletionTimestamp"]
    assert (await client.ask("DELETE", f"{PODS}/p?gracePeriodSeconds=0"))[0] == 200
    assert (await client.ask("GET", f"{PODS}/p"))[0] == 404


async def test_a_pod_is_bound_once(client: Client) -> None:
    """A second binding is a conflict."""
    await client.ask("POST", PODS, pod("p"))
    binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    code, status = await client.ask("POST", f"{PODS}/p/binding", binding)
    assert (code, status["status"]) == (201, "Success")
    _, bound = await client.ask("GET", f"{PODS}/p")
    assert bound["spec"]["nodeName"] == "n"
    assert bound["status"]["conditions"][0]["type"] == "PodScheduled"
    code, status = await client.ask("POST", f"{PODS}/p/binding", binding)
    assert (code, status["message"]) == (
        409,
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    )


async def test_a_binding_names_its_node(client: Client) -> None:
    """The old collection of bindings does the same."""
    await client.ask("POST", PODS, pod("p"))
    assert (await client.ask("POST", f"{PODS}/p/binding", {"metadata": {"name": "p"}}))[1]["message"] == (
        "target.name: Required value"
    )
    binding = {"metadata": {"name": "p"}, "target": {"name": "n"}}
    assert (await client.ask("POST", "/api/v1/namespaces/default/bindings", binding))[0] == 201
    assert (await client.ask("GET", f"{PODS}/p"))[1]["spec"]["nodeName"] == "n"


async def test_an_evicted_pod_says_why_and_ends(client: Client) -> None:
    """It carries a condition while it ends."""
    await client.ask("POST", PODS, pod("p", nodeName="n"))
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    assert (await client.ask("POST", f"{PODS}/p/eviction", eviction))[0] == 201
    _, evicted = await client.ask("GET", f"{PODS}/p")
    assert evicted["metadata"]["deletionTimestamp"]
    assert evicted["status"]["conditions"][0]["reason"] == "EvictionByEvictionAPI"
    eviction["metadata"] = {"name": "other"}
    assert (await client.ask("POST", f"{PODS}/p/eviction", eviction))[1]["message"] == (
        "name in URL does not match name in Eviction object"
    )


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}, "Burstable"),
    ],
)
async def test_a_new_pod_is_pending_and_has_a_quality(client: Client, resources: Any, expected: str) -> None:
    """Whatever status its author gave is dropped."""
    body = pod("p")
    body["spec"]["containers"][0]["resources"] = resources
    _, made = await client.ask("POST", PODS, {**body, "status": {"phase": "Running"}})
    assert made["status"]["phase"] == "Pending"
    assert made["status"]["qosClass"] == expected
