"""The first sample: `make hello` shows it at work."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELLO = ROOT / "samples" / "hello"


def test_the_demo_ends_by_itself_with_a_table(tmp_path: Path) -> None:
    """From another folder, without a terminal: three steps, and what to try next."""
    result = subprocess.run(
        [sys.executable, HELLO / "demo.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    rows = [line for line in result.stdout.splitlines() if line.startswith("│")]
    steps = [row.split("│")[1].strip() for row in rows]
    assert [step for step in steps if step] == [
        "a Greeting is created",
        "its ConfigMap is deleted",
        "the Greeting is changed",
    ]
    assert "Grace: Hello, Grace!" in rows[2]
    assert "Barbara: Hello, Barbara!" in rows[-1]
    assert "Try next" in result.stdout


def test_what_the_demo_names_is_there() -> None:
    """Each file it says to try, and the target of the Makefile that runs it."""
    text = (HELLO / "demo.py").read_text(encoding="utf-8")
    for name in ("samples/hello/greeting-crd.yaml", "samples/hello/hello.py", "docs/controllers.md", "docs/testing.md"):
        assert name in text
        assert (ROOT / name).exists()
    assert "python samples/hello/demo.py" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_operator_has_twenty_lines() -> None:
    """Without its docstring and empty lines."""
    text = (HELLO / "hello.py").read_text(encoding="utf-8")
    first = ast.parse(text).body[1]
    lines = text.splitlines()[first.lineno - 1 :]
    assert len([line for line in lines if line.strip()]) == 20
