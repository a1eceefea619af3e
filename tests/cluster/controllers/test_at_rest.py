"""Many pods at rest cost nothing: no calls but the node's, however long it lasts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from random import Random

import pytest

from konverge import Client, ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.cluster.control_plane import add_control_plane
from konverge.cluster.controller_run import ControllerRun
from konverge.models import apps_v1, core_v1, policy_v1
from konverge.testing import VirtualCluster, eventually

pytestmark = pytest.mark.virtual_time
PODS = 1000  # in a soak; else a tenth
HOUR = 3600


class Noting:
    """Carries requests, and notes all of them, watches that are opened too."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.requests: list[str] = []

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Note, and pass on."""
        self.requests.append(f"{request.method} {request.path}")
        return await self._transport.call(request)

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Note, and pass on."""
        self.requests.append(f"WATCH {request.path}")
        return self._transport.stream(request)

    async def close(self) -> None:
        """Pass on."""
        await self._transport.close()


async def test_a_thousand_pods_at_rest_cost_no_calls(share: float) -> None:
    """In an hour only the node's lease and status are renewed, and what kinds there are is asked for."""
    cluster = VirtualCluster()
    noting = Noting(cluster.transport())
    run = ControllerRun(noting, add_control_plane, random=Random(1))
    async with cluster.client(namespace=cluster.create_namespace()) as client:
        await run.start()
        await furnish(client, round(PODS * share))
        await asyncio.sleep(120)
        noting.requests.clear()
        await asyncio.sleep(HOUR)
        await run.stop()
    assert [each for each in noting.requests if not is_of_the_node(each)] == []
    assert len(noting.requests) < HOUR / 60 * 2


def is_of_the_node(request: str) -> bool:
    """Whether a call is the node's heartbeat, or a question for the kinds that are served."""
    return "/leases" in request or "/nodes/" in request or request in {"GET /api", "GET /apis"}


async def furnish(client: Client, pods: int) -> None:
    """Make pods, a tenth of them by ten Deployments, and then a Service, a budget and a quota for all."""
    labels = {"app": "web"}
    spec = core_v1.PodSpec(containers=[core_v1.Container(name="main", image="example.com/web:1")])
    for number in range(pods * 9 // 10):
        await client.create(core_v1.Pod(metadata=ObjectMeta(name=f"pod-{number}", labels=labels), spec=spec))
    template = core_v1.PodTemplateSpec(metadata=ObjectMeta(labels=labels), spec=spec)
    selector = LabelSelector(match_labels=labels)
    for number in range(10):
        wanted = apps_v1.DeploymentSpec(replicas=pods // 100, selector=selector, template=template)
        await client.create(apps_v1.Deployment(metadata=ObjectMeta(name=f"web-{number}"), spec=wanted))
    await eventually(lambda: all_run(client, pods), within=600)
    service = core_v1.ServiceSpec(selector=labels, ports=[core_v1.ServicePort(port=80)])
    await client.create(core_v1.Service(metadata=ObjectMeta(name="web"), spec=service))
    budget = policy_v1.PodDisruptionBudgetSpec(selector=selector, min_available=1)
    await client.create(policy_v1.PodDisruptionBudget(metadata=ObjectMeta(name="web"), spec=budget))
    quota = core_v1.ResourceQuotaSpec(hard={"pods": "5000"})
    await client.create(core_v1.ResourceQuota(metadata=ObjectMeta(name="most"), spec=quota))


async def all_run(client: Client, pods: int) -> bool:
    """Whether so many pods are there, and run."""
    found = await client.list(core_v1.Pod)
    return [pod.status.phase for pod in found] == ["Running"] * pods
