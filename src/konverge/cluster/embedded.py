"""EmbeddedCluster: an API server with its storage and its edges, started and stopped as one.

async with EmbeddedCluster() as cluster:
    client = konverge.Client(cluster.transport())     # in process: no socket, and fit for virtual time
async with EmbeddedCluster(listen=True, folder="data") as cluster:
    print(cluster.kubeconfig)                          # for kubectl and everyone else
"""

from __future__ import annotations

import asyncio
import ipaddress
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from konverge.cluster.acting import ADMINISTRATOR, peer_of
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.connections import Connections
from konverge.cluster.issuing import Issue, issue_here
from konverge.cluster.webhook_calls import WebhookCalls
from konverge.errors import ConfigError

if TYPE_CHECKING:
    from konverge.certificates import TokenSigner
    from konverge.cluster.apiserver.server import ApiServer
    from konverge.cluster.controller_run import ControllerRun
    from konverge.cluster.http import HttpEdge
    from konverge.cluster.identity import Identity
    from konverge.cluster.pod_runtime import PodRuntime
    from konverge.cluster.transport import InProcessTransport
    from konverge.manager import Manager

LOOPBACK: Final = "127.0.0.1"


class EmbeddedCluster:
    """A control plane in this process; an async context manager that is ready when it is entered.

    Without a `folder` it keeps nothing. With `listen` it is served over HTTPS on `host` and `port` (0: a free one),
    and a kubeconfig of an administrator is written: to `kubeconfig`, else into the folder, else to a temporary place
    that is removed at the end. `controllers` says what a manager of its own is to run (`add_control_plane`: all
    there is), and `random` is that manager's source of chance. `loopback_endpoints` lets EndpointSlices have
    loopback addresses: those of a node of processes, whose `runtime` gives logs and runs commands. Services get
    their addresses from `service_range` in a folder that is new; an old one keeps its range. Raises `ConfigError`,
    which names what to change.
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
        issue: Issue = issue_here,
        controllers: Callable[[Manager], None] | None = None,
        random: Random | None = None,
        loopback_endpoints: bool = False,
        runtime: PodRuntime | None = None,
        service_range: str | None = None,
    ) -> None:
        self._folder = Path(folder) if folder is not None else None
        self._listen = listen
        self._host = host
        self._port = port
        self._kubeconfig = Path(kubeconfig) if kubeconfig is not None else None
        self._ids = ids
        self._issue = issue
        self._controllers = controllers
        self._random = random
        self._loopback_endpoints = loopback_endpoints
        self._service_range = service_range
        self._connections = Connections(runtime)
        self.webhooks = WebhookCalls()  # how the server reaches webhooks
        self._transports: list[InProcessTransport] = []
        self._edge: HttpEdge | None = None
        self._storage: Storage | None = None
        self._run: ControllerRun | None = None
        self._authority = b""
        self._authority_key = b""  # known while it listens
        self._signer: TokenSigner | None = None  # the same for the server and for the controller that signs
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
        self._storage = storage
        identity = await self._begin_to_issue() if self._listen else None
        from konverge.cluster.apiserver.server import ApiServer  # noqa: PLC0415 - the certificates are made meanwhile

        self._exit.push_async_callback(self.webhooks.close)
        self.server = ApiServer(
            storage,
            ids=self._ids,
            signer=self._token_signer,
            webhooks=self.webhooks,
            loopback_endpoints=self._loopback_endpoints,
            connector=self._connections,
            service_range=self._service_range,
        )
        await self.server.start()
        self._exit.push_async_callback(self._stop_edges)
        # Last in, first out: its streams end before the edges wait for the answers under way.
        self._exit.push_async_callback(self._connections.end)
        self._exit.push_async_callback(self.server.close)
        if identity is not None:
            await self._serve(await identity)
        if self._controllers is not None:
            await self._run_controllers(self._controllers)

    async def _begin_to_issue(self) -> asyncio.Future[Identity]:
        issuing = asyncio.ensure_future(self._issue(self._folder, self._host))
        self._exit.push_async_callback(_settle, issuing)  # where nobody comes to await it
        await asyncio.sleep(0)  # it begins, and its thread goes on while this one is busy
        return issuing

    async def _run_controllers(self, add: Callable[[Manager], None]) -> None:
        from konverge.cluster.controller_run import ControllerRun  # noqa: PLC0415 - a manager, and models

        self._run = ControllerRun(self.transport(), self._with_signers(add), random=self._random)
        await self._run.start()
        self._exit.push_async_callback(self._run.stop)

    def _with_signers(self, add: Callable[[Manager], None]) -> Callable[[Manager], None]:
        """Return what adds the same, and to service accounts the two controllers that need a key of this cluster."""
        from konverge.cluster.controllers import (  # noqa: PLC0415 - models
            certificate_signing,
            service_account,
            service_account_token,
        )

        def add_all(manager: Manager) -> None:
            add(manager)
            if service_account.NAME in manager.controllers:
                service_account_token.add_to(manager, self._token_signer)
                if self._authority_key:
                    certificate_signing.add_to(manager, certificate=self._authority, key=self._authority_key)

        return add_all

    async def controllers_ended(self) -> None:
        """Wait for the end of the controllers, which comes before `close` only by an error; raise that."""
        if self._run is not None:
            await self._run.ended()

    @property
    def objects(self) -> int:
        """How many objects are stored, of all kinds."""
        return 0 if self._storage is None else len(self._storage)

    @property
    def is_listening(self) -> bool:
        """Whether it is served over HTTPS."""
        return self._edge is not None

    async def listen(self) -> None:
        """Serve over HTTPS from now on, as `listen=True` does from the start."""
        await self._serve(await self._issue(self._folder, self._host))

    async def _serve(self, identity: Identity) -> None:
        # A cluster in process needs neither: a part of what it would import.
        from konverge.cluster.http import HttpEdge  # noqa: PLC0415
        from konverge.cluster.identity import server_url, write_kubeconfig  # noqa: PLC0415

        edge = HttpEdge(self.server, await asyncio.to_thread(identity.tls))
        try:
            port = await edge.start(self._host, self._port)
        except OSError as error:
            raise ConfigError(
                f"cannot listen on {self._host}:{self._port}: {error.strerror}; choose another address or port"
            ) from error
        self._edge, self._authority, self._authority_key = edge, identity.authority, identity.authority_key
        self.url = server_url(self._host, port)
        self.kubeconfig = self._kubeconfig or self._own_kubeconfig()
        await asyncio.to_thread(write_kubeconfig, self.kubeconfig, identity.kubeconfig(self.url))
        if address := _address_of(self._host):
            await self.server.announce(address, port)

    def _own_kubeconfig(self) -> Path:
        if self._folder is not None:
            return self._folder / "kubeconfig"
        return Path(self._exit.enter_context(tempfile.TemporaryDirectory(prefix="konverge-"))) / "kubeconfig"

    def _token_signer(self) -> TokenSigner:
        """Return the key of service account tokens, when the first of them is asked for or shown."""
        from konverge.cluster.credentials import token_signer  # noqa: PLC0415 - brings cryptography with it

        if self._signer is None:
            self._signer = token_signer(self._folder)
        return self._signer

    def transport(self, *, user: str = "", groups: Iterable[str] = ()) -> InProcessTransport:
        """Return a way to the server that needs no socket; for a client or a manager.

        It is its administrator's, or a `user`'s who is in these groups, as one with a client certificate would be;
        a service account (`system:serviceaccount:<namespace>:<name>`) is in the groups of its kind by itself.
        """
        # A server for others needs no client, which costs as much as its own HTTP.
        from konverge.cluster.transport import InProcessTransport  # noqa: PLC0415

        peer = peer_of(user, groups) if user else ADMINISTRATOR
        transport = InProcessTransport(self.server, peer=peer, authority=self._authority)
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


async def _settle(future: asyncio.Future[Identity]) -> None:
    """Wait for its end, whatever that is."""
    await asyncio.gather(future, return_exceptions=True)


def _address_of(host: str) -> str | None:
    """Return the address at which a server on this host is reached from here; None where only a name is known."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return LOOPBACK if host == "localhost" else None
    return LOOPBACK if address.is_unspecified else host
