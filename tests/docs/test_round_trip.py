from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "round-trip.md"


@pytest.mark.filterwarnings("ignore")  # what other clients' code warns about is not ours to mend
def test_the_code_of_the_page_runs() -> None:
    """Its blocks are one program, and its assertions hold: for konverge, and for the clients it is compared with."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks) == 4


def test_the_page_names_the_versions_it_was_run_with() -> None:
    """A newer client may do better, and the page must not claim what was not tried."""
    text = PAGE.read_text(encoding="utf-8")
    assert version("kubernetes") in text
    assert version("lightkube") in text
