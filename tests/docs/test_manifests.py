"""The page about manifests: its operator is written, installed and changed as the page says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import konverge as kv
from konverge.api.rbac import grants_of
from konverge.testing import Cluster

PAGE = Path(__file__).resolve().parents[2] / "docs" / "manifests.md"
OBJECTS = "clusterroles,clusterrolebindings,roles,rolebindings,serviceaccounts,services,deployments"
OPERATOR, DECLARED, SPARING = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `konverge manifests` as a user would."""
    command = [sys.executable, "-c", "from konverge.cli import main; main()", "manifests", *args]
    return subprocess.run(command, cwd=cwd, input="", capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the page's operator and its manifests."""
    (tmp_path / "shop.py").write_text(OPERATOR)
    result = run("shop.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    return tmp_path


def test_what_is_written_can_be_applied(cluster: Cluster, project: Path) -> None:
    """In one go, into an empty cluster; and all of it is taken away again."""
    install = str(project / "config" / "install.yaml")
    cluster.kubectl("apply", "--server-side", "--filename", install)
    for line in cluster.kubectl("apply", "--server-side", "--filename", install).splitlines():
        assert line.endswith("serverside-applied")
    cluster.kubectl("delete", OBJECTS, "--all-namespaces", "--selector=app.kubernetes.io/name=shop")
    cluster.kubectl("delete", "crd", "shops.shops.example.com")


def test_every_place_of_the_table_is_there(project: Path) -> None:
    """And no folder is missing from it; this operator has no webhooks, and no use for cert-manager."""
    table = PAGE.read_text().partition("## What is written")[2].partition("\n## ")[0]
    named = {name.partition("/")[0] for name in re.findall(r"^\| `([a-z./-]+)", table, re.MULTILINE)}
    assert named == {path.name for path in (project / "config").iterdir()} | {"webhook", "certmanager"}


def test_a_change_that_breaks_is_told_as_the_page_shows(project: Path) -> None:
    """Word by word."""
    program = project / "shop.py"
    program.write_text(OPERATOR.replace("kv.Maximum(5)", "kv.Maximum(2)"))
    result = run("shop.py", "--against", "config/crd", cwd=project)
    assert result.returncode == 1
    assert result.stdout
    assert result.stdout in PAGE.read_text()


def test_the_declarations_are_as_the_page_says() -> None:
    """All four of them."""
    names: dict[str, type] = {}
    exec(DECLARED, {"kv": kv}, names)
    assert [grant.resources or grant.urls for grant in grants_of(names["Careful"])] == [
        ("jobs", "cronjobs"),
        ("deployments/scale",),
        ("secrets",),
        ("/metrics",),
    ]


def test_declarations_may_take_the_place_of_what_is_known() -> None:
    """With `only`, no verbs at all included."""
    names: dict[str, type] = {}
    exec(SPARING, {"kv": kv}, names)
    assert [(grant.resources, grant.only) for grant in grants_of(names["Sparing"])] == [
        (("deployments",), True),
        (("events",), True),
    ]
