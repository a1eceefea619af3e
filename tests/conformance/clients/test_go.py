"""controller-runtime, at its defaults: it sends built-in kinds as protobuf. For `make soak`: it needs Go's modules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from konverge.testing.cluster import Cluster
from konverge.testing.threaded_cluster import ThreadedCluster

ROOT = Path(__file__).parent.parent.parent.parent
PROGRAM = ROOT / "bench" / "runtime"
COUNT = 50
GADGETS = "/apis/bench.konverge.dev/v1/namespaces/default/gadgets"
PATIENCE = 120.0  # seconds


@pytest.fixture(scope="session")
def controller(tmp_path_factory: pytest.TempPathFactory, kube_build: ModuleType) -> Path:
    """The program of the benchmark, which gives each gadget a config map and a status."""
    output = tmp_path_factory.mktemp("go") / "controller"
    go = kube_build.find_go(kube_build.version_of((PROGRAM / "go" / "go.mod").read_text()))
    kube_build.run([str(go), "build", "-o", str(output), "."], cwd=PROGRAM / "go")
    return output


def test_a_controller_of_children(cluster: Cluster, controller: Path) -> None:
    """Each gadget gets its config map and its status, by informers, protobuf bodies and status updates."""
    crd = yaml.safe_load((PROGRAM / "crd.yaml").read_text())
    cluster.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
    cluster.kubectl("wait", "--for=condition=Established", f"crd/{crd['metadata']['name']}")
    for number in range(COUNT):
        spec = {"image": f"image:{number}", "replicas": 1, "schedule": "0 * * * *"}
        gadget = {"apiVersion": "bench.konverge.dev/v1", "kind": "Gadget", "metadata": {"name": f"g-{number}"}}
        cluster.call("POST", GADGETS, {**gadget, "spec": spec})
    done = subprocess.run(
        [str(controller), "children", str(COUNT)],
        env={**os.environ, "KUBECONFIG": str(cluster.kubeconfig)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert not done.returncode, done.stderr
    assert "done" in json.loads(done.stdout.splitlines()[-1])
    phases = [each["status"]["phase"] for each in cluster.call("GET", GADGETS)["items"]]
    assert phases == ["Ready"] * COUNT
    for number in range(COUNT):
        child = cluster.call("GET", f"/api/v1/namespaces/default/configmaps/g-{number}")
        assert child["data"]["image"] == f"image:{number}"
        assert child["metadata"]["ownerReferences"][0]["kind"] == "Gadget"
    if isinstance(cluster, ThreadedCluster):  # in this process, which loads it with the first such body
        assert "konverge.cluster.apiserver.protobuf.body" in sys.modules
