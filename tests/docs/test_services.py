"""The page about services: its program runs, and prints what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "services.md").read_text(encoding="utf-8")
[PROGRAM] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_program() -> None:
    """It says what the pod says."""
    code, _, expected = PROGRAM.rstrip().rpartition("\nsaid  # -> ")
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(said)"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == expected
