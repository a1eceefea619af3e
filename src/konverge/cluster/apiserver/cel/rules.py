"""The rules of a schema, run on an object: `RuleChecker(compiled).check(value, old)`.

The walk follows the compiled tree, so it visits only what has rules. A transition rule runs where the old object has a
value to compare with: by the name of a field, or by the keys of a list of type map. A complaint about what did not
change is a warning. All rules of an object share one budget; where it runs out, the walk ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError, CostExceeded
from konverge.cluster.apiserver.cel.compiled_rule import CompiledRule
from konverge.cluster.apiserver.cel.compiled_rules import CompiledRules, compile_rules
from konverge.cluster.apiserver.cel.correlation import FREE, Correlation, MapList, Ratchet
from konverge.cluster.apiserver.cel.frame import PER_CALL_LIMIT
from konverge.cluster.apiserver.cel.rule_message import RuleMessage, evaluated_message, rule_text
from konverge.cluster.apiserver.cel.schema_value import converter
from konverge.cluster.apiserver.cel.values import NONE, Optional
from konverge.cluster.apiserver.cel.views import Converter
from konverge.cluster.apiserver.field_error import OMIT, Fault, FieldError, duplicate, forbidden, invalid, required

RUNTIME_BUDGET: Final = 10_000_000
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"
_CORRELATABLE: Final = frozenset({"", "granular", "atomic"})


@dataclass(slots=True)
class RuleFindings:
    """What the rules found; `remaining` is below zero where the budget ran out."""

    errors: list[FieldError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    remaining: int = RUNTIME_BUDGET


class _Ended(Exception):
    """No further rule is run."""


def rule_checker(schema: Mapping[str, Any], *, is_resource_root: bool = True) -> RuleChecker | None:
    """Compile the rules of a schema; None where it has none."""
    compiled = compile_rules(schema, is_resource_root=is_resource_root)
    return None if compiled is None else RuleChecker(compiled)


class RuleChecker:
    """Runs the rules of one schema. It is made once and keeps nothing of the objects it has seen."""

    def __init__(self, compiled: CompiledRules, *, call_limit: int = PER_CALL_LIMIT) -> None:
        self._schema = compiled.schema
        self._root = _Node(compiled, call_limit)

    def check(self, value: Any, old: Any = None, *, path: str = "", budget: int = RUNTIME_BUDGET) -> RuleFindings:
        """Run the rules on a value; `old` is the one it takes the place of, `path` where it stands."""
        findings = RuleFindings(remaining=budget)
        ratchet = FREE if old is None else Ratchet(Correlation(self._schema, value, old))
        try:
            self._root.walk(_Visit(value, old, path, ratchet), findings)
        except _Ended:
            findings.remaining = -1
        return findings


@dataclass(frozen=True, slots=True)
class _Visit:
    """A value of the object, its old value, and where it stands."""

    value: Any
    old: Any
    path: str
    ratchet: Ratchet

    @property
    def field(self) -> str:
        return self.path or "<nil>"

    def child(self, name: str, old: Any) -> _Visit:
        path = f"{self.path}.{name}" if self.path else name
        return _Visit(self.value[name], old, path, self.ratchet.key(name))

    def entry(self, key: str, old: Any) -> _Visit:
        return _Visit(self.value[key], old, f"{self.path}[{key}]", self.ratchet.key(key))

    def element(self, index: int, old: Any) -> _Visit:
        return _Visit(self.value[index], old, f"{self.path}[{index}]", self.ratchet.index(index))


class _Node:
    """One node of the compiled tree, with the converter of its values."""

    def __init__(self, compiled: CompiledRules, call_limit: int) -> None:
        self._compiled = compiled
        self._limit = call_limit
        self._convert: Converter = converter(compiled.schema, is_root=compiled.is_resource_root)
        self._type: str = compiled.schema.get("type") or ""
        self._all_of = tuple(_Node(one, call_limit) for one in compiled.all_of)
        self._properties = {name: _Node(one, call_limit) for name, one in compiled.properties.items()}
        self._items = _Node(compiled.items, call_limit) if compiled.items else None
        self._additional = _Node(compiled.additional, call_limit) if compiled.additional else None
        self._is_correlatable = (compiled.schema.get("x-kubernetes-map-type") or "") in _CORRELATABLE

    def walk(self, visit: _Visit, findings: RuleFindings) -> None:
        """Run the rules of a value and of what is in it; null has none."""
        if visit.value is None:
            return
        self._run_rules(visit, findings)
        for node in self._all_of:
            node.walk(_Visit(visit.value, visit.old, visit.path, visit.ratchet.within_all_of()), findings)
        if visit.value.__class__ is list:
            self._walk_list(visit, findings)
        elif visit.value.__class__ is dict:
            self._walk_map(visit, findings)

    def _walk_list(self, visit: _Visit, findings: RuleFindings) -> None:
        if self._items is None:
            return
        old_elements = MapList(self._compiled.schema, visit.old)
        for index, element in enumerate(visit.value):
            self._items.walk(visit.element(index, old_elements.get(element)), findings)

    def _walk_map(self, visit: _Visit, findings: RuleFindings) -> None:
        old = visit.old if visit.old.__class__ is dict and self._is_correlatable else {}
        if self._additional is not None:
            for key in visit.value:
                self._additional.walk(visit.entry(key, old.get(key)), findings)
        for name, node in self._properties.items():
            if name in visit.value:
                node.walk(visit.child(name, old.get(name)), findings)

    def _run_rules(self, visit: _Visit, findings: RuleFindings) -> None:
        if self._compiled.error:
            text = f"rule compiler initialization error: {self._compiled.error}"
            findings.errors.append(invalid(visit.field, self._type, text))
            return
        if not self._compiled.rules:
            return
        if findings.remaining <= 0:
            self._end(visit, findings, _OUT_OF_BUDGET)
        variables = self._variables(visit)
        for rule in self._compiled.rules:
            if rule.error:
                findings.errors.append(invalid(visit.field, self._type, f"rule compile error: {rule.error}"))
            elif rule.program is not None:
                self._run_rule(rule, variables, visit, findings)

    def _end(self, visit: _Visit, findings: RuleFindings, text: str) -> None:
        findings.errors.append(invalid(visit.field, self._type, text))
        raise _Ended

    def _variables(self, visit: _Visit) -> dict[str, Any]:
        variables = {"self": self._converted(visit.value)}
        if visit.old is not None and any(rule.uses_old_self for rule in self._compiled.rules):
            variables["oldSelf"] = self._converted(visit.old)
        return variables

    def _converted(self, value: Any) -> Any:
        try:
            return self._convert(value)
        except CelError as error:  # it fails the rules that look at the value
            return error

    def _run_rule(
        self, rule: CompiledRule, variables: Mapping[str, Any], visit: _Visit, findings: RuleFindings
    ) -> None:
        assert rule.program is not None  # noqa: S101 - the caller has looked
        if rule.rule.get("optionalOldSelf"):
            old = variables.get("oldSelf")
            variables = {**variables, "oldSelf": NONE if old is None else Optional(old)}
        elif rule.uses_old_self and visit.old is None:
            return
        outcome = rule.program.evaluate(variables, limit=self._limit)
        if outcome.cost > findings.remaining:
            self._end(visit, findings, _OUT_OF_BUDGET)
        findings.remaining -= outcome.cost
        if outcome.error is not None:
            self._report_error(rule, outcome.error, visit, findings)
        elif outcome.value is not True:
            self._report_failure(rule, variables, visit, findings)

    def _report_error(self, rule: CompiledRule, error: Exception, visit: _Visit, findings: RuleFindings) -> None:
        text = rule_text(rule.rule)
        if isinstance(error, CostExceeded):
            message = f"'{error}': no further validation rules will be run due to call cost exceeds limit for rule: "
            self._end(visit, findings, message + text)
        if str(error).startswith("no such overload"):
            message = "call arguments did not match a supported operator, function or macro signature for rule"
            findings.errors.append(invalid(visit.field, self._type, f"'{error}': {message}: {text}"))
            return
        findings.errors.append(invalid(visit.field, self._type, f"{error} evaluating rule: {text}"))

    def _report_failure(
        self, rule: CompiledRule, variables: Mapping[str, Any], visit: _Visit, findings: RuleFindings
    ) -> None:
        path = visit.field
        if rule.field_path:
            path = f"{visit.path}.{rule.field_path}" if visit.path else rule.field_path
        message = evaluated_message(rule, variables, limit=self._limit, remaining=findings.remaining)
        findings.remaining = message.remaining
        if message.is_fatal:
            self._add(rule, invalid(path, self._type, message.text), visit, findings)
            raise _Ended
        self._add(rule, self._failure(rule, path, visit, message), visit, findings)

    def _failure(self, rule: CompiledRule, path: str, visit: _Visit, message: RuleMessage) -> FieldError:
        value = OMIT if self._type in {"object", "array"} else visit.value
        match rule.rule.get("reason"):
            case Fault.FORBIDDEN.value:
                return forbidden(path, message.text)
            case Fault.REQUIRED.value:
                return required(path, message.text)
            case Fault.DUPLICATE.value:
                return duplicate(path, value)
            case _:
                return invalid(path, value, message.text)

    def _add(self, rule: CompiledRule, error: FieldError, visit: _Visit, findings: RuleFindings) -> None:
        if not rule.uses_old_self and visit.ratchet.holds():
            findings.warnings.append(str(error))
        else:
            findings.errors.append(error)
