"""The parts of an annotation: the bare type, the markers around it, and whether it takes None."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin


@dataclass(frozen=True, slots=True)
class TypeParts:
    """What an annotation is made of: one option, or several in a union."""

    options: tuple[Any, ...]
    markers: tuple[Any, ...]
    none: bool = False


def parts_of(kind: Any) -> TypeParts:
    """Take an annotation apart; markers stand in the order in which they were written."""
    kind = _behind_alias(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        inner = parts_of(arguments[0])
        return TypeParts(inner.options, (*inner.markers, *arguments[1:]), inner.none)
    if origin in (Union, UnionType):
        return _joined([parts_of(argument) for argument in arguments])
    if origin is Literal and None in arguments:
        values = tuple(value for value in arguments if value is not None)
        return TypeParts((Literal[values],), (), none=True)
    return TypeParts((), (), none=True) if kind in (None, NoneType) else TypeParts((kind,), ())


def _joined(parts: list[TypeParts]) -> TypeParts:
    options = dict.fromkeys(option for part in parts for option in part.options)
    markers = tuple(marker for part in parts for marker in part.markers)
    return TypeParts(tuple(options), markers, any(part.none for part in parts))


def _behind_alias(kind: Any) -> Any:
    """The type behind a NewType, or behind a `type X = …` of Python 3.12."""
    while isinstance(kind, NewType) or type(kind).__name__ == "TypeAliasType":
        kind = kind.__supertype__ if isinstance(kind, NewType) else kind.__value__
    return kind
