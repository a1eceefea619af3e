"""The whole manager: in process under virtual time, and against a real API server."""

from __future__ import annotations

import asyncio
import logging
import threading
import urllib.request
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from konverge import Config
from konverge.api.form import form_of
from konverge.api.kind import Resource
from konverge.api.object import Object
from konverge.builder import new_controller
from konverge.controller.reconcile import Context, Request, Result
from konverge.errors import RequestError
from konverge.manager import (
    CacheOptions,
    CacheSyncTimeout,
    Function,
    LeaderElection,
    LeadershipLost,
    Manager,
    NotLeader,
)
from konverge.manager.sync_watch import explain
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, virtual_time

if TYPE_CHECKING:
    from tests.manager.conftest import Leases

PATIENCE = 60.0
ELECTION = LeaderElection(id="operator", namespace="default")


def in_process(line: Any, **options: Any) -> Manager:
    """A manager on a transport."""
    return Manager(transport=line, leader_election=ELECTION, random=Random(7), **options)


def test_one_of_two_managers_leads_and_the_other_one_follows(leases: type[Leases]) -> None:
    """Under virtual time: the first leads, is stopped in order, and the second takes over at its next try."""
    server = leases.Server()
    transcript: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def job(name: str) -> Function:
            async def work() -> None:
                transcript.append(f"{loop.time():.0f} s: {name} leads")
                await loop.create_future()

            return Function(work, name=name)

        first, second = (in_process(leases.Line(server)) for _ in range(2))
        second.random.seed(8)
        second._identity = "second"
        first.add(job("first"))
        second.add(job("second"))
        one = asyncio.create_task(first.start())
        await first.elected.wait()
        two = asyncio.create_task(second.start())
        await asyncio.sleep(60)
        assert not second.elected.is_set()
        first.stop()
        await one
        await second.elected.wait()
        assert loop.time() < 60 + 2 * 2.2
        await asyncio.sleep(1)
        second.stop()
        await two
        assert server.lease["holderIdentity"] == ""

    virtual_time.run(main())
    assert [line.split(": ")[1] for line in transcript] == ["first leads", "second leads"]


def test_a_manager_that_loses_its_lease_writes_no_more(leases: type[Leases]) -> None:
    """Its lines are cut; at the renew deadline it ends with an error, and nothing gets past its fence."""
    server = leases.Server()
    cut = False
    refusals: list[str] = []

    async def main() -> None:
        nonlocal cut
        manager = in_process(leases.Line(server, lambda: leases.Fault(reached=not cut)))
        config_map = ConfigMap(data={})
        config_map.metadata.name, config_map.metadata.namespace = "x", "default"

        async def work() -> None:
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                try:
                    await manager.client.create(config_map)
                except NotLeader as error:
                    refusals.append(str(error))

        manager.add(Function(work))
        running = asyncio.create_task(manager.start())
        await manager.elected.wait()
        await asyncio.sleep(5)
        cut = True
        with pytest.raises(LeadershipLost, match="was not renewed"):
            await running
        assert asyncio.get_running_loop().time() == pytest.approx(4 + 10, abs=0.5)

    virtual_time.run(main())
    assert len(refusals) == 1
    assert "create configmaps" in refusals[0]


def test_a_manager_starts_once(leases: type[Leases]) -> None:
    """A second start is refused, and so are a config and a transport together."""

    async def main() -> None:
        manager = Manager(transport=leases.Line(leases.Server()), random=Random(7))
        running = asyncio.create_task(manager.start())
        await manager.elected.wait()
        with pytest.raises(RequestError, match="make a new one"):
            await manager.start()
        manager.stop()
        await running

    virtual_time.run(main())
    with pytest.raises(RequestError, match="not both"):
        Manager(Config(server="http://127.0.0.1:1"), transport=leases.Line(leases.Server()))


def test_names_of_what_was_added_are_known(leases: type[Leases]) -> None:
    """So that a builder can refuse a name that is used twice."""
    manager = Manager(transport=leases.Line(leases.Server()))
    manager.add(Function(lambda: asyncio.sleep(0), name="job"))
    assert manager.names == ("job",)


# --- on a real server ---


