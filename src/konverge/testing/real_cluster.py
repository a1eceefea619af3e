"""`RealCluster`: a real etcd and kube-apiserver, optionally kube-controller-manager, on loopback for tests.

It has what a real cluster has: TLS, client certificates, RBAC, service account tokens. It starts in a few seconds
on free ports, and nothing of it outlives the process that made it (see `supervisor`). Without controllers nothing
happens by itself: namespaces never finish deleting, nothing is garbage collected, no pods are made for workloads.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import os
import secrets
import shutil
import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from konverge.certificates import Authority, KeyPair, signing_key
from konverge.client.http import HttpTransport
from konverge.client.transport import Transport
from konverge.cluster.acting import peer_of
from konverge.errors import ConnectionFailed, Operation, from_status
from konverge.manager import Manager
from konverge.testing import binaries, programs
from konverge.testing.applying import Source
from konverge.testing.cluster import Cluster
from konverge.testing.kubectl import Kubectl
from konverge.testing.processes import ClusterError, Processes
from konverge.testing.programs import HOST, Ports

_READY_WITHIN = 120.0  # seconds; 4 on two free cores, but a loaded machine is no reason to fail
_POLL = 0.02  # seconds between two looks; a refused connection on loopback costs next to nothing
_PROBE_TIMEOUT = 2.0  # seconds; short, since who took our port in between may accept and never answer
_CALL_TIMEOUT = 60.0
_PORT_ATTEMPTS = 5
# Below the ports that systems hand out for outgoing connections: one of those could take our port while the API
# server is down, and a client that retries from it would even connect to itself.
_PORT_RANGE = range(20000, 32000)
_LOG_TAIL = 15
_CONTROLLERS = "kube-controller-manager"


class RealCluster(Cluster):
    """A real control plane; a context manager that is ready when it is entered and gone when it is left.

    `controllers` adds kube-controller-manager; `apiserver_flags` are given to kube-apiserver beside our own, such as
    `--feature-gates=…`. Raises `MissingBinaries` where the programs are not on this machine.
    """

    folder: Path  # certificates, logs and data; removed at the end

    def __init__(self, *, controllers: bool = False, apiserver_flags: Iterable[str] = ()) -> None:
        self.controllers = controllers
        self._apiserver_flags = tuple(apiserver_flags)
        self._authority = Authority.create("kubernetes")
        self._commands: dict[str, list[str]] = {}
        self._down: set[str] = set()  # ended on purpose, by kill or stop
        self._users = 0

    def __enter__(self) -> Self:
        self._programs = binaries.find("etcd", "kube-apiserver", "kubectl", *self._controller_names())
        self._processes = Processes()
        try:
            self._bring_up()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all processes and remove the folder; may be called twice."""
        self._processes.close()

    # --- use ---

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return self._server

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of an administrator (system:masters), by client certificate."""
        return self.folder / "admin.kubeconfig"

    def transport(self, *, user: str = "", groups: Iterable[str] = ()) -> Transport:
        """Return a new connection to the server."""
        return HttpTransport(self.config(user=user, groups=groups))

    def _plain_manager(self, user: str, groups: Iterable[str], options: Mapping[str, Any]) -> Manager:
        """As outside of a test: it has a config, and so leads from a thread of its own."""
        return Manager(self.config(user=user, groups=groups), **options)

    def kubeconfig_for(self, user: str, *, groups: Iterable[str] = ()) -> Path:
        """Write a kubeconfig for a user who holds a client certificate with these groups, and return its path."""
        self._users += 1
        path = self.folder / f"user-{self._users}.kubeconfig"
        self._write_kubeconfig(path, self._authority.client(user, groups=peer_of(user, groups).organizations))
        return path

    async def install(self, *sources: Source) -> None:
        """Apply; where that brings new kinds, the garbage collector learns of them at once."""
        before = self._defined()
        await super().install(*sources)
        if self.controllers and self._defined() != before:
            # It would ask which kinds there are within 30 seconds, and leave what their objects own until then.
            self.kill(_CONTROLLERS)
            await asyncio.to_thread(self.start, _CONTROLLERS)

    def _defined(self) -> list[str]:
        found = self.call("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
        return [each["metadata"]["name"] for each in found["items"]]

    def kubectl(self, *args: str, input: str | None = None, kubeconfig: Path | None = None) -> str:  # noqa: A002 - as in subprocess.run
        """Run kubectl, as the administrator unless another kubeconfig is given, and return what it printed."""
        kubectl = Kubectl(self._programs["kubectl"], self.folder / "kubectl-cache")
        return kubectl.run(*args, kubeconfig=kubeconfig or self.kubeconfig, input=input)

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send one request as the administrator and return the decoded answer, or raise as the client does."""
        operation = Operation(verb=method.lower(), resource=path)
        try:
            code, answer = self._request(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailed(f"{operation}: no answer from {self.server}: {error}") from error
        decoded = json.loads(answer)
        if code >= http.HTTPStatus.BAD_REQUEST:
            raise from_status(decoded, operation=operation, code=code)
        return decoded

    # --- processes ---

    @property
    def processes(self) -> dict[str, int]:
        """The pid of each running program, by its name."""
        return {name: pid for name, (pid, code) in self._processes.status().items() if code is None}

    def log(self, name: str) -> str:
        """Return what a program has written so far."""
        path = self.folder / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def kill(self, name: str) -> None:
        """End a program by SIGKILL; `start` brings it back with the same data on the same port."""
        self._down.add(name)
        self._processes.kill(name)

    def stop(self, name: str) -> None:
        """End a program by SIGTERM, after a grace by SIGKILL."""
        self._down.add(name)
        self._processes.stop(name)

    def start(self, name: str) -> None:
        """Start a program that was ended, and wait for the cluster to be ready unless another one is still down."""
        self._processes.start(name, self._commands[name])
        self._down.discard(name)
        if not self._down:
            self._wait_until_ready()

    def restart(self, name: str) -> None:
        """Stop a program and start it again."""
        self.stop(name)
        self.start(name)

    # --- start-up ---

    def _bring_up(self) -> None:
        self.folder = self._processes.folder
        self._write_keys()
        for attempt, ports in enumerate(self._port_choices(), start=1):
            self._begin(ports)
            try:
                self._wait_until_ready()
            except ClusterError:
                if attempt == _PORT_ATTEMPTS or not self._port_was_taken():
                    raise
                self._undo()
            else:
                break
        self._add_default_service_account("default")
        for name in self._controller_names():  # not before: it gives up on a server that is slow to come up
            self._add_controllers(name)

    def _port_choices(self) -> Iterator[Ports]:
        while True:
            yield _free_ports()

    def _begin(self, ports: Ports) -> None:
        self._server = ports.server
        self._write_kubeconfig(self.kubeconfig, self._admin)
        self._commands = {
            "etcd": programs.etcd(self._programs["etcd"], self.folder, ports),
            "kube-apiserver": [
                *programs.apiserver(self._programs["kube-apiserver"], self.folder, ports),
                *self._apiserver_flags,
            ],
        }
        for name, command in self._commands.items():
            self._processes.start(name, command)

    def _add_controllers(self, name: str) -> None:
        pair = self._authority.client("system:kube-controller-manager")
        self._write_kubeconfig(self.folder / "controller-manager.kubeconfig", pair)
        self._commands[name] = programs.controller_manager(self._programs[name], self.folder)
        self.start(name)

    def _undo(self) -> None:
        for name in self._commands:
            self._processes.kill(name)
            (self.folder / f"{name}.log").unlink(missing_ok=True)
        shutil.rmtree(self.folder / "etcd", ignore_errors=True)

    def _port_was_taken(self) -> bool:
        return any("address already in use" in self.log(name) for name in self._commands)

    def _controller_names(self) -> tuple[str, ...]:
        return (_CONTROLLERS,) if self.controllers else ()

    def _write_keys(self) -> None:
        authority = self._authority
        self._admin = authority.client("kubernetes-admin", groups=["system:masters"])
        pairs = {
            "ca": authority.pair,
            "etcd": authority.server("localhost", HOST, also_client=True),
            "etcd-client": authority.client("kube-apiserver-etcd-client"),
            "apiserver": authority.server(*programs.SERVER_NAMES),
            "admin": self._admin,
        }
        for name, pair in pairs.items():
            _write(self.folder / f"{name}.crt", pair.certificate)
            _write(self.folder / f"{name}.key", pair.key)
        tokens = signing_key()
        _write(self.folder / "service-accounts.key", tokens.private)
        _write(self.folder / "service-accounts.pub", tokens.public)
        self._tls = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        self._tls.load_cert_chain(self.folder / "admin.crt", self.folder / "admin.key")

    def _write_kubeconfig(self, path: Path, pair: KeyPair) -> None:
        content = _kubeconfig(self.server, authority=self._authority.certificate, pair=pair)
        _write(path, json.dumps(content, indent=2).encode())

    def _add_default_service_account(self, namespace: str) -> None:
        if not self.controllers:
            super()._add_default_service_account(namespace)

    # --- readiness ---

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _READY_WITHIN
        while (reason := self._not_ready()) is not None:
            self._fail_if_ended()
            if time.monotonic() > deadline:
                late = f"the test cluster is not ready after {_READY_WITHIN:.0f} s ({reason})"
                raise ClusterError(f"{late}; the end of kube-apiserver's log:\n{self._tail('kube-apiserver')}")
            time.sleep(_POLL)

    def _not_ready(self) -> str | None:
        paths = ["/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"]
        if _CONTROLLERS in self._commands:
            paths.append("/api/v1/namespaces/default/serviceaccounts/default")
        for path in paths:
            try:
                code, answer = self._request("GET", path, timeout=_PROBE_TIMEOUT)
            except (OSError, http.client.HTTPException) as error:
                return f"GET {path}: {error}"
            if code != http.HTTPStatus.OK:
                return f"GET {path}: {code} {answer.decode(errors='replace')}"
        return None

    def _fail_if_ended(self) -> None:
        for name, (_, code) in self._processes.status().items():
            if code is not None and name not in self._down:
                raise ClusterError(f"{name} ended with exit code {code}; the end of its log:\n{self._tail(name)}")

    def _tail(self, name: str) -> str:
        return "\n".join(self.log(name).splitlines()[-_LOG_TAIL:])

    def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, timeout: float = _CALL_TIMEOUT
    ) -> tuple[int, bytes]:
        address = self.server.removeprefix("https://")
        connection = http.client.HTTPSConnection(address, context=self._tls, timeout=timeout)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


def _free_ports() -> Ports:
    """Choose ports that are free now; the programs bind them a moment later, so the caller must be ready to retry."""
    with ExitStack() as held:  # held together, so that they differ
        return Ports(etcd=_free_port(held), etcd_peer=_free_port(held), apiserver=_free_port(held))


def _free_port(held: ExitStack) -> int:
    while True:
        candidate = held.enter_context(socket.socket())
        port = secrets.choice(_PORT_RANGE)
        try:
            candidate.bind((HOST, port))
        except OSError:
            continue
        return port


def _kubeconfig(server: str, *, authority: bytes, pair: KeyPair) -> dict[str, Any]:
    cluster = {"server": server, "certificate-authority-data": _base64(authority)}
    user = {"client-certificate-data": _base64(pair.certificate), "client-key-data": _base64(pair.key)}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "test", "user": user}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "current-context": "test",
    }


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    path.unlink(missing_ok=True)
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
