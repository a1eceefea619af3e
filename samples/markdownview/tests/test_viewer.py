"""The viewer: the program that runs in the pods."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

PROGRAM = Path(__file__).parents[1] / "viewer" / "viewer.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two files, and one that is no Markdown."""
    (tmp_path / "README.md").write_text("# Hi\n\n<script>alert(1)</script>\n\n| a |\n|---|\n| b |\n")
    (tmp_path / "more.md").write_text("~~old~~ *new*\n")
    (tmp_path / "secret.txt").write_text("no\n")
    return tmp_path


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    """The address of a viewer of the folder; it ends in order."""
    command = [sys.executable, str(PROGRAM), str(folder), "--address", "127.0.0.1", "--port", "0"]
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ) as viewer:
        assert viewer.stdout is not None
        found = re.search(r"http://\S+", viewer.stdout.readline())
        assert found
        yield found[0]
        viewer.send_signal(signal.SIGTERM)
    assert viewer.returncode == 0


def page(url: str) -> str:
    """Return a page."""
    with urlopen(url, timeout=30) as answer:
        return str(answer.read().decode())


def test_a_file_becomes_a_page(url: str) -> None:
    """With tables, and with HTML shown as text."""
    first = page(url)
    assert "<h1>Hi</h1>" in first
    assert "<td>b</td>" in first
    assert "&lt;script&gt;alert(1)" in first
    assert '<a href="more.md">more</a>' in first
    assert "<s>old</s> <em>new</em>" in page(f"{url}/more.md")


def test_a_page_is_as_new_as_its_file(url: str, folder: Path) -> None:
    """Nothing has to be started again."""
    (folder / "README.md").write_text("# Bye\n")
    assert "<h1>Bye</h1>" in page(url)


def test_without_a_first_page_there_is_a_list(url: str, folder: Path) -> None:
    """Of all that can be seen."""
    (folder / "README.md").unlink()
    assert "<h1>Files</h1>" in page(url)


def test_it_says_that_it_is_well(url: str) -> None:
    """For the probes."""
    assert page(f"{url}/healthz") == "ok"


@pytest.mark.parametrize("path", ["secret.txt", "none.md", "../README.md", "%2e%2e/README.md", "//etc/passwd"])
def test_nothing_else_is_served(url: str, path: str) -> None:
    """Neither other files nor other folders."""
    with pytest.raises(HTTPError, match="404"):
        page(f"{url}/{path}")
