"""The spelling of YAML, beside that of the library that controller-gen writes with.

`layout.yaml` is what it made of `layout.json`: `python -m tools.controller_gen.generate`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from konverge.manifest import to_yaml

DATA = Path(__file__).parent / "data"
VALUES: dict[str, Any] = json.loads((DATA / "layout.json").read_text())


def test_values_and_keys_are_spelled_as_go_spells_them() -> None:
    """Texts that look like something else, long ones, several lines, numbers and the order of keys: byte for byte."""
    assert to_yaml(VALUES) == (DATA / "layout.yaml").read_text()


@pytest.mark.parametrize("text", [*VALUES["texts"], "<<", "=", "\N{GRINNING FACE}"])
def test_a_text_reads_as_it_was_written(text: str) -> None:
    """Whatever the spelling, a reader gets the same text."""
    assert yaml.safe_load(to_yaml({"a": [text]})) == {"a": [text]}


def test_documents_are_apart() -> None:
    """Several manifests make one file."""
    assert to_yaml({"a": 1}, {"b": 2}) == "---\na: 1\n---\nb: 2\n"
