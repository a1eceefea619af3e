"""The page about the node of processes: its program runs, and its catalogue is one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from konverge.cluster.node.process import Catalogue

PAGE = (Path(__file__).parents[2] / "docs" / "node.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL))


def test_the_program() -> None:
    """It prints what the page says."""
    code, _, expected = BLOCKS["python"].rstrip().rpartition("\nsaid  # -> ")
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(said)"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert re.match(re.escape(expected).replace(r"\.\.\.", ".*"), done.stdout.strip())


def test_the_catalogue(tmp_path: Path) -> None:
    """It can be read, and says of each image what the page says."""
    path = tmp_path / "images.yaml"
    path.write_text(BLOCKS["yaml"], encoding="utf-8")
    catalogue = Catalogue.load(path)
    found = catalogue.find("example.com/api:3")
    assert found is not None
    assert (found.command, found.args) == ((str(tmp_path / "api"),), ("--listen", "{ip}:80"))
    assert catalogue.find("busybox") == catalogue.find("docker.io/library/busybox:1")
