"""client-go as a client that takes protobuf and nothing else. For `make soak`: it needs Go's modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from konverge.testing.cluster import Cluster
from konverge.testing.threaded_cluster import ThreadedCluster

PROGRAM = Path(__file__).parent / "programs" / "protobuf_only" / "main.go"
EXPECTED = """\
created go-protobuf 1 [0 1 2] true true
updated 2 true
patched 3
read map[a:2 c:3]
listed 1
conflict true
absent true configmaps "none" not found
deployment 2 25% 1
scale 2 app=go
informer true true
seen MODIFIED map[a:2]
seen MODIFIED map[a:2 c:3]
seen DELETED map[a:2 c:3]
groups true
"""


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory, kube_build: ModuleType) -> Path:
    """The program, of the client-go that kube-apiserver is built with."""
    output = tmp_path_factory.mktemp("go") / "protobuf-only"
    go = kube_build.find_go(kube_build.required_go())
    command = [str(go), "build", "-trimpath", "-o", str(output), str(PROGRAM)]
    kube_build.run(command, cwd=kube_build.HERE / "kubernetes")
    return output


def test_every_verb_in_protobuf_alone(cluster: Cluster, client: Path) -> None:
    """Objects, lists, refusals, watches, informers and discovery: Go reads what the server writes."""
    command = [str(client), str(cluster.kubeconfig)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.returncode) == (EXPECTED, 0)
    if isinstance(cluster, ThreadedCluster):  # in this process, which loads it with the first such answer
        assert "konverge.cluster.apiserver.protobuf.answer" in sys.modules
