"""LocalPlane: what `konverge up` runs beside the API server: the controllers, a scheduler, a node and a service proxy.

With a node of processes the Services and pods have addresses of the loopback range, on which they answer; with a
simulated one they have the usual addresses, and nothing answers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from konverge.cluster import controllers, scheduler
from konverge.cluster.embedded import EmbeddedCluster
from konverge.cluster.issuing import issue_apart
from konverge.cluster.node import simulated
from konverge.manager import Manager
from konverge.models import core_v1

SERVICE_RANGE: Final = "127.96.0.0/12"

Listener = Callable[[str], None]


class LocalPlane:
    """All of it for one run; raises `ConfigError` where the catalogue of images cannot be read."""

    def __init__(self, folder: Path, *, simulate: bool, images: Path | None = None) -> None:
        self._manager: Manager | None = None
        self._cluster: EmbeddedCluster | None = None
        self._processes = None if simulate else _Processes(folder, images, lambda: self._running().url)
        self.description = "simulates pods: none of them runs" if self._processes is None else self._processes.text

    def cluster(self, *, data: Path | None, kubeconfig: Path, port: int) -> EmbeddedCluster:
        """Return the cluster with all of it, to be entered."""
        if self._processes is None:
            self._cluster = EmbeddedCluster(
                folder=data, listen=True, port=port, kubeconfig=kubeconfig, issue=issue_apart, controllers=self._add_to
            )
        else:
            self._cluster = EmbeddedCluster(
                folder=data,
                listen=True,
                port=port,
                kubeconfig=kubeconfig,
                issue=issue_apart,
                controllers=self._add_to,
                runtime=self._processes.node.runtime,
                service_range=SERVICE_RANGE,
                loopback_endpoints=True,
            )
        return self._cluster

    def _add_to(self, manager: Manager) -> None:
        self._manager = manager
        controllers.add_to(manager)
        scheduler.add_to(manager)
        if self._processes is None:
            simulated.add_to(manager)
        else:
            self._processes.node.add_to(manager)
            self._processes.proxy.add_to(manager)

    def _running(self) -> EmbeddedCluster:
        if self._cluster is None:
            raise RuntimeError("there is no cluster yet")
        return self._cluster

    def watch_problems(self, listener: Listener) -> None:
        """Call a listener with each sentence about a pod or a Service that cannot be as it should."""
        if self._processes is not None:
            self._processes.node.watch_problems(listener)
            self._processes.proxy.watch_problems(listener)

    def objects(self) -> int:
        """Return how many objects there are, of all kinds."""
        return self._running().objects

    async def pods(self) -> tuple[int, int]:
        """Return how many pods run, of how many."""
        if self._manager is None:
            return 0, 0
        pods = await self._manager.client.list(core_v1.Pod)
        phases = [pod.status.phase for pod in pods]
        return phases.count("Running"), len(phases)

    async def ended(self) -> None:
        """Wait until the controllers end; they do so by themselves only by an error, which is raised."""
        await self._running().controllers_ended()


class _Processes:
    """A node that runs pods, and the proxy that makes their Services answer."""

    def __init__(self, folder: Path, images: Path | None, server: Callable[[], str]) -> None:
        # A simulated node needs none of it.
        from konverge.cluster.node.process import Catalogue, ProcessNode  # noqa: PLC0415
        from konverge.cluster.proxy import ServiceProxy  # noqa: PLC0415

        catalogue = Catalogue({}) if images is None else Catalogue.load(images)
        self.node = ProcessNode(catalogue, folder=folder, server=server)
        self.proxy = ServiceProxy()
        self.text = (
            "runs pods as processes; no image is known: give --images FILE"
            if images is None
            else f"runs pods as processes; images are those of {images}"
        )
