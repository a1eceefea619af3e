from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.cel.rules import RuleChecker, rule_checker
from konverge.cluster.apiserver.field_error import Fault


def checker_of(rule: str, **options: Any) -> RuleChecker:
    """Return the checker of an object with one rule on its field `n`."""
    rules = [{"rule": rule, **options}]
    schema = {"type": "object", "properties": {"n": {"type": "integer", "x-kubernetes-validations": rules}}}
    checker = rule_checker(schema)
    assert checker is not None
    return checker


def test_schema_without_rules_has_no_checker() -> None:
    """There is nothing to run where no rule is."""
    assert rule_checker({"type": "object", "properties": {"n": {"type": "integer"}}}) is None


def test_path_says_where_the_value_stands() -> None:
    """A value that is part of something larger is reported with its whole path."""
    findings = checker_of("self > 5").check({"n": 1}, path="spec.default")
    assert [error.field for error in findings.errors] == ["spec.default.n"]


def test_budget_is_shared() -> None:
    """What one rule costs is missing for the next."""
    findings = checker_of("self > 5").check({"n": 7}, budget=100)
    assert findings.errors == []
    assert findings.remaining < 100


def test_unchanged_value_is_warned_of() -> None:
    """A stricter rule does not stop an update that leaves the value alone."""
    findings = checker_of("self > 5", message="too small").check({"n": 1, "other": 1}, {"n": 1})
    assert findings.errors == []
    assert findings.warnings == ["n: Invalid value: 1: too small"]


def test_changed_value_is_refused() -> None:
    """A rule holds for what changes."""
    findings = checker_of("self > 5", message="too small").check({"n": 2}, {"n": 1})
    assert [(error.fault, str(error)) for error in findings.errors] == [
        (Fault.INVALID, "n: Invalid value: 2: too small")
    ]


def test_the_object_is_left_alone() -> None:
    """Rules read; they never change what they read."""
    value = {"n": 1, "list": [1, 2]}
    checker_of("self > 5").check(value, value)
    assert value == {"n": 1, "list": [1, 2]}
