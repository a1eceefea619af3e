from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.node.process.expansion import expand


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$(A)", "1"),
        ("-$(A)$(B)-", "-12-"),
        ("$(NONE)", "$(NONE)"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$1"),
        ("$A ${A} $", "$A ${A} $"),
        ("$(A", "$(A"),
        ("$()", "$()"),
    ],
)
def test_names_are_replaced(text: str, expanded: str) -> None:
    """Only what is written `$(NAME)` and is known."""
    assert expand(text, {"A": "1", "B": "2"}) == expanded


@given(st.text(alphabet="$()AB x"))
def test_what_is_doubled_stays(text: str) -> None:
    """A text whose dollars are all doubled comes out as it was written."""
    assert expand(text.replace("$", "$$"), {"A": "1", "B": "2"}) == text
