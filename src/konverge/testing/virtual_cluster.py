"""`VirtualCluster`: the embedded server on the test's own loop, for tests under virtual time.

It starts with the first request, in the loop that asks, and needs no end: it has no thread, no socket and no file.
What takes real time (HTTPS, kubectl, a call that blocks) is refused with what to do instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, Never

from konverge.api.meta import ObjectMeta
from konverge.api.request import ApiRequest
from konverge.client.client import Client
from konverge.client.transport import ApiResponse, Transport
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.embedded import EmbeddedCluster
from konverge.cluster.transport import InProcessTransport
from konverge.errors import AlreadyExists, RequestError
from konverge.manager import Manager
from konverge.models import core_v1
from konverge.testing.cluster import Cluster
from konverge.testing.virtual_time import VirtualTimeError


class VirtualCluster(Cluster):
    """An embedded control plane whose ids are drawn from a seed: the same test sees the same objects each time.

    `controllers` says what it runs beside the server (`konverge.cluster.control_plane.add_control_plane`); by default,
    nothing.
    """

    def __init__(self, *, seed: int = 0, controllers: Callable[[Manager], None] | None = None) -> None:
        self._seed = seed
        self._controllers = controllers
        self._embedded: EmbeddedCluster | None = None
        self._namespaces = 0
        self._wanted: list[str] = []  # namespaces that are made before the next request
        self._starting = asyncio.Lock()

    def transport(self, *, user: str = "", groups: Iterable[str] = ()) -> Transport:
        """Return a new way to the server, for the loop that first uses it."""
        return _Arriving(self, user, tuple(groups))

    def _manager_defaults(self) -> dict[str, Any]:
        return {**super()._manager_defaults(), "random": Random(self._seed)}  # noqa: S311 - jitter, to be repeated

    def create_namespace(self) -> str:
        """Return the name of a new namespace, which is there when the next request arrives."""
        self._namespaces += 1
        name = f"test-{self._namespaces}"
        self._wanted.append(name)
        return name

    async def arrived(self) -> EmbeddedCluster:
        """Return the server, started and with all the namespaces that were asked for."""
        async with self._starting:
            if self._embedded is None:
                ids = Ids(Random(self._seed))  # noqa: S311 - for names and uids, to be repeated
                chance = Random(self._seed)  # noqa: S311 - jitter, to be repeated
                cluster = EmbeddedCluster(ids=ids, controllers=self._controllers, random=chance)
                self._embedded = await cluster.__aenter__()
                await _add_default_service_account(Client(self._embedded.transport()), "default")
            while self._wanted:
                await _add_namespace(Client(self._embedded.transport()), self._wanted.pop(0))
            return self._embedded

    # --- what takes real time ---

    @property
    def server(self) -> str:
        """Refused."""
        _refuse("cluster.server")

    @property
    def kubeconfig(self) -> Path:
        """Refused."""
        _refuse("cluster.kubeconfig")

    def kubeconfig_for(self, user: str, *, groups: Iterable[str] = ()) -> Path:  # noqa: ARG002 - the cluster's
        """Refused."""
        _refuse("cluster.kubeconfig_for()")

    def kubectl(self, *args: str, input: str | None = None, kubeconfig: Path | None = None) -> str:  # noqa: A002, ARG002 - as in subprocess.run
        """Refused."""
        _refuse("cluster.kubectl()")

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:  # noqa: ARG002 - the cluster's
        """Refused: the loop that is to answer would wait for itself."""
        _refuse("cluster.call()")


def _refuse(what: str) -> Never:
    raise VirtualTimeError(
        f"{what} takes real time, and this test's time is virtual: use cluster.client() or cluster.manager(), "
        "or take the marker virtual_time away"
    )


async def _add_namespace(client: Client, name: str) -> None:
    await client.create(core_v1.Namespace(metadata=ObjectMeta(name=name)))
    await _add_default_service_account(client, name)


async def _add_default_service_account(client: Client, namespace: str) -> None:
    account = core_v1.ServiceAccount(metadata=ObjectMeta(name="default", namespace=namespace))
    with suppress(AlreadyExists):  # a controller was quicker
        await client.create(account)


class _Arriving:
    """A transport to the server of a `VirtualCluster`, which its first request starts."""

    def __init__(self, cluster: VirtualCluster, user: str, groups: tuple[str, ...]) -> None:
        self._cluster = cluster
        self._user = user
        self._groups = groups
        self._there: InProcessTransport | None = None
        self._is_closed = False

    async def _arrived(self) -> InProcessTransport:
        if self._is_closed:
            raise RequestError("this client is closed: make a new one")
        embedded = await self._cluster.arrived()
        if self._there is None:
            self._there = embedded.transport(user=self._user, groups=self._groups)
        return self._there

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Return the whole answer."""
        return await (await self._arrived()).call(request)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a streaming answer."""
        async with (await self._arrived()).stream(request) as chunks:
            yield chunks

    async def close(self) -> None:
        """End what is under way."""
        self._is_closed = True
        if self._there is not None:
            await self._there.close()
