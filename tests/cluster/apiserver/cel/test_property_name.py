from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.cel.property_name import escaped, unescaped


@given(st.from_regex(r"\A[a-zA-Z_./-][a-zA-Z0-9_./-]{0,20}\Z"))
def test_names_come_back(name: Any) -> None:
    """Every name that can be written in an expression means its property, but for runs of three underscores."""
    identifier = escaped(name)
    assert identifier is not None
    if "___" not in name:
        assert unescaped(identifier) == name


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("plain", "plain"),
        ("my-field", "my__dash__field"),
        ("a.b/c", "a__dot__b__slash__c"),
        ("x__y", "x__underscores__y"),
        ("namespace", "__namespace__"),
        ("1st", None),
        ("", None),
        ("é", None),
    ],
)
def test_identifiers_of_properties(name: Any, identifier: Any) -> None:
    """Reserved words and characters that identifiers do not have are spelled out; some names have no identifier."""
    assert escaped(name) == identifier


@pytest.mark.parametrize("name", ["__nothing__", "a__if__"])
def test_unknown_escapes_mean_nothing(name: Any) -> None:
    """What was never escaped cannot be unescaped."""
    assert unescaped(name) is None
