"""Two servers for the programs of others: the session's real one, and an embedded one over HTTPS; and Go."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from harness.kubectl import Kubectl, Transcript

from konverge.testing import binaries
from konverge.testing.real_cluster import RealCluster
from konverge.testing.threaded_cluster import ThreadedCluster


@pytest.fixture(scope="module")
def embedded_cluster() -> Iterator[ThreadedCluster]:
    """An embedded cluster for all tests of a module."""
    with ThreadedCluster() as started:
        yield started


@pytest.fixture
def transcript(
    real_cluster: RealCluster, embedded_cluster: ThreadedCluster, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Transcript]:
    """The same commands on both servers, in a namespace of the test's own; the answers are compared at the end."""
    program = binaries.find("kubectl")["kubectl"]
    name = request.node.name.removeprefix("test_").replace("_", "-")[:40].rstrip("-")
    homes = [tmp_path / "real", tmp_path / "embedded"]
    for home in homes:
        home.mkdir()
    made = Transcript(
        real=Kubectl(program, real_cluster.kubeconfig, homes[0], name),
        embedded=Kubectl(program, embedded_cluster.kubeconfig, homes[1], name),
    )
    made.run(f"create namespace {name}")
    yield made
    assert not made.differences, "\n" + "\n\n".join(made.differences)


@pytest.fixture(scope="session")
def kube_build() -> ModuleType:
    """The script that knows where Go is and how to call it; it is in no package."""
    script = Path(__file__).resolve().parents[3] / "tools" / "kube" / "build.py"
    spec = importlib.util.spec_from_file_location("kube_build", script)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = tool  # its dataclasses look for their module
    spec.loader.exec_module(tool)
    return tool


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what is for `make soak` alone."""
    return True if collection_path.name.startswith("test_go") and not config.getoption("--soak") else None
