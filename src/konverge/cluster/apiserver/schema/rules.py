"""CEL rules of a schema (`x-kubernetes-validations`), checked on an object: the seam to `cel`.

CEL is loaded when the first schema with rules is met: most have none, and a server is to start at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from konverge.cluster.apiserver.field_error import Fault, FieldError, invalid
from konverge.cluster.apiserver.schema.structural import Structural

if TYPE_CHECKING:
    from konverge.cluster.apiserver.cel.rules import RuleChecker

# Where one of these stands, a rule may meet a value it was not made for: none is run.
_BLOCKING: Final = (Fault.NOT_SUPPORTED, Fault.REQUIRED, Fault.TOO_LONG, Fault.TOO_MANY, Fault.TYPE_INVALID)
_BLOCKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What the rules say of an object: what is refused, and what would be had it not been so before."""

    errors: Sequence[FieldError] = ()
    warnings: Sequence[str] = ()


def check_rules(value: Any, node: Structural, *, old: Any, errors: Sequence[FieldError]) -> RuleVerdict:
    """Run the rules on an object in which `errors` were found before."""
    if not node.has_rules:
        return RuleVerdict()
    if any(error.fault in _BLOCKING for error in errors):
        return RuleVerdict([invalid("<nil>", None, _BLOCKED)])
    findings = _checker(node, is_root=True).check(value, old)
    return RuleVerdict(findings.errors, findings.warnings)


def default_rule_errors(node: Structural, path: str, *, is_root: bool = False) -> list[FieldError]:
    """Return what the rules say of a node's own default, which stands at `path`: as unchanged, then as new."""
    if not node.has_rules:
        return []
    checker = _checker(node, is_root=is_root or node.is_embedded)
    return checker.check(node.default, path=path).errors


def _checker(node: Structural, *, is_root: bool) -> RuleChecker:
    if node.rule_checker is None:
        from konverge.cluster.apiserver.cel.rules import rule_checker  # noqa: PLC0415 - see above

        node.rule_checker = rule_checker(node.schema, is_resource_root=is_root)
    checker: RuleChecker = node.rule_checker
    return checker
