from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec

from konverge.cluster.node.behaviour import Behaviour

PAGE = Path(__file__).parents[2] / "docs" / "built-in-controllers.md"


def test_the_program_of_the_page_runs(tmp_path: Path) -> None:
    """As it is printed: three pods with an address each."""
    (program,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert run.stdout == "['10.244.0.2', '10.244.0.3', '10.244.0.4']\n"


def test_the_table_names_every_field() -> None:
    """What a pod may be told to do is told to the reader."""
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| `.*$", PAGE.read_text(), re.MULTILINE))))
    assert set(Behaviour.__struct_encode_fields__) <= named
    assert msgspec.json.encode(Behaviour())
