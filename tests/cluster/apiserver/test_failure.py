"""Refusals."""

from __future__ import annotations

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.failure import invalid


def test_a_refusal_tells_each_cause() -> None:
    """Once in the message, and each in the details."""
    errors = [field_error.required("spec.a"), field_error.required("spec.a"), field_error.duplicate("spec.b", "x")]
    failure = invalid("Thing", "example.com", "one", errors)
    causes = 'spec.a: Required value, spec.b: Duplicate value: "x"'
    assert failure.message == f'Thing.example.com "one" is invalid: [{causes}]'
    assert failure.details is not None
    assert [each["field"] for each in failure.details["causes"]] == ["spec.a", "spec.a", "spec.b"]


def test_a_refusal_ends_when_it_is_long_enough() -> None:
    """A small request can have many faults, each of which would be told with a long text."""
    values = list(range(10_000))
    failure = invalid("Thing", "", "one", [field_error.invalid("spec.a", values, "too many")] * len(values))
    assert failure.details is not None
    assert 1 < len(failure.details["causes"]) < 100
