"""client-go's own example of leader election, as it is: it sends leases as protobuf. For `make soak`: it needs Go."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from konverge.testing.cluster import Cluster

EXAMPLE = "k8s.io/client-go/examples/leader-election"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
LOCK = "go-leader-election"
PATIENCE = 120.0  # seconds; who waits looks every five


@pytest.fixture(scope="session")
def candidate(tmp_path_factory: pytest.TempPathFactory, kube_build: ModuleType) -> Path:
    """The example, of the client-go that kube-apiserver is built with."""
    output = tmp_path_factory.mktemp("go") / "leader-election"
    go = kube_build.find_go(kube_build.required_go())
    kube_build.run([str(go), "build", "-trimpath", "-o", str(output), EXAMPLE], cwd=kube_build.HERE / "kubernetes")
    return output


class Candidate:
    """A process that wants to lead, and what it says."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def says(self, text: str) -> bool:
        """Wait for a line with this text; False if there is none until it ends."""
        assert self.process.stderr is not None
        return any(text in line for line in self.process.stderr)


@contextmanager
def running(program: Path, cluster: Cluster, identity: str) -> Iterator[Candidate]:
    """Run a candidate; it is ended with the block, or when patience is over."""
    options = [f"-kubeconfig={cluster.kubeconfig}", f"-lease-lock-name={LOCK}", "-lease-lock-namespace=default"]
    command = [str(program), *options, f"-id={identity}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        guard = threading.Timer(PATIENCE, process.kill)
        guard.start()
        try:
            yield Candidate(process)
        finally:
            guard.cancel()
            process.kill()


def lease_of(cluster: Cluster) -> dict[str, Any]:
    """Return the spec of the lock."""
    spec: dict[str, Any] = cluster.call("GET", f"{LEASES}/{LOCK}")["spec"]
    return spec


def test_the_lead_goes_from_one_to_the_other(cluster: Cluster, candidate: Path) -> None:
    """The first leads and the second waits; when the first steps down, the second takes the lease."""
    with running(candidate, cluster, "first") as first:
        assert first.says("Controller loop")
        assert lease_of(cluster)["holderIdentity"] == "first"
        with running(candidate, cluster, "second") as second:
            assert second.says("new leader elected: first")
            first.process.terminate()
            assert first.says("leader lost: first")
            assert first.process.wait(PATIENCE) == 0
            assert second.says("Controller loop")
            spec = lease_of(cluster)
    assert spec["holderIdentity"] == "second"
    assert spec["leaseDurationSeconds"] == 60
