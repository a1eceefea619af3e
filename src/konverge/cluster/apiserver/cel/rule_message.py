"""What a broken rule says: its messageExpression, its message, or the rule itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CostExceeded
from konverge.cluster.apiserver.cel.compiled_rule import CompiledRule
from konverge.cluster.apiserver.cel.library.strings import trimmed
from konverge.cluster.apiserver.go_text import quoted

_LONGEST: Final = 5 * 1024  # bytes
_OUT_OF_BUDGET: Final = (
    "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
)


@dataclass(frozen=True, slots=True)
class RuleMessage:
    """The text, and what is left of the budget; `is_fatal` where no further rule can be run."""

    text: str
    remaining: int
    is_fatal: bool = False


def rule_text(rule: Mapping[str, Any]) -> str:
    """Name a rule: by its message, or by itself."""
    return trimmed(rule.get("message") or rule.get("rule") or "")


def evaluated_message(rule: CompiledRule, variables: Mapping[str, Any], *, limit: int, remaining: int) -> RuleMessage:
    """Return what to say; a messageExpression that fails is passed over."""
    plain = rule_text(rule.rule) if rule.rule.get("message") else f"failed rule: {rule_text(rule.rule)}"
    if rule.message is None:
        return RuleMessage(plain, remaining)
    outcome = rule.message.evaluate(variables, limit=limit)
    if outcome.cost > remaining:
        return RuleMessage(_OUT_OF_BUDGET, -1, is_fatal=True)
    if isinstance(outcome.error, CostExceeded):
        text = quoted(rule.rule.get("messageExpression") or "")
        message = (
            f"no further validation rules will be run due to call cost exceeds limit for messageExpression: {text}"
        )
        return RuleMessage(message, -1, is_fatal=True)
    text = "" if outcome.error is not None else _usable(outcome.value)
    return RuleMessage(text or plain, remaining - outcome.cost)


def _usable(value: Any) -> str:
    """Return a message that can be shown, or nothing."""
    text = trimmed(value) if value.__class__ is str else ""
    return "" if "\n" in text or len(text.encode()) > _LONGEST else text
