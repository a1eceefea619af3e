"""Which type may stand for which: cel-go's unification, with what it has found so far about type parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from konverge.cluster.apiserver.cel.types import DYN, Kind, Type

NULLABLE: Final = frozenset({Kind.OPAQUE, Kind.STRUCT, Kind.ANY, Kind.DURATION, Kind.TIMESTAMP})
_PARAMETRIC: Final = frozenset({Kind.OPAQUE, Kind.LIST, Kind.MAP})


class Substitutions:
    """What the type parameters of one check stand for. A failed attempt leaves it as it was."""

    __slots__ = ("_before", "_found")

    def __init__(self) -> None:
        self._found: dict[Type, Type] = {}
        self._before: list[tuple[Type, Type | None]] = []  # what an attempt has changed, for taking it back

    def add(self, parameter: Type, type_: Type) -> None:
        """Let a parameter stand for a type."""
        self._before.append((parameter, self._found.get(parameter)))
        self._found[parameter] = type_

    def is_assignable(self, left: Type, right: Type) -> bool:
        """Say whether two types agree; keep what that says about parameters."""
        return self.are_assignable((left,), (right,))

    def are_assignable(self, left: Sequence[Type], right: Sequence[Type]) -> bool:
        """Say whether two lists of types agree, one by one."""
        self._before.clear()
        if self._agree_all(left, right):
            return True
        for parameter, type_ in reversed(self._before):
            if type_ is None:
                del self._found[parameter]
            else:
                self._found[parameter] = type_
        return False

    def apply(self, type_: Type, *, params_to_dyn: bool = False) -> Type:
        """Return a type with its parameters replaced; unknown ones stay, or become dyn."""
        known = self._found.get(type_)
        if known is not None:
            return self.apply(known, params_to_dyn=params_to_dyn)
        if type_.kind is Kind.TYPE_PARAM:
            return DYN if params_to_dyn else type_
        if not type_.parameters:
            return type_
        parameters = tuple(self.apply(each, params_to_dyn=params_to_dyn) for each in type_.parameters)
        return Type(type_.kind, type_.name, parameters)

    def _agree_all(self, left: Sequence[Type], right: Sequence[Type]) -> bool:
        return len(left) == len(right) and all(self._agree(a, b) for a, b in zip(left, right, strict=True))

    def _agree(self, left: Type, right: Type) -> bool:  # noqa: PLR0911 - one answer for each pair of kinds
        if right.kind is Kind.TYPE_PARAM:
            is_valid, is_known = self._try_substitute(left, right)
            if is_valid or is_known:
                return is_valid
        if left.kind is Kind.TYPE_PARAM:
            return self._try_substitute(right, left)[0]
        if left.is_dyn or right.is_dyn or left.is_error or right.is_error:
            return True
        if left.kind is Kind.NULL:
            return _may_be_null(right)
        if right.kind is Kind.NULL:
            return _may_be_null(left)
        if left.kind is Kind.TYPE:
            return right.kind is Kind.TYPE
        if left.kind in _PARAMETRIC:
            same = left.kind is right.kind and left.name == right.name
            return same and self._agree_all(left.parameters, right.parameters)
        return left == right

    def _try_substitute(self, type_: Type, parameter: Type) -> tuple[bool, bool]:
        """Let a parameter stand for a type: whether it can, and whether it already stood for something."""
        if type_ == parameter:
            return True, True
        known = self._found.get(parameter)
        if known is None:
            if self._is_free_of(parameter, type_):
                self.add(parameter, type_)
                return True, False
            return False, False
        if type_ == known:
            return True, True
        if not self._agree(type_, known):
            return False, True
        general = most_general(type_, known)
        if self._is_free_of(parameter, general):
            self.add(parameter, general)
        return True, True

    def _is_free_of(self, parameter: Type, type_: Type) -> bool:
        if parameter == type_:
            return False
        if type_.kind is Kind.TYPE_PARAM:
            known = self._found.get(type_)
            return known is None or self._is_free_of(parameter, known)
        return all(self._is_free_of(parameter, each) for each in type_.parameters)


def _may_be_null(type_: Type) -> bool:
    return type_.kind in NULLABLE or type_.kind is Kind.NULL or type_.is_wrapper


def most_general(left: Type, right: Type) -> Type:
    """Return the less specific of two types that agree."""
    return left if _is_as_general(left, right) else right


def _is_as_general(left: Type, right: Type) -> bool:
    if left.is_dyn or left.kind is Kind.TYPE_PARAM:
        return True
    if right.is_dyn or right.kind is Kind.TYPE_PARAM or left.kind is not right.kind:
        return False
    if left.kind is Kind.TYPE:
        return True
    if left.name != right.name or len(left.parameters) != len(right.parameters):
        return False
    return all(_is_as_general(a, b) for a, b in zip(left.parameters, right.parameters, strict=True))
