"""The pytest plugin, in a pytest of its own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from konverge import Client, ObjectMeta, clock
from konverge.models.core_v1 import Namespace
from konverge.testing import Cluster
from konverge.testing.virtual_time import START

NEEDS_CLUSTER = "def test_it(cluster):\n    assert cluster.server\n"
NEEDS_REAL = "def test_it(real_cluster):\n    assert real_cluster.server\n"


def run_pytest(folder: Path, test: str, *args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run one test file as a user's project would."""
    (folder / "test_it.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *args]
    inherited = {key: value for key, value in os.environ.items() if key != "CI"}
    return subprocess.run(
        command, cwd=folder, env=inherited | environ, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_embedded_server_needs_no_programs(tmp_path: Path) -> None:
    """By default a test runs on it, under its own name, on a machine that has nothing but Python."""
    result = run_pytest(tmp_path, NEEDS_CLUSTER, KONVERGE_KUBE_ASSETS=str(tmp_path))
    assert result.returncode == 0
    assert "PASSED test_it.py::test_it\n" in result.stdout


@pytest.mark.parametrize(("test", "options"), [(NEEDS_REAL, []), (NEEDS_CLUSTER, ["--cluster=real"])])
def test_without_programs_tests_are_skipped(tmp_path: Path, test: str, options: list[str]) -> None:
    """A machine without the programs skips what needs them, with the sentence that says what to do."""
    result = run_pytest(tmp_path, test, *options, KONVERGE_KUBE_ASSETS=str(tmp_path))
    assert result.returncode == 0
    assert "1 skipped" in result.stdout
    assert "a real Kubernetes is needed" in result.stdout
    assert "run `make kube`" in result.stdout


def test_in_ci_that_is_a_failure(tmp_path: Path) -> None:
    """With CI=true the same is an error with the same sentence."""
    result = run_pytest(tmp_path, NEEDS_REAL, KONVERGE_KUBE_ASSETS=str(tmp_path), CI="true")
    assert result.returncode == 1
    assert "1 error" in result.stdout
    assert "run `make kube`" in result.stdout


OWN_OPTION = """
def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true")
"""


def test_a_project_keeps_its_own_options(tmp_path: Path) -> None:
    """The plugin adds no option or fixture of a general name, so a project may have them."""
    (tmp_path / "conftest.py").write_text(OWN_OPTION)
    result = run_pytest(tmp_path, "def test_it(pytestconfig):\n    assert pytestconfig.getoption('--soak')\n", "--soak")
    assert result.returncode == 0
    (tmp_path / "conftest.py").unlink()
    assert run_pytest(tmp_path, "def test_it(share):\n    pass\n").returncode == 1


DELAYED = """
def test_it(cluster):
    print(repr(cluster.delays))
"""


@pytest.mark.usefixtures("real_cluster")  # for its skip rule
@pytest.mark.parametrize("server", ["embedded", "real"])
def test_delays_are_there_when_asked_for(tmp_path: Path, server: str) -> None:
    """By default everything is as fast as it is."""
    assert "None" in run_pytest(tmp_path, DELAYED, f"--cluster={server}").stdout
    late = run_pytest(tmp_path, DELAYED, f"--cluster={server}", "--cluster-delays=7")
    assert "<Delays of seed 7>" in late.stdout
    refused = run_pytest(tmp_path, DELAYED, "--cluster-delays=long")
    assert "argument --cluster-delays: invalid int value: 'long'" in refused.stderr


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


EACH_SERVER = """
import pytest

def test_both(cluster):
    assert "default" in [each["metadata"]["name"] for each in cluster.call("GET", "/api/v1/namespaces")["items"]]

@pytest.mark.cluster("real")
def test_real(cluster):
    assert cluster.processes

@pytest.mark.virtual_time
@pytest.mark.asyncio
async def test_virtual(cluster):
    await cluster.client().version()

def test_none():
    pass
"""


@pytest.mark.usefixtures("real_cluster")  # for its skip rule
def test_a_test_runs_on_each_server_that_it_is_for(tmp_path: Path) -> None:
    """On those of the option, unless it names its own; one under virtual time on the embedded one."""
    result = run_pytest(tmp_path, EACH_SERVER, "--cluster=embedded,real")
    assert result.returncode == 0, result.stdout
    passed = [line.partition("::")[2] for line in result.stdout.splitlines() if line.startswith("PASSED")]
    both = ["test_both[embedded]", "test_both[real]"]
    assert passed == [*both, "test_real[real]", "test_virtual[embedded]", "test_none"]


def test_an_unknown_server_is_refused(tmp_path: Path) -> None:
    """With those that there are."""
    result = run_pytest(tmp_path, NEEDS_CLUSTER, "--cluster=kind")
    assert result.returncode == 4
    assert "'kind' is no server: choose from embedded, real" in result.stderr


def test_a_cluster_of_the_projects_own(tmp_path: Path) -> None:
    """A project that has a fixture of that name keeps it, and its tests run once."""
    fixture = "import pytest\n@pytest.fixture\ndef cluster():\n    return 7\n"
    result = run_pytest(
        tmp_path, fixture + "def test_it(cluster):\n    assert cluster == 7\n", "--cluster=embedded,real"
    )
    assert result.returncode == 0
    assert "PASSED test_it.py::test_it\n" in result.stdout


def test_each_test_has_its_namespace(cluster: Cluster, namespace: str) -> None:
    """The fixture is the name of an active namespace, in which pods can be created."""
    assert cluster.call("GET", f"/api/v1/namespaces/{namespace}")["status"]["phase"] == "Active"
    assert cluster.call("GET", f"/api/v1/namespaces/{namespace}/serviceaccounts/default")


FIRST_NAMESPACE: dict[str, str] = {}


@pytest.mark.parametrize("turn", [0, 1])
def test_a_namespace_ends_with_its_test(cluster: Cluster, namespace: str, turn: int) -> None:
    """The namespace of the test before is gone, though nothing in the cluster finishes deletions."""
    server = type(cluster).__name__
    if turn == 0:
        FIRST_NAMESPACE[server] = namespace
        return
    found = cluster.call("GET", "/api/v1/namespaces")["items"]
    names = [each["metadata"]["name"] for each in found]
    assert namespace in names
    assert FIRST_NAMESPACE[server] not in names


# --- virtual time ---


@pytest.fixture
async def client(cluster: Cluster) -> AsyncIterator[Client]:
    """A client, from an async fixture."""
    async with cluster.client() as connected:
        yield connected


@pytest.mark.virtual_time
async def test_a_day_takes_no_time(client: Client, namespace: str) -> None:
    """The test, its async fixtures and the server share a clock that jumps; names and uids are the same each time."""
    before = await client.get(Namespace, namespace)
    assert (before.metadata.name, before.metadata.creation_timestamp) == ("test-1", START)
    await asyncio.sleep(24 * 3600)
    after = await client.create(Namespace(metadata=ObjectMeta(name="later")))
    assert after.metadata.creation_timestamp == START + timedelta(days=1)
    assert clock.now() == START + timedelta(days=1)


def test_virtual_time_is_for_async_tests(tmp_path: Path) -> None:
    """One that is not async would wait in real time, so it is refused."""
    test = "import pytest\n@pytest.mark.virtual_time\ndef test_it():\n    pass\n"
    result = run_pytest(tmp_path, test)
    assert result.returncode != 0
    assert "test_it.py::test_it: virtual_time is for async tests, and this one is not" in result.stdout + result.stderr


HOLDS_CLUSTER = """
import json, sys

def test_it(real_cluster):
    pids = [real_cluster._processes.supervisor_pid, *real_cluster.processes.values()]
    print("HERE " + json.dumps([pids, str(real_cluster.folder)]), flush=True)
    sys.stdin.read()
"""


@pytest.mark.usefixtures("real_cluster")  # for its skip rule
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
