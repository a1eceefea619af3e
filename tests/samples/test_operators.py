"""The samples that are projects of their own: their tests on both servers, their roles, and that they share nothing."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = sorted(file.parent for file in (ROOT / "samples").glob("*/pyproject.toml"))
SAMPLES = ["mariadb", "markdownview", "myresource", "tenant", "vcap", "visitors"]
QUIETLY = ("-q", "-p", "no:cacheprovider")
# What each of them may import beside the standard library and itself.
TOOLS = {"konverge", "pytest", "yaml", "prometheus_client", "markdown_it", "rich"}

# What an operator is allowed and does in none of its tests, by group and resource.
HELD: dict[str, dict[tuple[str, str], list[str]]] = {
    "markdownview": {("", "secrets"): ["update"]},  # of its webhooks' certificate, when that is renewed after months
    # It hands this on: nobody can give away a right that they do not have.
    "tenant": {
        ("", "pods"): ["delete", "get", "list", "watch"],
        ("batch", "jobs"): ["create", "delete", "get", "list"],
    },
}


def test_there_are_samples() -> None:
    """Else the tests below would find nothing wrong with none."""
    assert [project.name for project in PROJECTS] == SAMPLES


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_it_works_on_both_servers_with_the_rights_it_declares_and_no_others(project: Path) -> None:
    """Its own tests say what it does; `konverge manifests --audit` compares its calls in them with its roles."""
    report = audited(project)
    assert report["missing"] == []
    unused = {(each["group"], each["resource"]): each["verbs"] for each in report["unused"]}
    assert len(unused) == len(report["unused"])
    assert unused == HELD.get(project.name, {})


def test_its_tests_do_not_rest_on_timing(share: float) -> None:
    """What its operator asks for and sees comes late at random, in its tests on the embedded server."""
    pairs = [(seed, project) for seed in range(5) for project in sorted(PROJECTS, key=_length)]
    for seed, project in pairs[: round(len(pairs) * share)]:
        ran(project, "pytest", "--cluster=embedded", f"--cluster-delays={seed}", *QUIETLY)


def _length(project: Path) -> int:
    return sum(file.stat().st_size for file in project.glob("tests/*.py"))


def audited(project: Path) -> dict[str, Any]:
    """Run a project's tests as its author would, and return what the audit found."""
    audit = ("konverge.cli", "manifests", f"{project.name}.main", "--audit", "--json")
    report: dict[str, Any] = json.loads(ran(project, *audit, "--", "--cluster=embedded,real", *QUIETLY))
    return report


def ran(project: Path, *command: str) -> str:
    """Run a module of Python's in a project's folder, and return what it printed; it must end well."""
    result = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    # The end comes first: a long message is cut, and what failed is told at the end.
    assert result.returncode == 0, f"{result.stderr[-6000:]}\n{result.stdout}"
    return result.stdout


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_it_shares_no_code_with_other_samples(project: Path) -> None:
    """It can be copied out of here as it is: it imports itself, konverge and what its programs are run with."""
    own = {path.stem for folder in ("src", "tests") for path in (project / folder).iterdir()}
    known = own | TOOLS | sys.stdlib_module_names
    files = sorted(file for file in project.rglob("*.py") if not _HIDDEN & set(file.relative_to(project).parts))
    assert len(files) > len(list((project / "src").rglob("*.py")))
    for file in files:
        assert {name.partition(".")[0] for name in imports(file)} <= known, file


def test_no_tool_is_there_for_nobody() -> None:
    """A name that no sample imports would let one in that nobody has looked at."""
    files = [file for project in PROJECTS for file in project.rglob("*.py") if not _HIDDEN & set(file.parts)]
    assert set(TOOLS) <= {name.partition(".")[0] for file in files for name in imports(file)}


_HIDDEN = {".venv", ".konverge", "build", "dist"}  # made by its Makefile, where someone has tried it


def imports(file: Path) -> Iterator[str]:
    """Yield the modules that a file imports."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
