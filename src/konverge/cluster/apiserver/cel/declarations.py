"""What an environment declares: functions with their overloads, and variables.

The tables of a library's functions stand in that library, beside what they do. Their order matters as it does in
cel-go: overloads are tried as declared, and the first that fits decides the type of the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from konverge.cluster.apiserver.cel.types import Kind, Type


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function: `arguments[0]` is the receiver where it is a member."""

    id: str
    arguments: tuple[Type, ...]
    result: Type
    is_member: bool = False
    type_params: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        names = dict.fromkeys(name for type_ in (self.result, *self.arguments) for name in _params_in(type_))
        object.__setattr__(self, "type_params", tuple(names))


def _params_in(type_: Type) -> Iterator[str]:
    if type_.kind is Kind.TYPE_PARAM:
        yield type_.name
    for parameter in type_.parameters:
        yield from _params_in(parameter)


@dataclass(frozen=True, slots=True)
class Function:
    """A function's name (`size`, `math.least`, `_+_`) and its overloads, in order."""

    name: str
    overloads: tuple[Overload, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A name with a type: `self`, `oldSelf`, or what a comprehension binds."""

    name: str
    type: Type


def function(name: str, *overloads: Overload) -> Function:
    """Declare a function."""
    return Function(name, overloads)


def overload(id_: str, arguments: Iterable[Type], result: Type) -> Overload:
    """Declare a signature that is called as `name(arguments)`."""
    return Overload(id_, tuple(arguments), result)


def member(id_: str, arguments: Iterable[Type], result: Type) -> Overload:
    """Declare a signature that is called as `arguments[0].name(…)`."""
    return Overload(id_, tuple(arguments), result, is_member=True)


def merged(functions: Iterable[Function]) -> Mapping[str, Function]:
    """Return functions by name; libraries that declare the same name add overloads to it, later ones last."""
    by_name: dict[str, dict[str, Overload]] = {}
    for each in functions:
        by_name.setdefault(each.name, {}).update((signature.id, signature) for signature in each.overloads)
    return {name: Function(name, tuple(overloads.values())) for name, overloads in by_name.items()}
