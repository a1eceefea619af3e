"""Cluster: what a test sees of a cluster, the same for the embedded server and for the real one.

`ThreadedCluster` and `VirtualCluster` are the embedded server, `RealCluster` is etcd and kube-apiserver. A test that
uses no more than this runs on each of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from konverge.client.client import Client
from konverge.client.config import Config
from konverge.client.engine import Defaults
from konverge.client.retry import RetryingTransport, RetryPolicy
from konverge.client.transport import Transport
from konverge.errors import AlreadyExists
from konverge.manager import Manager
from konverge.testing.applying import Source, apply
from konverge.testing.delays import Delays
from konverge.testing.gate import Gate
from konverge.testing.granting import grant


class Cluster(ABC):
    """A cluster to test on: as its administrator, or as a `user` who is in these `groups`.

    A service account (`system:serviceaccount:<namespace>:<name>`) is a user too, in the groups of its kind by itself.
    """

    delays: Delays | None = None  # of what its managers ask and see; `pytest --cluster-delays=SEED` sets it

    # --- for programs of this process ---

    @abstractmethod
    def transport(self, *, user: str = "", groups: Iterable[str] = ()) -> Transport:
        """Return a new way to the server; close it, or the client that has it."""

    def client(self, *, user: str = "", groups: Iterable[str] = (), **defaults: Any) -> Client:
        """Return a new client: `async with cluster.client(namespace=namespace) as client`.

        The defaults are those of `Client.with_defaults`: `namespace`, `field_owner`, `field_validation`, `dry_run`.
        """
        transport = self.transport(user=user, groups=groups)
        return Client(RetryingTransport(transport, RetryPolicy()), defaults=Defaults(**defaults))

    def manager(
        self, *, user: str = "", groups: Iterable[str] = (), gate: Gate | None = None, **options: Any
    ) -> Manager:
        """Return a new manager, with the options of `konverge.Manager`; unlike that it serves no metrics by default.

        Its calls pass the `gate`, where one is given.
        """
        options = {**self._manager_defaults(), **options}
        if gate is None and self.delays is None:
            return self._plain_manager(user, groups, options)
        transport = self.transport(user=user, groups=groups)
        transport = self.delays.before(transport) if self.delays else transport
        return Manager(transport=gate.before(transport) if gate else transport, **options)

    def _plain_manager(self, user: str, groups: Iterable[str], options: Mapping[str, Any]) -> Manager:
        return Manager(transport=self.transport(user=user, groups=groups), **options)

    def _manager_defaults(self) -> dict[str, Any]:
        return {"metrics_address": None}

    async def install(self, *sources: Source) -> None:
        """Apply files, folders, YAML or manifests as the administrator; `konverge.testing.apply` does it as any user.

        The kinds that they define are served then. It may be done again: a real cluster is shared by a session's tests.
        """
        async with self.client() as client:
            await apply(client, *sources)

    async def grant(self, manager: Manager, *, user: str) -> None:
        """Allow a user what the manifests of a manager's operator would allow it, and no more.

        `manager = add_to(cluster.manager(user="operator"))`, then `await cluster.grant(manager, user="operator")`: what
        no rule allows fails in the test as it would in a cluster.
        """
        async with self.client() as client, self.client(user=user) as own:
            await grant(client, manager, user=user, own=own)

    # --- for everyone ---

    @property
    @abstractmethod
    def server(self) -> str:
        """The URL of the API server."""

    @property
    @abstractmethod
    def kubeconfig(self) -> Path:
        """A kubeconfig for kubectl and other programs."""

    @abstractmethod
    def kubeconfig_for(self, user: str, *, groups: Iterable[str] = ()) -> Path:
        """Write a kubeconfig for a user who holds a client certificate with these groups, and return its path."""

    def config(self, *, user: str = "", groups: Iterable[str] = ()) -> Config:
        """Return how to reach the server over HTTPS."""
        return Config.load(self.kubeconfig_for(user, groups=groups) if user else self.kubeconfig)

    @abstractmethod
    def kubectl(self, *args: str, input: str | None = None, kubeconfig: Path | None = None) -> str:  # noqa: A002 - as in subprocess.run
        """Run kubectl, as the administrator unless another kubeconfig is given, and return what it printed."""

    # --- for the test itself, blocking ---

    @abstractmethod
    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send one request and return the decoded answer, or raise as the client does."""

    def create_namespace(self) -> str:
        """Create a namespace of a new name, with its `default` service account, and return the name."""
        body = {"metadata": {"generateName": "test-"}}
        name: str = self.call("POST", "/api/v1/namespaces", body)["metadata"]["name"]
        self._add_default_service_account(name)
        return name

    def _add_default_service_account(self, namespace: str) -> None:
        """Do what a controller would: without this account no pod can be created."""
        with suppress(AlreadyExists):  # one was quicker
            self.call("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
