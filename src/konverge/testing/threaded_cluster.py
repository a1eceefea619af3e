"""`ThreadedCluster`: the embedded server on a loop in a thread of its own, for tests of any sort.

::

    with ThreadedCluster() as cluster:
        asyncio.run(my_operator(cluster.manager()))        # in process, through no socket
        subprocess.run([...], env={"KUBECONFIG": str(cluster.kubeconfig)})    # over HTTPS, from then on

It starts in milliseconds, keeps nothing, and begins to listen when someone asks where. As with a real server, no
controller runs unless asked for: namespaces never finish deleting, nothing is garbage collected.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future
from functools import cache
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

from konverge.api.request import ApiRequest
from konverge.client.transport import Transport
from konverge.cluster.acting import peer_of
from konverge.cluster.credentials import Credentials
from konverge.cluster.embedded import EmbeddedCluster
from konverge.cluster.identity import Identity
from konverge.cluster.private_file import write_private
from konverge.cluster.transport import InProcessTransport
from konverge.errors import Operation
from konverge.manager import Manager
from konverge.testing import binaries
from konverge.testing.cluster import Cluster
from konverge.testing.kubectl import Kubectl
from konverge.testing.processes import ClusterError
from konverge.testing.thread_transport import ThreadTransport

_T = TypeVar("_T")


@cache
def _credentials() -> Credentials:
    """Return the authority of all such clusters of this process: making one takes longer than starting a server."""
    return Credentials.of(None)


@cache
def _identity(host: str) -> Identity:
    return _credentials().identity(host)


async def _issue(_folder: Path | None, host: str) -> Identity:
    return await asyncio.to_thread(_identity, host)


class ThreadedCluster(Cluster):
    """An embedded control plane; a context manager that is ready when it is entered and gone when it is left.

    `controllers` says what it runs beside the server (`konverge.cluster.control_plane.add_control_plane`); by default,
    nothing.
    """

    _loop: asyncio.AbstractEventLoop
    _embedded: EmbeddedCluster
    _own: InProcessTransport

    def __init__(self, *, controllers: Callable[[Manager], None] | None = None) -> None:
        self._controllers = controllers
        self._thread = threading.Thread(target=self._serve, name="konverge-test-cluster", daemon=True)
        self._is_ready: Future[None] = Future()
        self._stop = asyncio.Event()
        self._lock = threading.Lock()  # for what is made when it is first asked for
        self._folder: Path | None = None
        self._users = count(1)

    def __enter__(self) -> Self:
        self._thread.start()
        self._is_ready.result()
        self._add_default_service_account("default")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server, its connections and its thread; may be called twice."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    # --- the thread ---

    def _serve(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            async with EmbeddedCluster(issue=_issue, controllers=self._controllers) as self._embedded:
                self._own = self._embedded.transport()
                self._is_ready.set_result(None)
                await self._stop.wait()
        except BaseException as error:
            if self._is_ready.done():
                raise
            self._is_ready.set_exception(error)

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except RuntimeError as error:
            if not self._loop.is_closed():
                raise
            work.close()
            raise ClusterError("this cluster is closed: make a new one") from error

    # --- use ---

    def transport(self, *, user: str = "", groups: Iterable[str] = ()) -> Transport:
        """Return a new way to the server, for any loop of this process."""
        return ThreadTransport(self._embedded.transport(user=user, groups=groups), self._loop)

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return self._listening().url

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig for kubectl and other programs."""
        return self._listening().kubeconfig

    def kubeconfig_for(self, user: str, *, groups: Iterable[str] = ()) -> Path:
        """Write a kubeconfig for a user who holds a client certificate with these groups, and return its path."""
        authority = _credentials().authority
        pair = authority.client(user, groups=peer_of(user, groups).organizations)
        shown = Identity(authority=authority.certificate, server=b"", certificate=pair.certificate, key=pair.key)
        path = self._own_folder() / f"user-{next(self._users)}.kubeconfig"
        write_private(path, shown.kubeconfig(self.server))
        return path

    def _own_folder(self) -> Path:
        with self._lock:
            self._folder = self._folder or Path(tempfile.mkdtemp(prefix="konverge-test-"))
            return self._folder

    def _listening(self) -> EmbeddedCluster:
        with self._lock:
            if not self._embedded.is_listening:
                self._run(self._embedded.listen())
        return self._embedded

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send one request and return the decoded answer, or raise as the client does."""
        request = ApiRequest(
            method=method,
            path=path,
            operation=Operation(verb=method.lower(), resource=path),
            body=None if body is None else msgspec.json.encode(body),
        )
        return msgspec.json.decode(self._run(self._own.call(request)).body)

    def kubectl(self, *args: str, input: str | None = None, kubeconfig: Path | None = None) -> str:  # noqa: A002 - as in subprocess.run
        """Run kubectl, which must be on this machine (`MissingBinaries`), and return what it printed."""
        kubectl = Kubectl(binaries.find("kubectl")["kubectl"], self._own_folder() / "kubectl-cache")
        return kubectl.run(*args, kubeconfig=kubeconfig or self.kubeconfig, input=input)
