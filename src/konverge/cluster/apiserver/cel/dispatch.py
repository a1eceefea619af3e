"""Which implementation a call runs: that of its overload, with the types of the values looked at where need be.

Where the checker knows the types, nothing is left to ask. Where a part is dynamic (an int-or-string), or where null
passes for a value, the arguments are compared with the overload's types when the call is made, and the first overload
that fits runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from konverge.cluster.apiserver.cel import standard_declarations
from konverge.cluster.apiserver.cel.assignability import NULLABLE
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.declarations import Function, Overload, merged
from konverge.cluster.apiserver.cel.library import BINDINGS, LIBRARY_FUNCTIONS, patches
from konverge.cluster.apiserver.cel.types import Kind, Type
from konverge.cluster.apiserver.cel.values import type_name

Implementation: TypeAlias = Callable[..., Any]
_ANYTHING: Final = frozenset({Kind.DYN, Kind.ANY, Kind.TYPE_PARAM})
_UNGUARDED: Final = frozenset({"contains", "endsWith", "startsWith", "flatten"})  # they look at their arguments


@dataclass(frozen=True, slots=True)
class Dispatch:
    """What a call runs; `stops_early`: it does not look at the arguments after one that fails, as cel-go does not."""

    run: Implementation
    stops_early: bool


@cache
def _functions() -> Mapping[str, Function]:
    return merged((*standard_declarations.FUNCTIONS, *LIBRARY_FUNCTIONS, *patches.FUNCTIONS))


def dispatch(function: str, overloads: Sequence[str], types: Sequence[Type]) -> Dispatch:
    """Return what a call runs; `overloads` are those that the checker found to fit arguments of `types`."""
    singleton = BINDINGS.get(function)
    if singleton is not None:
        return Dispatch(singleton, len(types) > 2)  # noqa: PLR2004 - cel-go has its own forms for one and two
    declared = [one for one in _functions()[function].overloads if one.id in BINDINGS]
    if len(overloads) == 1:
        chosen = next(one for one in declared if one.id == overloads[0])
        return Dispatch(_single(function, chosen, types), len(types) > 2 or function == "format")  # noqa: PLR2004
    if len(declared) == 1:
        return Dispatch(_single(function, declared[0], types), len(types) > 2)  # noqa: PLR2004
    return Dispatch(_chosen_later(function, declared), stops_early=True)


def _single(function: str, overload: Overload, types: Sequence[Type]) -> Implementation:
    implementation = BINDINGS[overload.id]
    may_be_null = any(type_.kind in NULLABLE for type_ in overload.arguments)
    if function in _UNGUARDED or not (may_be_null or any(map(_is_open, types))):
        return implementation

    def guarded(*args: Any) -> Any:
        if _fits(overload, args):
            return implementation(*args)
        raise _no_overload(function, args)

    return guarded


def _is_open(type_: Type) -> bool:
    return type_.kind in _ANYTHING or any(map(_is_open, type_.parameters))


def _chosen_later(function: str, overloads: Sequence[Overload]) -> Implementation:
    def choose(*args: Any) -> Any:
        for overload in overloads:
            if _fits(overload, args):
                return BINDINGS[overload.id](*args)
        raise _no_overload(function, args)

    return choose


def _no_overload(function: str, args: Sequence[Any]) -> CelError:
    return CelError(f"no such overload: {function}({', '.join(map(type_name, args))})")


def _fits(overload: Overload, args: Sequence[Any]) -> bool:
    return len(args) == len(overload.arguments) and all(map(_is_of, overload.arguments, args))


def _is_of(type_: Type, value: Any) -> bool:
    """Whether a value is of a type, as far as its first element shows."""
    if type_.kind in _ANYTHING:
        return True
    if type_.name != type_name(value):
        return False
    if type_.kind is Kind.LIST:
        return len(value) == 0 or _is_of(type_.parameters[0], next(iter(value)))
    if type_.kind is Kind.MAP:
        key = next(value.keys(), None)
        return key is None or all(map(_is_of, type_.parameters, (key, value.find(key)[0])))
    return True