async def running(manager: Manager) -> asyncio.Task[None]:
    """Start a manager and wait until it leads."""
    task = asyncio.create_task(manager.start())
    elected = asyncio.create_task(manager.elected.wait())
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait((task, elected), return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        elected.cancel()
        await task
    return task


def fetch(port: int, path: str) -> str:
    """Return a page of an endpoint; blocks."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
        return str(answer.read().decode())


async def test_a_controller_runs_and_is_measured(cluster: Cluster, namespace: str) -> None:
    """From a ConfigMap to its reconcile, with what the endpoints say about it."""
    manager = Manager(
        cluster.config(),
        metrics_address="127.0.0.1:0",
        health_address="127.0.0.1:0",
        leader_election=LeaderElection(id="measured", namespace=namespace),
        cache=CacheOptions(namespaces=(namespace,)),
    )
    seen = asyncio.Event()

    async def reconcile(ctx: Context, request: Request) -> Result | None:
        found = await ctx.client.get(ConfigMap, request)
        assert found.metadata.name == "x"
        seen.set()
        return None

    new_controller(manager).for_(ConfigMap).complete(reconcile)
    task = await running(manager)
    cluster.call("POST", f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "x"}})
    async with asyncio.timeout(PATIENCE):
        await seen.wait()
    assert await asyncio.to_thread(fetch, manager.ports["health"], "/healthz") == "ok"
    assert await asyncio.to_thread(fetch, manager.ports["health"], "/readyz") == "ok"
    text = await asyncio.to_thread(fetch, manager.ports["metrics"], "/metrics")
    assert 'leader_election_master_status{name="measured"} 1.0' in text
    assert 'konverge_cache_objects{form="object",group="",resource="configmaps",version="v1"} 1.0' in text
    assert 'workqueue_adds_total{controller="configmap",name="configmap"} 1.0' in text
    host = cluster.config().server.removeprefix("https://")
    assert f'rest_client_requests_total{{code="200",host="{host}",method="GET"}}' in text
    dump = await asyncio.to_thread(manager.dump)
    assert "configmap worker 0" in dump
    assert "1 informers" in dump
    assert "configmap: QueueState(" in dump
    manager.stop()
    await task
    lease = cluster.call("GET", f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/measured")
    assert not lease["spec"].get("holderIdentity")
    assert lease["spec"]["leaseDurationSeconds"] == 1


class OnWarning(logging.Handler):
    """Sets an event when a text is logged about an object; keeps the record."""

    def __init__(self, text: str, reconciling: str) -> None:
        super().__init__(logging.WARNING)
        self._text = text
        self._reconciling = reconciling
        self.seen = threading.Event()
        self.record: Any = None

    def emit(self, record: logging.LogRecord) -> None:
        """Look at a record."""
        fields = getattr(record, "fields", {})
        if self._text in record.getMessage() and fields.get("reconciling") == self._reconciling:
            self.record = record
            self.seen.set()


async def test_a_reconcile_that_blocks_is_named_by_its_object(cluster: Cluster, namespace: str) -> None:
    """The blocking call ends when the watchdog has named the controller, the object and the line."""
    manager = Manager(
        cluster.config(),
        metrics_address=None,
        cache=CacheOptions(namespaces=(namespace,)),
        blocked_after=0.2,
    )
    watch = OnWarning("a call blocks the event loop", f"configmap {namespace}/x")
    logging.getLogger("konverge.watchdog").addHandler(watch)
    done = asyncio.Event()

    async def reconcile(ctx: Context, request: Request) -> Result | None:
        del ctx, request
        assert watch.seen.wait(PATIENCE)  # blocks the loop
        done.set()
        return None

    new_controller(manager).for_(ConfigMap).complete(reconcile)
    cluster.call("POST", f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "x"}})
    task = await running(manager)
    async with asyncio.timeout(2 * PATIENCE):
        await done.wait()
    logging.getLogger("konverge.watchdog").removeHandler(watch)
    manager.stop()
    await task
    assert "watch.seen.wait(PATIENCE)" in watch.record.fields["stacktrace"]
    assert (manager.metrics.registry.get_sample_value("konverge_loop_blocked_total") or 0) >= 1


async def test_two_managers_in_one_process_hand_over(cluster: Cluster, namespace: str) -> None:
    """Each renews on a thread of its own; when the first one stops, the second one leads within two tries."""
    config = cluster.config()
    election = LeaderElection(id="pair", namespace=namespace)
    first, second = (Manager(config, metrics_address=None, leader_election=election) for _ in range(2))
    one = await running(first)
    two = asyncio.create_task(second.start())
    first.stop()
    await one
    async with asyncio.timeout(PATIENCE):
        await second.elected.wait()
    second.stop()
    await two


async def test_a_missing_kind_is_explained_while_the_rest_runs(
    cluster: Cluster, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The start does not wait for a CRD that is not there; its absence is told with the remedy."""
    caplog.set_level(logging.WARNING, logger="konverge")
    manager = Manager(cluster.config(), metrics_address=None, cache=CacheOptions(namespaces=(namespace,)))
    present = await manager.cache.informer(ConfigMap)
    missing = await manager.cache.informer(_missing_kind())
    task = await running(manager)
    assert present.synced
    assert not missing.synced
    assert missing.problems[0].needs_a_person
    assert "install its CustomResourceDefinition" in explain(missing)
    assert explain(missing).endswith("kubectl get crd gadgets.nowhere.konverge.dev")
    manager.stop()
    await task


async def test_a_missing_rule_is_told_with_the_rule(cluster: Cluster, namespace: str) -> None:
    """A user who may not list is told which rule to add; with a timeout, that ends the manager."""
    manager = Manager(
        cluster.config(user="nobody"),
        metrics_address=None,
        cache=CacheOptions(namespaces=(namespace,), sync_timeout=0.5),
    )
    await manager.cache.informer(ConfigMap)
    rule = (
        r"not synced within 0\.5 s: .*needs the rule "
        r'\{apiGroups: \[""\], resources: \["configmaps"\], verbs: \["get", "list", "watch"\]\}'
    )
    with pytest.raises(CacheSyncTimeout, match=rule):
        async with asyncio.timeout(PATIENCE):
            await manager.start()


def _missing_kind() -> Any:
    class Gadget(Object):
        __resource__ = Resource(
            group="nowhere.konverge.dev", version="v1", kind="Gadget", plural="gadgets", namespaced=True
        )

    return form_of(Gadget)
