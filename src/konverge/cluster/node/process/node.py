"""ProcessNode: a konverge controller that runs the pods which are bound to its node as processes of this machine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import konverge as kv
from konverge import clock, log
from konverge.cluster.node.addresses import Addresses
from konverge.cluster.node.process.address_block import RANGE, AddressBlock
from konverge.cluster.node.process.catalogue import Catalogue
from konverge.cluster.node.process.claim_folder import claim_folder, claims_of
from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.downward import Whereabouts
from konverge.cluster.node.process.host import Host
from konverge.cluster.node.process.pod_report import Report, write_report
from konverge.cluster.node.process.pod_run import PodRun, started
from konverge.cluster.node.process.pod_sources import CONFIG_MAP, SECRET, PodSources, references
from konverge.cluster.node.process.problem import Listener, disk_sentence
from konverge.cluster.node.process.runtime import ProcessRuntime
from konverge.cluster.node.process.state_file import end_leftovers
from konverge.cluster.node.registration import NodeFacts, Registration
from konverge.controller import Channel, ChannelSource
from konverge.errors import ConfigError, Conflict, NotFound
from konverge.manager import Manager
from konverge.models import core_v1

_LOG = log.get("node")

NODE_NAME: Final = "konverge"
NODE_IP: Final = "127.0.0.1"
_NAME: Final = "process-node"
_PODS, _CLAIMS = "pods", "claims"  # folders
_BY_NODE: Final = "spec.nodeName"
_TERMINAL: Final = ("Succeeded", "Failed")
_WORKERS: Final = 16
_END_WITHIN: Final = 10.0  # seconds for all pods when the node itself stops
_LOOK_AT_CATALOGUE: Final = 1.0  # seconds
_FACTS: Final = NodeFacts(
    address=NODE_IP,
    pod_range=RANGE,
    runtime="process",
    image="konverge's node of processes",
    capacity={
        "cpu": str(os.cpu_count() or 1),
        "memory": str(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")),
        "ephemeral-storage": "1Ti",
        "pods": "10k",
    },
)


class ProcessNode:
    """A node of processes; make one, `add_to` a manager, and give its `runtime` to the API server's edge.

    `folder` is its own, to keep; `server` tells the API server's URL for the pods' kubeconfigs, when it is known.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        folder: Path | str,
        server: Callable[[], str] = lambda: "",
        name: str = NODE_NAME,
        disk: Disk | None = None,
    ) -> None:
        self.name = _NAME
        self.folder = Path(folder).absolute()
        self._node = name
        self._host = Host(catalogue, folder=self.folder, disk=disk or Disk(), server=server, environ=os.environ)
        self._block: AddressBlock | None = None
        self._addresses: Addresses | None = None  # None: pods share the machine's own
        self._knows_pods = False
        self._learning = asyncio.Lock()
        self._runs: dict[str, PodRun] = {}  # by uid
        self._uids: dict[kv.Request, str] = {}
        self._channel = Channel()
        self._is_up = asyncio.Event()
        self._stop = asyncio.Event()
        self._recorder: kv.Recorder | None = None
        self.runtime = ProcessRuntime(self._runs)

    def add_to(self, manager: Manager) -> None:
        """Register the node."""
        manager.add(Registration(manager.live, self._node, facts=_FACTS))
        manager.add(self)
        manager.cache.declare_index(core_v1.Pod, _BY_NODE)
        self._recorder = manager.recorder("kubelet")
        self._host.wake = lambda ref: self._channel.push(kv.Request(namespace=ref.namespace, name=ref.name))
        kv.new_controller(manager).named(_NAME).for_(core_v1.Pod).watches(
            core_v1.ConfigMap, lambda each: self._users(CONFIG_MAP, each.metadata)
        ).watches(core_v1.Secret, lambda each: self._users(SECRET, each.metadata)).watches_source(
            ChannelSource(self._channel)
        ).with_options(max_concurrent_reconciles=_WORKERS).complete(self)

    def watch_problems(self, listener: Listener) -> None:
        """Call a listener with each new problem, as a sentence."""
        self._host.problems.listen(listener)

    # --- its life ---

    async def run(self) -> None:
        """End what an earlier run left, then run pods until told to stop; then end them all."""
        try:
            await asyncio.to_thread(self._host.disk.make_folder, self.folder / _PODS, 0o700)
        except OSError as error:
            raise ConfigError(
                f"the node cannot keep its pods in {self._host.folder}: {disk_sentence(error)}"
            ) from error
        left = await asyncio.to_thread(end_leftovers, self._host.folder, self._host.node_mark)
        if left:
            _LOG.info("ended what an earlier run left", processes=len(left))
        await self._claim_addresses()
        await self._host.reaper.start(self._host.mark)
        try:
            async with asyncio.TaskGroup() as group:
                self._host.use(group)
                watch = group.create_task(self._watch_catalogue(), name="catalogue")
                self._is_up.set()
                try:
                    await self._stop.wait()
                finally:
                    watch.cancel()
                    await self._end_all()
                    self._host.use(None)
        finally:
            await self._host.reaper.close()
            if self._block is not None:
                self._block.close()

    async def _claim_addresses(self) -> None:
        self._block = await AddressBlock.claim(self.folder)
        if self._block is not None:
            self._addresses = Addresses(str(self._block.network))
            return
        self._host.problems.tell(
            "the node",
            f"this machine has no addresses of {RANGE}, so all pods share {NODE_IP} and two servers cannot have the "
            "same port; on macOS add some with: sudo ifconfig lo0 alias 127.64.0.1 (and so on)",
        )

    async def stop(self) -> None:
        """Let it end."""
        self._stop.set()

    async def _end_all(self) -> None:
        await self._host.stop_starting()
        await asyncio.gather(*(run.end(_END_WITHIN) for run in self._runs.values()))

    async def _watch_catalogue(self) -> None:
        """Read the catalogue again when its file changes, and look again at the pods that wait for an image."""
        while True:
            await asyncio.sleep(_LOOK_AT_CATALOGUE)
            try:
                changed = await asyncio.to_thread(self._host.catalogue.refresh)
            except ConfigError as error:
                self._host.problems.tell("the image catalogue", f"{error}; what was read before stays in use")
                continue
            if changed:
                self._host.problems.forget("the image catalogue")
                self._look_again(tuple(self._runs.values()))

    def _look_again(self, runs: tuple[PodRun, ...]) -> None:
        for run in runs:
            run.sources_changed()
            run.changed()

    def _users(self, kind: str, meta: kv.ObjectMeta) -> list[kv.Request]:
        """Return the pods that are made from an object."""
        runs = [
            run
            for run in self._runs.values()
            if run.ref.namespace == meta.namespace and (kind, meta.name or "") in references(run.pod)
        ]
        for run in runs:
            run.sources_changed()
        return [kv.Request(namespace=run.ref.namespace, name=run.ref.name) for run in runs]

    # --- a pod ---

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Bring a pod's processes to what it says, and its status to what they do."""
        await self._is_up.wait()
        if self._stop.is_set():
            return None
        try:
            pod = await ctx.client.get(core_v1.Pod, request)
        except NotFound:
            await self._forget(self._uids.get(request))
            self._uids.pop(request, None)
            return None
        if pod.spec.node_name != self._node:
            return None
        await self._learn_pods(ctx)
        run = await self._run_of(pod, request)
        if pod.metadata.deletion_timestamp:
            return await self._end(ctx, pod, run)
        if pod.status.phase in _TERMINAL:
            if run.is_running:  # someone else said that it has failed
                run.stop(run.grace)
            return None
        return await self._bring_on(ctx, pod, run)

    async def _run_of(self, pod: core_v1.Pod, request: kv.Request) -> PodRun:
        uid = pod.metadata.uid or ""
        if self._uids.get(request) not in (None, uid):
            await self._forget(self._uids.get(request))  # another pod of this name, which is gone
        self._uids[request] = uid
        if uid not in self._runs:
            if self._recorder is None:
                raise ConfigError("a node of processes runs in a manager: call add_to first")
            self._runs[uid] = PodRun(pod, self._host, self._recorder)
        self._runs[uid].update(pod)
        return self._runs[uid]

    async def _forget(self, uid: str | None) -> None:
        """End what is left of a pod that is gone, and remove its things."""
        run = self._runs.get(uid or "")
        if run is None:
            return
        await run.end(0.0)
        try:
            await asyncio.to_thread(self._host.disk.remove, run.folder.path)
        except OSError as error:
            self._host.problems.tell(f"pod {run.ref}", f"its folder cannot be removed: {disk_sentence(error)}")
        self._host.problems.forget(f"pod {run.ref}")
        if self._addresses is not None:
            self._addresses.release(run.ref.uid)
        self._runs.pop(run.ref.uid, None)

    async def _learn_pods(self, ctx: kv.Context) -> None:
        """Know of the pods of this node before the first is looked at: their addresses and folders stay theirs."""
        async with self._learning:
            if self._knows_pods:
                return
            pods = await ctx.client.list(core_v1.Pod, fields={_BY_NODE: self._node})
            if self._addresses is not None and self._block is not None:
                taken = [(pod.metadata.uid or "", pod.status.pod_ip) for pod in pods if pod.status.pod_ip]
                network = self._block.network
                self._addresses.note((uid, address) for uid, address in taken if ip_address(address) in network)
            claims = await ctx.client.list(core_v1.PersistentVolumeClaim)
            await asyncio.to_thread(self._remove_folders, _PODS, {pod.metadata.uid or "" for pod in pods})
            await asyncio.to_thread(self._remove_folders, _CLAIMS, {claim.metadata.uid or "" for claim in claims})
            self._knows_pods = True

    def _remove_folders(self, kind: str, known: set[str]) -> None:
        """Remove what is left of pods or claims that went while this node was away."""
        for folder in sorted((self.folder / kind).glob("*")):
            if folder.name not in known:
                with suppress(OSError):
                    self._host.disk.remove(folder)

    async def _bring_on(self, ctx: kv.Context, pod: core_v1.Pod, run: PodRun) -> kv.Result | None:
        where = self._where(pod)
        left = _deadline_left(pod)
        if left is not None and left <= 0 and run.failed is None:
            run.failed = ("DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
            run.stop(run.grace)
        wakes_in = await run.sync(ctx.client, await self._sources(ctx, pod), where)
        await self._report(ctx, pod, run, is_ending=False)
        moments = [each for each in (wakes_in, left) if each is not None and each > 0]
        return kv.Result(requeue_after=min(moments)) if moments else None

    def _where(self, pod: core_v1.Pod) -> Whereabouts:
        own = None if pod.spec.host_network else self._addresses
        address = NODE_IP if own is None else own.of(pod.metadata.uid or "")
        return Whereabouts(node=self._node, host_ip=NODE_IP, pod_ip=address, allocatable=_FACTS.capacity)

    async def _sources(self, ctx: kv.Context, pod: core_v1.Pod) -> PodSources:
        """Read what a pod is made from; what is missing is missing here, too."""
        config_maps: dict[str, core_v1.ConfigMap] = {}
        secrets: dict[str, core_v1.Secret] = {}
        namespace = pod.metadata.namespace
        for kind, name in sorted(references(pod)):
            with suppress(NotFound):
                if kind == CONFIG_MAP:
                    config_maps[name] = await ctx.client.get(core_v1.ConfigMap, name, namespace=namespace)
                else:
                    secrets[name] = await ctx.client.get(core_v1.Secret, name, namespace=namespace)
        services = list(await ctx.client.list(core_v1.Service, namespace=namespace))
        with suppress(NotFound):
            services.append(await ctx.client.get(core_v1.Service, "kubernetes", namespace="default"))
        claims = await self._claims(ctx, pod)
        return PodSources(config_maps=config_maps, secrets=secrets, services=tuple(services), claims=claims)

    async def _claims(self, ctx: kv.Context, pod: core_v1.Pod) -> dict[str, Path]:
        """Return where the data of a pod's claims is, of those that are there."""
        found: dict[str, Path] = {}
        for name in claims_of(pod):
            with suppress(NotFound):
                namespace = pod.metadata.namespace
                claim = await ctx.client.get(core_v1.PersistentVolumeClaim, name, namespace=namespace)
                bound = claim.spec.volume_name
                volume = await ctx.client.get(core_v1.PersistentVolume, bound) if bound else None
                found[name] = claim_folder(claim, volume, self.folder / _CLAIMS)
        return found

    async def _report(self, ctx: kv.Context, pod: core_v1.Pod, run: PodRun, *, is_ending: bool) -> None:
        now, where = clock.now(), self._where(pod)
        report = Report(
            views=run.views(),
            start=started(pod, now),
            host_ip=where.host_ip,
            pod_ip=where.pod_ip,
            waits=run.waits,
            failed=run.failed,
            is_ending=is_ending,
        )
        write_report(pod, report, now)
        if kv.has_changes(pod):
            await ctx.client.status.patch(pod)

    async def _end(self, ctx: kv.Context, pod: core_v1.Pod, run: PodRun) -> kv.Result | None:
        """End a deleted pod's containers, and then the pod."""
        if run.is_running:
            # From now on, as a kubelet counts it: its deletionTimestamp is cut to whole seconds.
            run.stop(float(pod.metadata.deletion_grace_period_seconds or 0))
            with suppress(NotFound, Conflict):
                await self._report(ctx, pod, run, is_ending=True)
            return None
        run.is_stopping = True
        with suppress(NotFound, Conflict):  # gone, and perhaps another of its name is there
            if pod.status.phase not in _TERMINAL:
                await self._report(ctx, pod, run, is_ending=True)
            # Once it was said, only a finalizer keeps the pod; or the server was stopped before it had removed it.
            if pod.metadata.deletion_grace_period_seconds != 0 or not pod.metadata.finalizers:
                await ctx.client.delete(pod, uid=pod.metadata.uid, grace_seconds=0)
        return None


def _deadline_left(pod: core_v1.Pod) -> float | None:
    """Return the seconds that a pod may still run; None if it may for ever."""
    limit, start = pod.spec.active_deadline_seconds, pod.status.start_time
    if limit is None or start is None:
        return None if limit is None else float(limit)
    return (start + timedelta(seconds=limit) - clock.now()).total_seconds()
