"""The page about custom resources: its examples run, and its table of markers is complete and tested."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import marker_kinds
import pytest

import konverge as kv

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "custom-resources.md"
DATA = ROOT / "tests" / "manifest" / "data"
GO = "\n".join(path.read_text() for path in sorted((DATA / "go").rglob("*.go")))
PYTHON = Path(marker_kinds.__file__).read_text()
ROW = re.compile(r"^\| `\+(?P<marker>[\w:]+)` \| (?P<text>.+) \|$", re.MULTILINE)

_, WITH, WITHOUT = re.split(
    r"^## Every kubebuilder marker.*$|^Without a counterpart:$", PAGE.read_text(), flags=re.MULTILINE
)
COUNTERPARTS = dict(ROW.findall(WITH))
MISSING = dict(ROW.findall(WITHOUT))


def test_the_examples_of_the_page_run(run_page: Callable[[Path], int], capsys: pytest.CaptureFixture[str]) -> None:
    """Each block runs, what it says is what happens, and the changes that are printed stand on the page."""
    assert run_page(PAGE) == 4
    printed = capsys.readouterr().out
    assert printed
    assert printed in PAGE.read_text()


def test_every_marker_that_controller_gen_knows_is_in_a_table() -> None:
    """No marker is left out, and none is there that does not exist."""
    known = (DATA / "golden" / "markers.txt").read_text().split()
    assert sorted({**COUNTERPARTS, **MISSING}) == known
    assert not COUNTERPARTS.keys() & MISSING.keys()


@pytest.mark.parametrize("marker", COUNTERPARTS)
def test_each_row_is_in_the_test_set(marker: str) -> None:
    """The Go types use the marker and the Python types what the row names; `test_controller_gen` compares both."""
    assert re.search(rf"\+{marker}\b(?!:\w+=?$)", GO), "the Go types do not use it"
    for name in re.findall(r"\bkv\.(\w+)", COUNTERPARTS[marker]):
        assert hasattr(kv, name)
        assert f"kv.{name}" in PYTHON, f"the Python types do not use kv.{name}"
    for argument in re.findall(r"\bkv\.resource\(([^)]+)", COUNTERPARTS[marker]):
        for name in re.findall(r"(\w+)=", argument):
            assert re.search(rf"\b{name}=", PYTHON), f"the Python types do not use {name}="
