"""The pytest plugin, in a pytest of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from konverge.testing import RealCluster

NEEDS_CLUSTER = "def test_it(cluster):\n    assert cluster.server\n"


def run_pytest(folder: Path, test: str, *args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run one test file as a user's project would."""
    (folder / "test_it.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *args]
    inherited = {key: value for key, value in os.environ.items() if key != "CI"}
    return subprocess.run(
        command, cwd=folder, env=inherited | environ, capture_output=True, text=True, timeout=120, check=False
    )


def test_without_programs_tests_are_skipped(tmp_path: Path) -> None:
    """A machine without the programs skips, with the sentence that says what to do."""
    result = run_pytest(tmp_path, NEEDS_CLUSTER, KONVERGE_KUBE_ASSETS=str(tmp_path))
    assert result.returncode == 0
    assert "1 skipped" in result.stdout
    assert "a real Kubernetes is needed" in result.stdout
    assert "run `make kube`" in result.stdout


def test_in_ci_that_is_a_failure(tmp_path: Path) -> None:
    """With CI=true the same is an error with the same sentence."""
    result = run_pytest(tmp_path, NEEDS_CLUSTER, KONVERGE_KUBE_ASSETS=str(tmp_path), CI="true")
    assert result.returncode == 1
    assert "1 error" in result.stdout
    assert "run `make kube`" in result.stdout


OWN_OPTION = """
def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true")
"""


def test_a_project_keeps_its_own_options(tmp_path: Path) -> None:
    """The plugin adds no option and no fixture of a general name, so a project may have them."""
    (tmp_path / "conftest.py").write_text(OWN_OPTION)
    result = run_pytest(tmp_path, "def test_it(pytestconfig):\n    assert pytestconfig.getoption('--soak')\n", "--soak")
    assert result.returncode == 0
    (tmp_path / "conftest.py").unlink()
    assert run_pytest(tmp_path, "def test_it(share):\n    pass\n").returncode == 1


def test_loading_the_plugin_is_light() -> None:
    """The start of pytest does not pay for konverge's dependencies."""
    # pytest itself comes first: what it imports is not ours to answer for.
    script = (
        "import sys, pytest; before = set(sys.modules)\n"
        "import konverge.testing.plugin; new = set(sys.modules) - before\n"
        "print(sorted(new & {'aiohttp', 'asyncio', 'cryptography', 'msgspec', 'ssl', 'yaml'}))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_each_test_has_its_namespace(cluster: RealCluster, namespace: str) -> None:
    """The fixture is the name of an active namespace."""
    assert cluster.call("GET", f"/api/v1/namespaces/{namespace}")["status"]["phase"] == "Active"


FIRST_NAMESPACE: list[str] = []


@pytest.mark.parametrize("turn", [0, 1])
def test_a_namespace_ends_with_its_test(cluster: RealCluster, namespace: str, turn: int) -> None:
    """The namespace of the test before is gone, though nothing in the cluster finishes deletions."""
    if turn == 0:
        FIRST_NAMESPACE[:] = [namespace]
        return
    found = cluster.call("GET", "/api/v1/namespaces")["items"]
    names = [each["metadata"]["name"] for each in found]
    assert namespace in names
    assert FIRST_NAMESPACE[0] not in names


HOLDS_CLUSTER = """
import json, sys

def test_it(cluster):
    pids = [cluster._processes.supervisor_pid, *cluster.processes.values()]
    print("HERE " + json.dumps([pids, str(cluster.folder)]), flush=True)
    sys.stdin.read()
"""


@pytest.mark.usefixtures("cluster")  # for its skip rule
def test_nothing_outlives_a_killed_pytest(tmp_path: Path, watch_end: Callable[[int], Callable[[], None]]) -> None:
    """When pytest is killed with SIGKILL, supervisor, etcd and API server end and the folder is removed."""
    (tmp_path / "test_it.py").write_text(HOLDS_CLUSTER)
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout
        said = next(line for line in killed.stdout if "HERE " in line)
        pids, folder = json.loads(said.partition("HERE ")[2])
        assert len(pids) == 3
        assert Path(folder).exists()
        ends = [watch_end(pid) for pid in pids]
        killed.send_signal(signal.SIGKILL)
    for ended in ends:
        ended()
    assert not Path(folder).exists()
