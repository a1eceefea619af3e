"""Conditions of the common form."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.rules.status.conditions import condition_errors

GOOD = {"type": "a/B", "status": "True", "reason": "R_a:b,c", "lastTransitionTime": "2020-01-01T00:00:00Z"}


def _fields(*conditions: dict[str, Any]) -> list[str]:
    return [error.field for error in condition_errors(conditions, "c")]


def test_a_good_condition_has_no_fault() -> None:
    """A message and a generation need not be there."""
    assert _fields(GOOD) == []


def test_a_type_stands_there_once() -> None:
    """The second one is told."""
    assert _fields(GOOD, {**GOOD, "status": "False"}) == ["c[1].type"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("type", "a b"),
        ("status", "true"),
        ("observedGeneration", -1),
        ("lastTransitionTime", None),
        ("reason", "1"),
        ("reason", ""),
        ("message", "m" * 40_000),
    ],
)
def test_a_fault_is_told_by_its_field(name: str, value: Any) -> None:
    """Each field has its own rule."""
    assert _fields({**GOOD, name: value}) == [f"c[0].{name}"]
