"""EmbeddedCluster: an API server with its storage and its edges, started and stopped as one.

async with EmbeddedCluster() as cluster:
    client = konverge.Client(cluster.transport())     # in process: no socket, and fit for virtual time
async with EmbeddedCluster(listen=True, folder="data") as cluster:
    print(cluster.kubeconfig)                          # for kubectl and everyone else
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.transport import InProcessTransport
from konverge.errors import ConfigError

if TYPE_CHECKING:
    from konverge.cluster.http import HttpEdge

LOOPBACK: Final = "127.0.0.1"


class EmbeddedCluster:
    """A control plane in this process; an async context manager that is ready when it is entered.

    Without a `folder` it keeps nothing. With `listen` it is served over HTTPS on `host` and `port` (0: a free one),
    and a kubeconfig of an administrator is written: to `kubeconfig`, else into the folder, else to a temporary place
    that is removed at the end. Raises `ConfigError`, which names what to change.
    """

    server: ApiServer
    url: str  # with `listen`
    kubeconfig: Path  # with `listen`

    def __init__(
        self,
        *,
        folder: Path | str | None = None,
        listen: bool = False,
        host: str = LOOPBACK,
        port: int = 0,
        kubeconfig: Path | str | None = None,
        ids: Ids | None = None,
    ) -> None:
        self._folder = Path(folder) if folder is not None else None
        self._listen = listen
        self._host = host
        self._port = port
        self._kubeconfig = Path(kubeconfig) if kubeconfig is not None else None
        self._ids = ids
        self._transports: list[InProcessTransport] = []
        self._edge: HttpEdge | None = None
        self._exit = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._exit.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _start(self) -> None:
        storage = Storage.in_memory() if self._folder is None else await Storage.open(self._folder)
        self._exit.push_async_callback(storage.close)
        self.server = ApiServer(storage, ids=self._ids)
        await self.server.start()
        self._exit.push_async_callback(self._stop_edges)
        # Last in, first out: its streams end before the edges wait for the answers under way.
        self._exit.push_async_callback(self.server.close)
        if self._listen:
            await self.listen()

    @property
    def is_listening(self) -> bool:
        """Whether it is served over HTTPS."""
        return self._edge is not None

    async def listen(self) -> None:
        """Serve over HTTPS from now on, as `listen=True` does from the start."""
        # A cluster in process needs no HTTP and no cryptography: a third of what there is to import.
        from konverge.cluster.credentials import Credentials, server_url, write_kubeconfig  # noqa: PLC0415
        from konverge.cluster.http import HttpEdge  # noqa: PLC0415

        credentials = await asyncio.to_thread(Credentials.of, self._folder)
        edge = HttpEdge(self.server, await asyncio.to_thread(credentials.tls, self._host))
        try:
            port = await edge.start(self._host, self._port)
        except OSError as error:
            raise ConfigError(
                f"cannot listen on {self._host}:{self._port}: {error.strerror}; choose another address or port"
            ) from error
        self._edge = edge
        self.url = server_url(self._host, port)
        self.kubeconfig = self._kubeconfig or self._own_kubeconfig()
        await asyncio.to_thread(write_kubeconfig, self.kubeconfig, credentials.kubeconfig(self.url))

    def _own_kubeconfig(self) -> Path:
        if self._folder is not None:
            return self._folder / "kubeconfig"
        return Path(self._exit.enter_context(tempfile.TemporaryDirectory(prefix="konverge-"))) / "kubeconfig"

    def transport(self) -> InProcessTransport:
        """Return a way to the server that needs no socket, as its administrator; for a client or a manager."""
        transport = InProcessTransport(self.server)
        self._transports.append(transport)
        return transport

    async def _stop_edges(self) -> None:
        if self._edge is not None:
            await self._edge.stop()
        for transport in self._transports:
            await transport.stop()

    async def close(self) -> None:
        """End watches, finish writes, let the folder go; a second time does nothing."""
        await self._exit.aclose()
