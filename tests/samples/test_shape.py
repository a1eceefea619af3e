"""The samples that are projects have the shape that `konverge init` makes today, but for what is named here."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from konverge.cli.scaffold.project import Project, project_of
from konverge.cli.scaffold.project_files import project_files

ROOT: Final = Path(__file__).resolve().parents[2]
PROJECTS: Final = sorted(file.parent for file in (ROOT / "samples").glob("*/pyproject.toml"))
KONVERGE: Final = "konverge==0.1.0"

# Their operators own Deployments and the like, so `make run` comes with the controllers of these.
_RUN: Final = {
    "run the operator on an API server of its own": "run the operator on a control plane of its own",
    "konverge run --local --dev": "konverge run --local --controllers --dev",
}
# The repository's CI runs the samples' tests. One that has no webhooks has no package for them.
_LEFT_OUT: Final = {".github/workflows/ci.yaml", "tests/test_main.py", "src/{package}/webhooks/__init__.py"}
_MORE: Final[dict[str, dict[str, Any]]] = {
    "markdownview": {
        "dependencies": ["prometheus-client>=0.20"],  # for a metric of its own
        "dev": ["markdown-it-py>=3,<5"],  # for tests of its viewer
        "tests/**": ["PLR2004", "S"],  # which run programs
    },
}


def scaffold_of(project: Project) -> dict[str, str]:
    """Return what `konverge init` would write for a sample."""
    return project_files(project, KONVERGE)


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
@pytest.mark.parametrize("name", ["Makefile", "Dockerfile", ".dockerignore"])
def test_it_is_built_and_run_as_a_new_project_is(folder: Path, name: str) -> None:
    """Word for word: who learns from a sample finds the same in a project of their own."""
    text = scaffold_of(project_of(folder))[name]
    for ours, theirs in _RUN.items():
        text = text.replace(ours, theirs)
    assert (folder / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_it_has_the_files_of_a_new_project(folder: Path) -> None:
    """All of them, but for those that are named; and git leaves out what a new project's does."""
    project = project_of(folder)
    expected = scaffold_of(project)
    left_out = {path.format(package=project.package) for path in _LEFT_OUT}
    assert [path for path in expected if path not in left_out and not (folder / path).exists()] == []
    ignored = (folder / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert set(expected[".gitignore"].splitlines()) <= set(ignored)


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_its_settings_are_those_of_a_new_project(folder: Path) -> None:
    """Those of pytest, mypy, ruff and konverge, and what it needs; the description is its own."""
    expected = tomllib.loads(scaffold_of(project_of(folder))["pyproject.toml"])
    found = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    more = _MORE.get(folder.name, {})
    expected["project"]["description"] = found["project"]["description"]
    expected["project"]["dependencies"] += more.get("dependencies", [])
    expected["project"]["optional-dependencies"]["dev"][:0] = more.get("dev", [])
    ignores = expected["tool"]["ruff"]["lint"]["per-file-ignores"]
    ignores["tests/**"] = more.get("tests/**", ignores["tests/**"])
    assert found == expected
