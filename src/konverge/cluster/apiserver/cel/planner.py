"""Makes closures of a checked expression, once: each takes a Frame and returns a value, or raises a CelError.

What cel-go folds when it plans is folded here too (lists and maps of constants, conversions of constants, membership in
a constant list, constant patterns), because it costs nothing when the expression runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from konverge.cluster.apiserver.cel import calls
from konverge.cluster.apiserver.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    LiteralKind,
    MapExpr,
    Operator,
    Select,
    StructExpr,
)
from konverge.cluster.apiserver.cel.attribute import (
    Attribute,
    Computed,
    Conditional,
    Qualifier,
    Variable,
    checked_key,
    evaluation,
    resolution,
)
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.checker import CheckedExpression
from konverge.cluster.apiserver.cel.constant_set import constant_set
from konverge.cluster.apiserver.cel.dispatch import dispatch
from konverge.cluster.apiserver.cel.fold import FoldPlan, fold, started
from konverge.cluster.apiserver.cel.frame import Frame, Run
from konverge.cluster.apiserver.cel.library.constant_pattern import PATTERN_FUNCTIONS, with_pattern
from konverge.cluster.apiserver.cel.literals import list_run, map_run, struct_run
from konverge.cluster.apiserver.cel.patch_values import patch_maker
from konverge.cluster.apiserver.cel.quantifier import Quantifier, quantified, quantifier_of
from konverge.cluster.apiserver.cel.runtime_cost import price
from konverge.cluster.apiserver.cel.types import DYN, Kind, Type
from konverge.cluster.apiserver.cel.values import TypeValue, Uint

_CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)
_SHORT_CIRCUITS: Final[Mapping[str, Callable[[Run, Run], Run]]] = {
    Operator.LOGICAL_AND: calls.both,
    Operator.LOGICAL_OR: calls.either,
    Operator.EQUALS: calls.equals,
    Operator.NOT_EQUALS: calls.differs,
    "or": calls.first_optional,
    "orValue": calls.value_or,
}
_INDICES: Final = {Operator.INDEX: False, Operator.OPT_INDEX: True, Operator.OPT_SELECT: True}


class Plan:
    """How an expression runs: a constant, an attribute that may still get fields and indices, or a closure."""

    __slots__ = ("_run", "attribute", "constant", "is_constant", "is_test")

    def __init__(self, run: Run | None = None, *, attribute: Attribute | None = None, is_test: bool = False) -> None:
        self._run = run
        self.attribute = attribute
        self.is_test = is_test
        self.is_constant = False
        self.constant: Any = None

    @classmethod
    def of(cls, value: Any) -> Plan:
        """Return the plan of a constant."""
        plan = cls(lambda _frame: value)
        plan.is_constant, plan.constant = True, value
        return plan

    @property
    def run(self) -> Run:
        """What evaluates it. Whoever asks is the last: no field is taken of an attribute after that."""
        if self._run is None:
            assert self.attribute is not None  # noqa: S101 - a plan has one or the other
            self._run = evaluation(self.attribute, is_test=self.is_test)
        return self._run


class Planner:
    """Plans one expression. `slots` counts those that a Frame of it needs."""

    def __init__(self, checked: CheckedExpression, variables: Sequence[str]) -> None:
        self._types = checked.types
        self._references = checked.references
        self._scopes: list[dict[str, Variable]] = [
            {name: Variable(slot, name) for slot, name in enumerate(variables)},
        ]
        self.slots = len(variables)

    def plan(self, expr: Expr) -> Plan:  # noqa: PLR0911 - a table of nodes
        """Return the plan of an expression."""
        match expr:
            case Literal():
                return Plan.of(Uint(expr.value) if expr.kind is LiteralKind.UINT else expr.value)  # type: ignore[arg-type] # its value is a number
            case Ident():
                return self._ident(expr)
            case Select():
                return self._select(expr)
            case Call():
                return self._call(expr)
            case ListExpr():
                return self._list(expr)
            case MapExpr():
                return self._map(expr)
            case Comprehension():
                return self._fold(expr)
            case _:
                return self._struct(expr)

    def _type(self, expr: Expr) -> Type:
        return self._types.get(expr.id, DYN)

    def _ident(self, expr: Ident) -> Plan:
        name = expr.name.removeprefix(".")
        variable = next((scope[name] for scope in reversed(self._scopes) if name in scope), None)
        if variable is not None:
            return Plan(attribute=Variable(variable.slot, name, start=variable.start))
        type_ = self._type(expr)
        named = type_.parameters[0].name if type_.kind is Kind.TYPE and type_.parameters else name
        return Plan.of(TypeValue(named))

    def _attribute(self, plan: Plan) -> Attribute:
        return plan.attribute if plan.attribute is not None else Computed(plan.run)

    def _select(self, expr: Select) -> Plan:
        attribute = self._attribute(self.plan(expr.operand))
        attribute.add(Qualifier(expr.field, is_test=expr.is_test))
        return Plan(attribute=attribute, is_test=expr.is_test)

    def _call(self, expr: Call) -> Plan:
        args = [self.plan(arg) for arg in ((expr.target,) if expr.target is not None else ()) + expr.args]
        if expr.function == Operator.CONDITIONAL:
            return self._conditional(args)
        if expr.function in _INDICES:
            return self._index(args, is_optional=_INDICES[expr.function])
        if expr.function in _SHORT_CIRCUITS:
            return Plan(_SHORT_CIRCUITS[expr.function](args[0].run, args[1].run))
        if expr.function == Operator.NOT_STRICTLY_FALSE:
            return Plan(calls.not_strictly_false(args[0].run))
        return self._function(expr, args)

    def _conditional(self, args: list[Plan]) -> Plan:
        condition, truthy, falsy = args
        attribute = Conditional(condition.run, self._attribute(truthy), self._attribute(falsy))
        return Plan(attribute=attribute)

    def _index(self, args: list[Plan], *, is_optional: bool) -> Plan:
        attribute = self._attribute(args[0])
        key = args[1]
        if key.is_constant:
            attribute.add(Qualifier(checked_key(key.constant), is_optional=is_optional))
        else:
            index = resolution(key.attribute) if key.attribute is not None else key.run
            attribute.add(Qualifier(index=index, is_optional=is_optional))
        return Plan(attribute=attribute)

    def _function(self, expr: Call, args: list[Plan]) -> Plan:
        overloads = self._references.get(expr.id, ())
        overload = overloads[0] if len(overloads) == 1 else ""
        if overload == "in_list" and args[1].is_constant:
            folded = self._membership(args)
            if folded is not None:
                return folded
        nodes = ((expr.target,) if expr.target is not None else ()) + expr.args
        chosen = dispatch(expr.function, overloads, [self._type(node) for node in nodes])
        call = calls.call(
            chosen.run,
            [arg.run for arg in args],
            price=price(expr.function, overload),
            stops_early=chosen.stops_early,
        )
        if expr.function in _CONVERSIONS and len(args) == 1 and args[0].is_constant:
            return Plan.of(call(Frame([])))
        if expr.function in PATTERN_FUNCTIONS and args[1].is_constant and args[1].constant.__class__ is str:
            implementation = with_pattern(expr.function, args[1].constant)
            call = calls.call(
                implementation,
                [arg.run for arg in args],
                price=price(expr.function, overload),
                stops_early=True,
            )
        return Plan(call)

    def _membership(self, args: list[Plan]) -> Plan | None:
        """Plan `x in [constants]`: a look into a set, which costs nothing; None where the elements forbid it."""
        if len(args[1].constant) == 0:
            return Plan.of(False)
        holds = constant_set(args[1].constant)
        if holds is None:
            return None
        value = args[0].run
        return Plan(lambda frame: holds(value(frame)))

    def _list(self, expr: ListExpr) -> Plan:
        plans = [self.plan(element) for element in expr.elements]
        run = list_run([plan.run for plan in plans], frozenset(expr.optional_indices))
        return Plan.of(run(Frame([]))) if all(plan.is_constant for plan in plans) else Plan(run)

    def _map(self, expr: MapExpr) -> Plan:
        pairs = [(self.plan(entry.key), self.plan(entry.value), entry.is_optional) for entry in expr.entries]
        run = map_run([(key.run, value.run, is_optional) for key, value, is_optional in pairs])
        is_constant = all(key.is_constant and value.is_constant for key, value, _ in pairs)
        return Plan.of(run(Frame([]))) if is_constant else Plan(run)

    def _struct(self, expr: StructExpr) -> Plan:
        make = patch_maker(self._type(expr).name)
        if make is None:
            raise CelError(f"unknown type: {expr.type_name}")
        fields = [(each.name, self.plan(each.value).run, each.is_optional) for each in expr.fields]
        return Plan(struct_run(fields, make))

    def _slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def _quantified(self, expr: Comprehension, quantifier: Quantifier) -> Plan:
        values = self.plan(expr.iter_range).run
        variable = Variable(self._slot(), expr.iter_var)
        self._scopes.append({expr.iter_var: variable})
        predicate = self.plan(quantifier.predicate).run
        self._scopes.pop()
        return Plan(quantified(values, predicate, slot=variable.slot, decisive=quantifier.decisive))

    def _fold(self, expr: Comprehension) -> Plan:
        quantifier = quantifier_of(expr)
        if quantifier is not None:
            return self._quantified(expr, quantifier)
        start = self.plan(expr.accu_init).run
        values = self.plan(expr.iter_range).run
        folded = Variable(self._slot(), expr.accu_var, start=started(start))
        first = Variable(self._slot(), expr.iter_var)
        second = Variable(self._slot(), expr.iter_var2) if expr.iter_var2 else None
        bound = {one.name: one for one in (first, second, folded) if one is not None}
        self._scopes.append(bound)
        condition, step = self.plan(expr.loop_condition).run, self.plan(expr.loop_step).run
        self._scopes[-1] = {expr.accu_var: folded}
        result = self.plan(expr.result).run
        self._scopes.pop()
        return Plan(
            fold(
                FoldPlan(
                    values=values,
                    condition=condition,
                    step=step,
                    result=result,
                    result_slot=folded.slot,
                    first=first.slot,
                    second=second.slot if second else None,
                )
            )
        )
