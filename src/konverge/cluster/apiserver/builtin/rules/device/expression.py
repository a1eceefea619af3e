"""The expression of a selector: it is about one `device`, says yes or no, and may not cost too much.

This module brings CEL with it, which is large: import it where an expression is judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.checker import CheckedExpression
from konverge.cluster.apiserver.cel.cost import cost_of
from konverge.cluster.apiserver.cel.declared_type import DeclaredType
from konverge.cluster.apiserver.cel.environment import Environment, kubernetes_environment
from konverge.cluster.apiserver.cel.estimate import Estimate
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.library.quantities import QUANTITY
from konverge.cluster.apiserver.cel.program import Program
from konverge.cluster.apiserver.cel.recursion import deep_recursion
from konverge.cluster.apiserver.cel.source import BadExpression
from konverge.cluster.apiserver.cel.types import ANY, BOOL, STRING, Type
from konverge.cluster.apiserver.field_error import Fault

_VARIABLE: Final = "device"
_TYPE_NAME: Final = "kubernetes.DRADevice"
_MOST_COST: Final = 1_000_000
_MOST_ENTRIES: Final = 32  # attributes and capacities of a device
_REMEMBERED: Final = 256  # the same class is written again and again
_DOMAIN: Final = DeclaredType(STRING, max_elements=63)
_ID: Final = DeclaredType(STRING, max_elements=32)
_ATTRIBUTE: Final = DeclaredType(ANY, max_elements=64)  # a bool, a number, a text or a version


def _by_domain(element: DeclaredType) -> DeclaredType:
    inner = DeclaredType(key=_ID, element=element, max_elements=_MOST_ENTRIES)
    return DeclaredType(key=_DOMAIN, element=inner, max_elements=_MOST_ENTRIES)


_DEVICE: Final = DeclaredType(
    fields={
        "driver": DeclaredType(STRING, max_elements=63),
        "allowMultipleAllocations": DeclaredType(BOOL, max_elements=1),
        "attributes": _by_domain(_ATTRIBUTE),
        "capacity": _by_domain(DeclaredType(QUANTITY)),
    }
)


class Complaint(NamedTuple):
    """Why an expression cannot be a selector."""

    fault: Fault
    detail: str


class _Refused(Exception):
    """An expression that cannot be a selector."""

    def __init__(self, detail: str, fault: Fault = Fault.INVALID) -> None:
        super().__init__(detail)
        self.complaint = Complaint(fault, detail)


@lru_cache(_REMEMBERED)
def complaint_about(text: str) -> Complaint | None:
    """Judge an expression; None where it can be a selector."""
    try:
        cost = most_cost(text)
    except _Refused as refused:
        return refused.complaint
    return Complaint(Fault.FORBIDDEN, "too complex, exceeds cost limit") if cost > _MOST_COST else None


def most_cost(text: str) -> int:
    """Return the most that an expression can cost for one device."""
    checked = _checked(text)
    with deep_recursion():
        try:
            Program(checked, (_VARIABLE,))
        except CelError as error:
            raise _Refused(f"program instantiation failed: {error}", Fault.INTERNAL) from error
        return cost_of(checked, _size_of).most


def _checked(text: str) -> CheckedExpression:
    try:
        checked = compile_expression(text, _environment())
    except BadExpression as bad:
        raise _Refused(f"compilation failed: {bad}") from bad
    if checked.type not in (BOOL, ANY):  # an attribute may be a bool: that is seen when it is asked for a device
        raise _Refused(f"must evaluate to bool or the unknown type, not {_shown(checked.type)}")
    return checked


def _environment() -> Environment:
    structs: dict[str, Mapping[str, Type]] = {}
    device = _DEVICE.named(_TYPE_NAME, structs)
    return kubernetes_environment().extended({_VARIABLE: device}, structs).with_bind()


def _size_of(path: list[str]) -> Estimate | None:
    """Return the size of what a path leads to; attributes are all of one size, whatever their name."""
    node: DeclaredType | None = _DEVICE if path[0] == _VARIABLE else None
    for name in path[1:]:
        if node is not None:
            node = node.below(name) or (_ATTRIBUTE if node.element is _ATTRIBUTE else None)
    return None if node is None else Estimate(0, node.max_elements)


def _shown(type_: Type) -> str:
    """Return a type as Go prints it, which is not as the checker's messages have it."""
    return f"{type_.name}({', '.join(map(_shown, type_.parameters))})" if type_.parameters else type_.name
