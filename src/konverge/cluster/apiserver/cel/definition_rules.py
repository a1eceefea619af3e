"""The rules of a schema as the author of a CustomResourceDefinition is told about them: errors and costs.

The walk over the schema is the caller's: it makes a `RuleScope` per node, from its parent's, and asks it for the faults
of the node's rules. All scopes of a schema share the total of their costs, which has a limit of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import msgspec

from konverge.cluster.apiserver.cel.compiled_rule import CompiledRule, compile_node
from konverge.cluster.apiserver.cel.declared_type import DeclaredType, declared_type
from konverge.cluster.apiserver.cel.estimate import LARGEST
from konverge.cluster.apiserver.cel.property_name import escaped
from konverge.cluster.apiserver.field_error import Fault, FieldError, forbidden, invalid

Schema: TypeAlias = Mapping[str, Any]

MOST_RULE_COST: Final = 10_000_000
MOST_TOTAL_COST: Final = 100_000_000
_MOST_NAMED: Final = 4  # of the rules that a total is made of
_HINT: Final = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are"
    " declared)"
)


@dataclass(slots=True)
class _Total:
    cost: int = 0
    most_expensive: list[tuple[int, str]] = field(default_factory=list)

    def observe(self, path: str, cost: int) -> None:
        self.cost = min(self.cost + cost, LARGEST)
        if cost < MOST_TOTAL_COST // 100:
            return
        self.most_expensive.append((cost, path))
        self.most_expensive.sort(key=lambda each: -each[0])
        del self.most_expensive[_MOST_NAMED:]


@dataclass(frozen=True, slots=True, eq=False)
class RuleScope:
    """A node of a schema, for its rules."""

    schema: Schema
    parent: RuleScope | None
    step: str  # how the parent's type leads here: an escaped name, `@items`, or empty where it does not
    cardinality: int | None  # how often a value of this node can occur; None: only a request's size limits it
    total: _Total

    @classmethod
    def root(cls, schema: Schema) -> RuleScope:
        """Begin at a schema's root."""
        return cls(schema, None, "", 1, _Total())

    def of_property(self, schema: Schema, name: str) -> RuleScope:
        """Go on to a property."""
        return self._below(schema, escaped(name) or "")

    def of_items(self, schema: Schema) -> RuleScope:
        """Go on to a list's items."""
        return self._below(schema, "@items")

    def of_additional(self, schema: Schema) -> RuleScope:
        """Go on to a map's values."""
        return self._below(schema, "@items")

    def compile(self, path: str, *, uncorrelatable: str = "", checks_cost: bool = True) -> list[FieldError]:
        """Return what is wrong with the rules of this node, whose path is given.

        `uncorrelatable` is the path of the list within which `oldSelf` cannot be used, if the node is in one.
        """
        declared = self.declared()
        where = f"{path}.x-kubernetes-validations"
        if declared is None:
            reason = "failed to construct type information for x-kubernetes-validations rules"
            detail = f"internal error: {reason}: unable to convert structural schema to CEL declarations"
            return [FieldError(Fault.INTERNAL, where, detail=detail)]
        faults: list[FieldError] = []
        for index, rule in enumerate(compile_node(self._rules(), declared, self.schema)):
            faults.extend(self._faults(rule, f"{where}[{index}]", checks_cost=checks_cost))
            faults.extend(_old_self_faults(rule, f"{where}[{index}]", uncorrelatable))
        return faults

    def total_faults(self, path: str) -> list[FieldError]:
        """Say whether all rules together cost too much; the path is that of the whole schema."""
        if self.total.cost <= MOST_TOTAL_COST:
            return []
        detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        faults = [forbidden(each, detail) for _, each in self.total.most_expensive]
        name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        return [*faults, forbidden(path, _too_costly(name, self.total.cost, MOST_TOTAL_COST))]

    def _rules(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(self.schema.get("x-kubernetes-validations") or ())

    def _below(self, schema: Schema, step: str) -> RuleScope:
        factor = _factor(self.schema)
        known = None if self.cardinality is None or factor is None else min(self.cardinality * factor, LARGEST)
        return RuleScope(schema, self, step, known, self.total)

    def is_in_scope(self) -> bool:
        """Say whether this node or one above it has rules."""
        return bool(self._rules()) or (self.parent is not None and self.parent.is_in_scope())

    def declared(self) -> DeclaredType | None:
        """Return the node's type: its parent's part where the parent has rules above it, else made anew."""
        if self.parent is not None and self.step and self.parent.is_in_scope():
            known = self.parent.declared()
            if known is None:
                return None
            part = known.below(self.step)
            if part is not None:
                return part
        is_root = self.parent is None or bool(self.schema.get("x-kubernetes-embedded-resource"))
        return declared_type(self.schema, is_resource_root=is_root)

    def _faults(self, rule: CompiledRule, path: str, *, checks_cost: bool) -> Iterator[FieldError]:
        factor = rule.cardinality if self.cardinality is None else self.cardinality
        cost = min(rule.cost * factor, LARGEST)
        if checks_cost and cost > MOST_RULE_COST:
            yield forbidden(f"{path}.rule", _too_costly("estimated rule cost", cost, MOST_RULE_COST))
        self.total.observe(f"{path}.rule", cost)
        if rule.error:
            yield invalid(f"{path}.rule", _shown(rule.rule), rule.error)
        if rule.message_error:
            yield invalid(f"{path}.messageExpression", _shown(rule.rule), rule.message_error)
        elif rule.message is not None:
            if checks_cost and rule.message_cost > MOST_RULE_COST:
                name = "estimated messageExpression cost"
                yield forbidden(f"{path}.messageExpression", _too_costly(name, rule.message_cost, MOST_RULE_COST))
            self.total.observe(f"{path}.messageExpression", rule.message_cost)


def _old_self_faults(rule: CompiledRule, path: str, uncorrelatable: str) -> Iterator[FieldError]:
    if rule.uses_old_self and uncorrelatable:
        detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
        yield invalid(f"{path}.rule", rule.rule["rule"], detail)
    is_optional = rule.rule.get("optionalOldSelf")
    if not rule.uses_old_self and is_optional is not None:
        yield invalid(f"{path}.optionalOldSelf", is_optional, "may not be set if oldSelf is not used in rule")


def _factor(schema: Schema) -> int | None:
    """Return how many values a value of a schema can hold below it; None: any number."""
    type_ = schema.get("type")
    if type_ == "array":
        limit = schema.get("maxItems")
    elif type_ == "object" and schema.get("additionalProperties") is not None:
        limit = schema.get("maxProperties")
    else:
        return 1
    return None if limit is None else max(limit, 0)


def _too_costly(name: str, cost: int, limit: int) -> str:
    exceeds = float(cost) / float(limit)
    if exceeds > 100:  # noqa: PLR2004 - beyond that the number says nothing more
        factor = "more than 100x"
    elif exceeds < 1.5:  # noqa: PLR2004 - "by a factor of 1.0x" would say nothing
        factor = f"{exceeds:.6f}x"
    else:
        factor = f"{exceeds:.1f}x"
    return f"{name} exceeds budget by factor of {factor} {_HINT}"


def _shown(rule: Mapping[str, Any]) -> msgspec.Raw:
    """Return a rule as the real server shows it: its internal form, in Go's JSON."""
    form = {
        "Rule": rule.get("rule") or "",
        "Message": rule.get("message") or "",
        "MessageExpression": rule.get("messageExpression") or "",
        "Reason": rule.get("reason"),
        "FieldPath": rule.get("fieldPath") or "",
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    }
    text = msgspec.json.encode(form).decode()
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return msgspec.Raw(text.encode())
