"""The nodes of a pattern, and how they are written for Python's `re`."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

import msgspec

_SHORT: Final = {(0, None): "*", (1, None): "+", (0, 1): "?"}


class Place(Enum):
    """Where something may have to stand that takes no character; the value is Python's spelling."""

    BEGIN = r"\A"
    END = r"\Z"
    LINE_BEGIN = r"(?m:^)"
    LINE_END = r"(?m:$)"
    WORD_EDGE = r"(?a:\b)"
    NO_WORD_EDGE = r"(?a:(?!\b))"


class One(msgspec.Struct, frozen=True):
    """One character; `text` is what Python's `re` calls it."""

    text: str


class Edge(msgspec.Struct, frozen=True):
    """No character, but a certain place."""

    place: Place


class Sequence(msgspec.Struct, frozen=True):
    """One part after the other."""

    parts: tuple[Node, ...]


class Choice(msgspec.Struct, frozen=True):
    """One of the branches, the first that leads to a match."""

    branches: tuple[Node, ...]


class Repeat(msgspec.Struct, frozen=True):
    """The same again, as often as possible, or where it is lazy as seldom as possible."""

    node: Node
    least: int
    most: int | None
    is_lazy: bool = False


Node: TypeAlias = One | Edge | Sequence | Choice | Repeat


def can_be_empty(node: Node) -> bool:
    """Whether a node can match without taking a character."""
    match node:
        case One():
            return False
        case Edge():
            return True
        case Sequence(parts):
            return all(map(can_be_empty, parts))
        case Choice(branches):
            return any(map(can_be_empty, branches))
        case Repeat(inner, least):
            return least == 0 or can_be_empty(inner)


def for_python(node: Node) -> str:
    """Write a node for Python's `re`."""
    match node:
        case One(text):
            return text
        case Edge(place):
            return place.value
        case Sequence(parts):
            return "".join(_grouped(part) if isinstance(part, Choice) else for_python(part) for part in parts)
        case Choice(branches):
            return "|".join(map(for_python, branches))
        case Repeat(inner, least, most):
            count = _SHORT.get((least, most)) or f"{{{least},{'' if most is None else most}}}"
            text = for_python(inner) if isinstance(inner, One) else _grouped(inner)
            return f"{text}{count}{'?' if node.is_lazy else ''}"


def _grouped(node: Node) -> str:
    return f"(?:{for_python(node)})"
