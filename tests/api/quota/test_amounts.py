"""Sums of quantities by resource."""

from __future__ import annotations

from konverge.api.quota import amounts


def test_sums_and_differences() -> None:
    """Each resource on its own; a difference is never less than nothing."""
    left, right = amounts.read({"cpu": "1", "pods": "2"}), amounts.read({"cpu": "500m", "memory": "1Gi"})
    assert amounts.written(amounts.added(left, right)) == {"cpu": "1500m", "memory": "1Gi", "pods": "2"}
    assert amounts.written(amounts.gained(left, right)) == {"cpu": "500m", "memory": "0", "pods": "2"}
    assert amounts.written(amounts.greater(left, right)) == {"cpu": "1", "memory": "1Gi", "pods": "2"}


def test_a_sum_keeps_the_format_of_what_is_something() -> None:
    """Zero has no format of its own: the sum of nothing and 1Gi is spelled in binary suffixes."""
    assert amounts.written(amounts.added(amounts.read({"a": "0"}), amounts.read({"a": "2048Mi"}))) == {"a": "2Gi"}


def test_what_exceeds_is_told_in_order() -> None:
    """Only resources that both have are compared, and messages have them sorted."""
    used, hard = amounts.read({"pods": "3", "cpu": "2", "x": "9"}), amounts.read({"pods": "2", "cpu": "1"})
    assert amounts.exceeding(used, hard) == ["cpu", "pods"]
    assert amounts.shown(amounts.masked(used, ["pods", "cpu"])) == "cpu=2,pods=3"
    assert amounts.without_zeros(amounts.read({"a": "0", "b": "1"})) == amounts.read({"b": "1"})
