"""What an author has written is not lost by a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from konverge.cli.scaffold.main_module import Wiring
from konverge.cli.scaffold.project import Project
from konverge.cli.scaffold.writing import Writing, asking
from konverge.errors import ConfigError

FILES = {"a.txt": "one\n", "b/c.txt": "two\n"}


@pytest.fixture
def console() -> Console:
    """A console that remembers."""
    return Console(record=True, highlight=False, soft_wrap=True)


def test_new_files_are_written_and_told(tmp_path: Path, console: Console) -> None:
    """A second time, nothing is left to do."""
    for said in (["wrote", "wrote"], []):
        Writing(tmp_path, None, console=console).write(FILES)
        assert [line.split()[0] for line in console.export_text().splitlines()] == said
    assert (tmp_path / "b" / "c.txt").read_text() == "two\n"


def test_where_nobody_can_be_asked_nothing_is_written(tmp_path: Path, console: Console) -> None:
    """The error names the file, and what to do."""
    mine = tmp_path / "b" / "c.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(ConfigError, match=r"b/c\.txt: there already, so nothing was written; --force"):
        Writing(tmp_path, None, console=console).write(FILES)
    assert not (tmp_path / "a.txt").exists()
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("yes", [True, False])
def test_who_is_asked_decides(tmp_path: Path, console: Console, yes: bool) -> None:
    """File by file."""
    (tmp_path / "a.txt").write_text("mine")
    asked: list[Path] = []

    def ask(path: Path) -> bool:
        asked.append(path)
        return yes

    Writing(tmp_path, ask, console=console).write(FILES)
    assert asked == [tmp_path / "a.txt"]
    assert (tmp_path / "a.txt").read_text() == ("one\n" if yes else "mine")
    assert ("kept" in console.export_text()) is not yes


def test_force_asks_nobody(tmp_path: Path) -> None:
    """Under pytest the standard input is no terminal, so nobody could be."""
    assert asking(force=False) is None
    allowed = asking(force=True)
    assert allowed is not None
    assert allowed(tmp_path)


def test_a_line_without_a_place_is_told(tmp_path: Path, console: Console) -> None:
    """With the file that it belongs to."""
    project = Project(folder=tmp_path, name="shop", domain="example.com", main="shop.main")
    project.source.mkdir(parents=True)
    (project.source / "main.py").write_text("manager = None\n")
    Writing(tmp_path, None, console=console).wire(project, Wiring(calls=("add_cart_controller",)))
    assert console.export_text() == f"add add_cart_controller(manager) to add_to in {project.source / 'main.py'}\n"


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """A file stands where a folder should be."""
    (tmp_path / "b").write_text("")
    with pytest.raises(ConfigError, match=r"b/c\.txt: cannot be"):
        Writing(tmp_path, None).write({"b/c.txt": ""})
