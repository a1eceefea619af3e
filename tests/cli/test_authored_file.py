"""What tells a command's own file from an author's."""

from __future__ import annotations

from pathlib import Path

import pytest

from konverge.cli.authored_file import body, is_authored, write


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file as the command writes it."""
    path = tmp_path / "some" / "file.yaml"
    assert write(path, "a: 1\n")
    return path


def test_what_was_written_is_not_the_authors(file: Path) -> None:
    """Nor is what is not there, nor what a checkout gave other line ends."""
    assert not is_authored(file)
    assert not is_authored(file.with_name("none.yaml"))
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert not is_authored(file)


@pytest.mark.parametrize("text", ["", "a: 1\n", "# Written by konverge manifests (0123456789abcdef). Edit.\na: 1\n"])
def test_anything_else_is(file: Path, text: str) -> None:
    """An empty file, one without the line, one whose digest does not fit."""
    file.write_text(text)
    assert is_authored(file)


def test_what_is_no_text_is_the_authors(file: Path) -> None:
    """Whatever it is, it was not written here."""
    file.write_bytes(b"\xff\xfe")
    assert is_authored(file)


def test_the_same_text_is_not_written_again(file: Path) -> None:
    """So a run that changes nothing says so."""
    assert not write(file, "a: 1\n")
    assert write(file, "a: 2\n")
    assert body(file) == "a: 2\n"
