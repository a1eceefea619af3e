"""What the rules of a schema say of values, compared with apiextensions-apiserver.

The data was made by tools/cel_oracle, which reads data/rule_checks.jsonl and writes it back with the real results.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from konverge.cluster.apiserver.cel.compiled_rules import compile_rules
from konverge.cluster.apiserver.cel.frame import PER_CALL_LIMIT
from konverge.cluster.apiserver.cel.rules import RUNTIME_BUDGET, RuleChecker, RuleFindings

LINES = (Path(__file__).parent / "data" / "rule_checks.jsonl").read_text().splitlines()
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]


def findings_of(case: dict[str, Any]) -> RuleFindings:
    """Run the rules of a case; a schema without rules that can be compiled finds nothing."""
    compiled = compile_rules(case["schema"], is_resource_root=case.get("root", False))
    if compiled is None:
        return RuleFindings()
    checker = RuleChecker(compiled, call_limit=case.get("limit", PER_CALL_LIMIT))
    return checker.check(case["self"], case.get("old"), budget=case.get("budget", RUNTIME_BUDGET))


@pytest.mark.parametrize("case", CASES)
def test_finds_what_the_real_server_finds(case: Any) -> None:
    """Errors, warnings and what is left of the budget are those of the real server."""
    findings = findings_of(case)
    errors = [{"type": str(one.fault), "field": one.field, "body": one.body()} for one in findings.errors]
    assert sorted(errors, key=lambda one: one["field"]) == case["errors"]
    assert sorted(findings.warnings) == case.get("warnings", [])
    assert findings.remaining == case["remaining"]
