"""LocalPlane: what `konverge up` runs beside the API server: the controllers, a scheduler, a node and a service proxy.

Services and pods have addresses of the loopback range, on which they answer where pods run as processes. A simulated
node's pods have the usual addresses, and nothing answers.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path
from typing import Final
from zlib import crc32

from konverge.cluster import controllers, scheduler
from konverge.cluster.embedded import EmbeddedCluster
from konverge.cluster.issuing import issue_apart
from konverge.cluster.node import simulated
from konverge.manager import Manager
from konverge.models import core_v1

_SERVICES: Final = ip_network("127.96.0.0/12")
# An ordinary user may not serve its port 443. Nobody opens it: pods have a kubeconfig with the server's own address.
_OWN_SERVICE: Final = "service default/kubernetes:"
_RANGE_BITS: Final = 20  # 4,096 addresses for each cluster

Listener = Callable[[str], None]


class LocalPlane:
    """All of it for one run; raises `ConfigError` where the catalogue of images cannot be read."""

    def __init__(self, folder: Path, *, simulate: bool, images: Path | None = None) -> None:
        self._folder = folder
        self._manager: Manager | None = None
        self._cluster: EmbeddedCluster | None = None
        self._listener: Listener | None = None
        self._unheard: list[str] = []  # pods are run before anybody can listen
        self._processes = None if simulate else _Processes(folder, images, lambda: self._running().url)
        self.description = "simulates pods: none of them runs" if self._processes is None else self._processes.text

    def cluster(self, *, data: Path | None, kubeconfig: Path, port: int) -> EmbeddedCluster:
        """Return the cluster with all of it, to be entered."""
        # The same with either node, so that a folder may change from one to the other.
        self._cluster = EmbeddedCluster(
            folder=data,
            listen=True,
            port=port,
            kubeconfig=kubeconfig,
            issue=issue_apart,
            controllers=self._add_to,
            runtime=None if self._processes is None else self._processes.node.runtime,
            service_range=service_range(self._folder),
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
            self._processes.node.watch_problems(self._problem)
            self._processes.proxy.watch_problems(self._problem)
            self._processes.node.add_to(manager)
            self._processes.proxy.add_to(manager)

    def _running(self) -> EmbeddedCluster:
        if self._cluster is None:
            raise RuntimeError("there is no cluster yet")
        return self._cluster

    def watch_problems(self, listener: Listener) -> None:
        """Call a listener with each sentence about a pod or a Service that cannot be as it should; late is not lost."""
        self._listener = listener
        for sentence in self._unheard:
            listener(sentence)
        self._unheard.clear()

    def _problem(self, sentence: str) -> None:
        if sentence.startswith(_OWN_SERVICE):
            return
        if self._listener is None:
            self._unheard.append(sentence)
        else:
            self._listener(sentence)

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


def service_range(folder: Path) -> str:
    """Return the addresses of a cluster's Services, by its folder: two clusters would meet at the first of them."""
    ranges = list(_SERVICES.subnets(new_prefix=_RANGE_BITS))
    return str(ranges[crc32(str(folder).encode()) % len(ranges)])


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
