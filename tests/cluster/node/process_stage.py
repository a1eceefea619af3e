"""A node of processes on an embedded server, and what a test asks of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import yaml

from konverge import Client
from konverge.cluster import controllers, scheduler
from konverge.cluster.embedded import EmbeddedCluster
from konverge.cluster.node.process import Catalogue, ProcessNode
from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.host import node_mark
from konverge.cluster.node.process.process_table import marked
from konverge.cluster.pod_runtime import LogOptions, PodRef, RuntimeRefusal
from konverge.errors import Forbidden, NotFound
from konverge.manager import Manager
from konverge.models import core_v1
from konverge.testing import eventually

SHELL = Catalogue({"sh": []})  # a container names its command itself
_T = TypeVar("_T")
_CONTROLLERS = ("serviceaccount-controller", "root-ca-certificate-publisher-controller")


class Stage:
    """A cluster with one node of processes."""

    def __init__(self, cluster: EmbeddedCluster, node: ProcessNode, client: Client) -> None:
        self.cluster = cluster
        self.node = node
        self.client = client
        self.problems: list[str] = []
        node.watch_problems(self.problems.append)

    async def create(self, text: str) -> core_v1.Pod:
        """Create a pod of YAML."""

        async def done() -> core_v1.Pod | None:
            try:
                return await self.client.create(read_pod(text))
            except Forbidden as error:  # its service account comes a moment after the namespace
                assert "serviceaccount" in str(error)  # noqa: PT017 - anything else is a failure
                return None

        return await eventually_found(done)

    async def pod(self, name: str) -> core_v1.Pod:
        """Return a pod."""
        return await self.client.get(core_v1.Pod, name)

    async def until(self, name: str, so: Callable[[core_v1.Pod], Any]) -> core_v1.Pod:
        """Wait until something is so of a pod; whatever is missing is not yet there."""

        async def found() -> core_v1.Pod | None:
            pod = await self.pod(name)
            try:
                return pod if so(pod) else None
            except (AttributeError, TypeError, ValueError):
                return None

        try:
            return await eventually_found(found)
        except AssertionError as error:
            raise AssertionError(f"{name} is {(await self.pod(name)).status}") from error

    async def ready(self, name: str) -> core_v1.Pod:
        """Wait until a pod is ready."""
        return await self.until(name, is_ready)

    async def phase(self, name: str, wanted: str) -> core_v1.Pod:
        """Wait for a phase."""
        return await self.until(name, lambda pod: pod.status.phase == wanted)

    async def gone(self, name: str) -> None:
        """Wait until a pod is gone."""

        async def so() -> bool:
            try:
                await self.pod(name)
            except NotFound:
                return True
            return False

        await eventually(so)

    async def log(self, name: str, container: str = "main", **options: Any) -> str:
        """Return what a container said."""
        ref = ref_of(await self.pod(name))
        pieces = [piece async for piece in self.node.runtime.logs(ref, container, LogOptions(**options))]
        return b"".join(pieces).decode()

    async def said(self, name: str, text: str, container: str = "main") -> str:
        """Wait until a container has said something."""

        async def so() -> str | None:
            with suppress(RuntimeRefusal):  # the node has not seen it yet
                log = await self.log(name, container)
                return log if text in log else None
            return None

        return await eventually_found(so)

    async def events(self, reason: str) -> list[str]:
        """Return the notes of the events with a reason, when there are some."""

        async def found() -> list[str]:
            return [each.message or "" for each in await self.client.list(core_v1.Event) if each.reason == reason]

        return await eventually(found)


async def eventually_found(check: Callable[[], Awaitable[_T | None]]) -> _T:
    """Wait for something that is there."""
    found = await eventually(check)
    assert found is not None
    return found


@asynccontextmanager
async def stage(
    folder: Path, *, catalogue: Catalogue = SHELL, data: Path | None = None, disk: Disk | None = None
) -> AsyncIterator[Stage]:
    """Run a cluster with a node of processes in a folder; nothing of it is left at the end."""
    node = ProcessNode(catalogue, folder=folder, disk=disk, server=lambda: getattr(cluster, "url", ""))

    def add(manager: Manager) -> None:
        controllers.add_to(manager, _CONTROLLERS)
        scheduler.add_to(manager)
        node.add_to(manager)

    cluster = EmbeddedCluster(controllers=add, folder=data, listen=True, loopback_endpoints=True)
    async with cluster:
        yield Stage(cluster, node, Client(cluster.transport()).in_namespace("default"))
    assert not processes_of(folder)


def processes_of(folder: Path) -> list[int]:
    """Return the processes of a node's containers."""
    return marked(node_mark(folder))


def read_pod(text: str) -> core_v1.Pod:
    """Return a pod of YAML: its name, and what stands in its spec; one container `main` may stand there alone."""
    value = yaml.safe_load(text)
    spec = {key: each for key, each in value.items() if key not in ("name", "labels", "annotations", "main")}
    if "main" in value:
        main = value["main"] if isinstance(value["main"], dict) else {"command": ["sh", "-c", value["main"]]}
        spec["containers"] = [{"name": "main", **main}]
    for each in (*spec.get("initContainers", ()), *spec["containers"]):
        each.setdefault("image", "sh")
    metadata = {"name": value["name"], "labels": value.get("labels"), "annotations": value.get("annotations")}
    return core_v1.Pod.from_dict({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


def is_ready(pod: core_v1.Pod) -> bool:
    """Whether a pod is ready."""
    return any(each.type == "Ready" and each.status == "True" for each in pod.status.conditions or ())


def ref_of(pod: core_v1.Pod) -> PodRef:
    """Return which pod it is."""
    return PodRef(pod.metadata.namespace or "", pod.metadata.name or "", pod.metadata.uid or "")


def main(pod: core_v1.Pod) -> core_v1.ContainerStatus:
    """Return the status of a pod's one container."""
    (found,) = pod.status.container_statuses or []
    return found


def waiting(pod: core_v1.Pod) -> core_v1.ContainerStateWaiting:
    """Return why a pod's one container waits; raises `ValueError` if it does not."""
    state = main(pod).state
    if state is None or state.waiting is None:
        raise ValueError("it does not wait")
    return state.waiting


def terminated(status: core_v1.ContainerStatus, *, last: bool = False) -> core_v1.ContainerStateTerminated:
    """Return how a container ended, or the run before this one."""
    state = status.last_state if last else status.state
    if state is None or state.terminated is None:
        raise ValueError("it has not ended")
    return state.terminated


def waits_for(reason: str) -> Callable[[core_v1.Pod], bool]:
    """Return whether a pod's one container waits for this reason."""
    return lambda pod: waiting(pod).reason == reason
