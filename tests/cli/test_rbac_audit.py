"""`konverge manifests --audit`: an operator with one rule too few and one too many is told of both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from konverge.cli.rbac_audit import own_calls
from konverge.manager.call_log import Call, Owner, Seen

OPERATOR = Path(__file__).parent / "data" / "audited.py"
# The same program may run on both servers: it looks at its own namespace alone.
TESTS = """
import konverge as kv
from audited import Shop, add_to
from konverge.manifest import crd
from konverge.testing import running, wait_for


async def test_a_shop_gets_its_sign(cluster, namespace):
    await cluster.install(crd(Shop))
    election = kv.LeaderElection(id="shop", namespace=namespace)
    options = kv.CacheOptions(namespaces=(namespace,))
    manager = add_to(cluster.manager(cache=options, leader_election=election))
    async with running(manager), cluster.client(namespace=namespace) as client:
        await client.create(Shop(metadata=kv.ObjectMeta(name="corner")))
        await wait_for(client, Shop, "corner", until=lambda shop: shop.status.ready)
"""
CONFIGURATION = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
ARGUMENTS = ("--", "-q", "-p", "no:cacheprovider")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the operator and its tests."""
    shutil.copy(OPERATOR, tmp_path)
    (tmp_path / "test_audited.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(CONFIGURATION)
    return tmp_path


def audit(project: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, in a wide terminal."""
    program = [sys.executable, "-c", "from konverge.cli import main; main()"]
    command = [*program, "manifests", "audited.py", "--audit", *args]
    env = os.environ | {"NO_COLOR": "1", "COLUMNS": "160", "PYTHONPATH": str(project)}
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, env=env, timeout=240)


@pytest.mark.usefixtures("real_cluster")  # for its skip rule
@pytest.mark.parametrize("server", ["embedded", "real"])
def test_what_is_missing_and_what_is_unused_are_told(project: Path, server: str) -> None:
    """As measured: the Secret that is read, the Jobs that are not made, and what the builder gives without need."""
    result = audit(project, "--json", *ARGUMENTS, f"--cluster={server}")
    assert result.returncode == 1, result.stderr
    found = json.loads(result.stdout)
    (missing,) = found["missing"]
    assert (missing["resource"], missing["verbs"], missing["names"]) == ("secrets", ["get"], ["register"])
    assert missing["tests"] == ["test_audited.py::test_a_shop_gets_its_sign"]
    assert missing["declare"] == '@kv.rbac("", "secrets", verbs="get")'
    unused = {each["resource"]: (each["verbs"], each["origin"]) for each in found["unused"]}
    assert unused == {
        "configmaps": (["delete", "update"], "the builder"),
        "events": (["create", "patch"], "the builder"),
        "jobs": (["create", "get"], "@kv.rbac"),
        "shops": (["patch", "update"], "the builder"),
        "shops/status": (["get", "patch"], "the builder"),
    }
    assert [each["resource"] for each in found["not_judged"]] == ["shops/finalizers"]


def test_with_all_rules_the_exit_code_is_0(project: Path) -> None:
    """What is told is a table for people, with its limits; nothing is written."""
    program = project / "audited.py"
    text = program.read_text().replace('@kv.rbac("batch"', '@kv.rbac("", "secrets", verbs="get")\n@kv.rbac("batch"')
    program.write_text(text)
    result = audit(project, *ARGUMENTS)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Needed and not allowed" not in result.stdout
    assert "jobs.batch" in result.stdout
    assert "What no test did is not known" in result.stdout
    assert not (project / "config").exists()


def test_tests_that_fail_are_no_proof(project: Path) -> None:
    """The exit code is 1 whatever was found; where no manager ran at all, that is an error of its own."""
    (project / "test_audited.py").write_text(TESTS.replace("shop.status.ready)", "False, within=1)"))
    result = audit(project, *ARGUMENTS)
    assert result.returncode == 1
    assert "The tests ended with exit code 1: this is about what ran before." in result.stdout
    result = audit(project, *ARGUMENTS, "-k", "nothing")
    assert result.returncode == 1
    assert "error: pytest found no tests here" in result.stderr


def test_arguments_for_pytest_go_with_an_audit(project: Path) -> None:
    """Without it they are a mistake, not ignored."""
    command = [sys.executable, "-c", "from konverge.cli import main; main()", "manifests", "audited.py", "--json"]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == "error: --json and arguments for pytest go with --audit\n"


def test_managers_of_others_are_left_out() -> None:
    """Those whose controllers are none of the operator's; one with some of its controllers counts."""
    call = Seen(Call("GET", "/api/v1/pods"))
    recorded = [(Owner(("shop",)), [call]), (Owner(("replicaset", "shop")), [call]), (Owner(()), [call])]
    assert own_calls(recorded, ("shop", "till")) == ([call, call], ("replicaset",))
