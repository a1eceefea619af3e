"""The import contracts are worth something only if they fail when they should."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on a copy of the source tree."""
    program = Path(sys.executable).with_name("lint-imports")
    env = {**os.environ, "PYTHONPATH": str(folder / "src")}
    return subprocess.run([program, "--no-cache"], cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of what import-linter looks at."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def plant(tree: Path, module: str, line: str) -> None:
    """Add an import to a module."""
    path = tree / "src" / "konverge" / module
    path.write_text(path.read_text() + f"\n{line}\n")


def test_the_tree_keeps_its_contracts(tree: Path) -> None:
    """Without a planted import, every contract is kept."""
    result = lint(tree)
    assert result.returncode == 0, result.stdout


def test_an_upward_import_breaks_the_layers(tree: Path) -> None:
    """An import of the client from api is found and named."""
    plant(tree, "api/kind.py", "from konverge.client import client")
    result = lint(tree)
    assert result.returncode == 1
    assert "Imports go down only BROKEN" in result.stdout
    assert "konverge.api.kind -> konverge.client.client" in result.stdout


def test_io_in_api_breaks_its_contract(tree: Path) -> None:
    """A socket in the pure values is found."""
    plant(tree, "api/kind.py", "import socket")
    result = lint(tree)
    assert result.returncode == 1
    assert "konverge.api.kind -> socket" in result.stdout


def test_a_folder_that_no_layer_names_is_refused(tree: Path) -> None:
    """The list of layers is exhaustive: code cannot hide in a new folder."""
    (tree / "src" / "konverge" / "extra").mkdir()
    (tree / "src" / "konverge" / "extra" / "__init__.py").write_text('"""New."""\n')
    result = lint(tree)
    assert result.returncode == 1
    assert "konverge.extra" in result.stdout


def test_the_built_in_controllers_know_no_server(tree: Path) -> None:
    """They run against any server, so an import of ours is found."""
    plant(tree, "cluster/controllers/claim.py", "from konverge.cluster.apiserver import exchange")
    result = lint(tree)
    assert result.returncode == 1
    assert "konverge.cluster.controllers.claim -> konverge.cluster.apiserver" in result.stdout
