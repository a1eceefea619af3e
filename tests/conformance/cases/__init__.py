"""The cases, a module per theme. `ALL` has them in order."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

from harness.script import Case, Cases


def _found() -> list[Case]:
    cases: list[Case] = []
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        if not path.stem.endswith("objects"):
            theme: Cases = import_module(f"cases.{path.stem}").case
            cases += theme.found
    return cases


ALL: Final = _found()
