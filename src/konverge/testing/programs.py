"""The command lines of etcd, kube-apiserver and kube-controller-manager: pure, from a folder and ports to arguments.

They are what kubeadm sets up, on loopback: mutual TLS to etcd, TLS, client certificates, service account tokens,
Node and RBAC authorization, anonymous requests as by default. What differs stands beside its flag with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
ISSUER = "https://kubernetes.default.svc.cluster.local"
SERVICE_RANGE = "10.96.0.0/16"
SERVER_NAMES = (
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "localhost",
    HOST,
    "::1",
    "10.96.0.1",  # the first address of SERVICE_RANGE: the Service `kubernetes`
)


@dataclass(frozen=True, slots=True)
class Ports:
    """The loopback ports of one cluster."""

    etcd: int
    etcd_peer: int
    apiserver: int

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return f"https://{HOST}:{self.apiserver}"


def etcd(program: Path, folder: Path, ports: Ports) -> list[str]:
    """Return etcd's command line: one member that trusts the cluster's authority alone."""
    client, peer = f"https://{HOST}:{ports.etcd}", f"https://{HOST}:{ports.etcd_peer}"
    tls = {"cert-file": folder / "etcd.crt", "key-file": folder / "etcd.key", "trusted-ca-file": folder / "ca.crt"}
    return _command(
        program,
        {
            "name": "etcd",
            "data-dir": folder / "etcd",
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"etcd={peer}",
            "client-cert-auth": "true",
            "peer-client-cert-auth": "true",
            **tls,
            **{f"peer-{flag}": path for flag, path in tls.items()},
            "unsafe-no-fsync": "true",  # the data does not outlive the test
            # The only member waits one election timeout before it leads, and nobody else can.
            "heartbeat-interval": "20",
            "election-timeout": "200",
            "log-level": "warn",
        },
    )


def apiserver(program: Path, folder: Path, ports: Ports) -> list[str]:
    """Return kube-apiserver's command line."""
    return _command(
        program,
        {
            "etcd-servers": f"https://{HOST}:{ports.etcd}",
            "etcd-cafile": folder / "ca.crt",
            "etcd-certfile": folder / "etcd-client.crt",
            "etcd-keyfile": folder / "etcd-client.key",
            "bind-address": HOST,
            "advertise-address": HOST,
            "secure-port": str(ports.apiserver),
            "tls-cert-file": folder / "apiserver.crt",
            "tls-private-key-file": folder / "apiserver.key",
            "client-ca-file": folder / "ca.crt",
            "authorization-mode": "Node,RBAC",
            "enable-admission-plugins": "NodeRestriction",
            "allow-privileged": "true",
            "service-account-issuer": ISSUER,
            "service-account-key-file": folder / "service-accounts.pub",
            "service-account-signing-key-file": folder / "service-accounts.key",
            "service-cluster-ip-range": SERVICE_RANGE,
            "endpoint-reconciler-type": "none",  # an EndpointSlice may not hold a loopback address
        },
    )


def controller_manager(program: Path, folder: Path) -> list[str]:
    """Return kube-controller-manager's command line."""
    return _command(
        program,
        {
            "kubeconfig": folder / "controller-manager.kubeconfig",
            "use-service-account-credentials": "true",
            "service-account-private-key-file": folder / "service-accounts.key",
            "root-ca-file": folder / "ca.crt",
            "cluster-signing-cert-file": folder / "ca.crt",
            "cluster-signing-key-file": folder / "ca.key",
            "controllers": "*",
            "leader-elect": "false",  # there is one
            "kube-api-qps": "1000",  # by default it throttles itself, and takes 4 s more to start
            "kube-api-burst": "1000",
            "secure-port": "0",  # nobody scrapes it
        },
    )


def _command(program: Path, flags: dict[str, str | Path]) -> list[str]:
    return [str(program), *(f"--{flag}={value}" for flag, value in flags.items())]
