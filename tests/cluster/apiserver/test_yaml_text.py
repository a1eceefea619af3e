"""YAML in the style of the real server."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.yaml_text import yaml_bytes

TEXTS = st.text() | st.sampled_from(
    ["", "y", "no", "1", "1.5", "2026-01-01", "null", "~", "a: b", "- a", "a\nb", "0x1"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)
)


# What kube-apiserver 1.36.3 writes of a ConfigMap with these values.
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("1", '"1"'),
        ("true", '"true"'),
        ("1e3", '"1e3"'),
        ("0o7", '"0o7"'),
        ("08", '"08"'),
        ("1.2.3", "1.2.3"),
        ("yes", '"yes"'),
        ("n", '"n"'),
        ("", '""'),
        ("2026-01-01T00:00:00Z", '"2026-01-01T00:00:00Z"'),
        ("a: b", "'a: b'"),
        ("- a", "'- a'"),
        ("{a}", "'{a}'"),
        ("a\nb", "|-\n    a\n    b"),
        ("a\nb\n", "|\n    a\n    b"),
        ("it's", "it's"),
        ("ümläut", "ümläut"),
    ],
)
def test_texts(text: str, written: str) -> None:
    """What would be read as something else is quoted twice; what could not be read, once; lines are a block."""
    assert yaml_bytes({"data": {"k": text}}).decode() == f"data:\n  k: {written}\n"


@given(VALUES)
def test_reads_back(value: object) -> None:
    """Whatever is written is read back the same."""
    assert yaml.safe_load(yaml_bytes({"value": value})) == {"value": value}


def test_a_value_in_two_places() -> None:
    """No names and references: each stands where it is."""
    shared = {"a": 1}
    assert yaml_bytes({"x": shared, "y": shared}) == b'x:\n  a: 1\n"y":\n  a: 1\n'
