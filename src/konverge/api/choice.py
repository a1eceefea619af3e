"""Choices: attributes whose type is an `Enum` or a `Literal`, read without enforcing them.

A CRD lists the values, and the server keeps to the list. An object that was stored under another list must stay
readable all the same, so at run time a `Literal` is read as the plain type of its values, and an `Enum` as its member
where there is one, else as the plain value.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin


@dataclass(frozen=True, slots=True, init=False)
class Choices:
    """The values a CRD lists for an attribute whose type in Python is wider: `Annotated[str, Choices("a", "b")]`."""

    values: tuple[Any, ...]

    def __init__(self, *values: Any) -> None:
        object.__setattr__(self, "values", values)


_NAME = re.compile(r"[A-Za-z_][\w.]*")
_PLAIN = frozenset({"Annotated", "Any", "None", "Required", "bool", "datetime", "dict", "float", "int", "list", "str"})


class _MemberMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return True  # msgspec asks after decoding; a value that is no member is let through on purpose


class Member(metaclass=_MemberMeta):
    """The root of the types that stand for an enum at run time."""

    enum: type[enum.Enum]

    @classmethod
    def read(cls, value: Any) -> Any:
        """Return the member with this value, or the value itself."""
        try:
            return cls.enum(value)
        except ValueError:
            return value


@cache
def _member_type(kind: type[enum.Enum]) -> type[Member]:
    return _MemberMeta(kind.__name__, (Member,), {"enum": kind, "__module__": kind.__module__})  # type: ignore[return-value]  # made of Member


def tolerant(annotation: Any, names: Mapping[str, Any]) -> Any:
    """Return what msgspec is to read an attribute as: the same, but that enums and literals take any value.

    Text is looked at only where it names one of the two, and left alone where it cannot be evaluated yet.
    """
    if not isinstance(annotation, str):
        return _tolerant(annotation)
    if not any(_is_choice(_lookup(name, names)) for name in _names_in(annotation)):
        return annotation
    try:
        return _tolerant(eval(annotation, dict(names)))  # noqa: S307 - the author's own annotation
    except (NameError, AttributeError, TypeError):
        return annotation


@cache
def _names_in(annotation: str) -> tuple[str, ...]:
    """The names in an annotation that can be a choice: the many that are made of plain types have none."""
    return tuple(name for name in _NAME.findall(annotation) if name not in _PLAIN)


def _is_choice(found: Any) -> bool:
    return found is Literal or (isinstance(found, type) and issubclass(found, enum.Enum))


def _lookup(name: str, names: Mapping[str, Any]) -> Any:
    first, *rest = name.split(".")
    found = names.get(first)
    for part in rest:
        found = getattr(found, part, None)
    return found


def _tolerant(kind: Any) -> Any:
    if isinstance(kind, type) and not isinstance(kind, GenericAlias):
        return _member_type(kind) if issubclass(kind, enum.Enum) else kind
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        kind = Union[tuple(dict.fromkeys(type(value) for value in arguments))]  # noqa: UP007 - the types are data
    elif origin is Annotated:
        kind = Annotated[(_tolerant(arguments[0]), *arguments[1:])]
    elif origin in (Union, UnionType):
        kind = Union[tuple(_tolerant(argument) for argument in arguments)]  # noqa: UP007 - the types are data
    elif origin is list:
        kind = list[_tolerant(arguments[0])]  # type: ignore[misc]  # the type is data
    elif origin is dict:
        kind = dict[arguments[0], _tolerant(arguments[1])]  # type: ignore[valid-type,misc]  # the types are data
    return kind


def values_of(kind: Any) -> tuple[Any, ...] | None:
    """Return the values that an enum or a literal lists; None for any other type."""
    if get_origin(kind) is Literal:
        return tuple(value for value in get_args(kind) if value is not None)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return tuple(member.value for member in kind)
    return None


def holds_choice(kind: Any) -> bool:
    """Whether a type is an enum or a literal, or is made of one."""
    return values_of(kind) is not None or any(map(holds_choice, get_args(kind)))


def admits_none(kind: Any) -> bool:
    """Whether a type, markers aside, takes None; Any does."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return admits_none(arguments[0])
    if origin in (Union, UnionType):
        return any(admits_none(argument) for argument in arguments)
    return kind in (None, NoneType, Any) or (origin is Literal and None in arguments)
