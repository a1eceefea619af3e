"""Which way ANTLR's parser goes where the grammar leaves a choice, by the tokens that are ahead.

It predicts by looking as far ahead as it must. Where nothing fits, it takes a way on which the rule could at least be
over; else there is no viable one, and the report names the tokens up to the one that fits nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from konverge.cluster.apiserver.cel.grammar import RULES, Alt, Loop
from konverge.cluster.apiserver.cel.lexer import ESC_IDENTIFIER, IDENTIFIER, NUM_FLOAT, NUM_INT

_NUMBERS: Final = frozenset({NUM_INT, NUM_FLOAT})
_FACTORS: Final = frozenset({"*", "/", "%"})


@dataclass(frozen=True, slots=True)
class Unviable:
    """No way fits; `ahead` is how far the token is that fits none."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The way to take, by its index."""

    index: int


Choice: TypeAlias = Chosen | Unviable
Kinds: TypeAlias = Callable[[int], str]  # of the token that is so far ahead; the end has no end


def alternative(alt: Alt, kind: Kinds) -> Choice:
    """Choose an alternative by the kinds of the tokens ahead."""
    first = kind(0)
    fitting = [index for index, part in enumerate(alt.parts) if first in part.begin.kinds]
    if not fitting:
        return Unviable(0)
    if alt.decision == "unary" and first == "-":
        return _minus(kind)
    if alt.decision == "literal" and first == "-":
        return _number(alt, kind)
    if alt.decision == "member" and first == ".":
        return _selection(alt, kind)
    if alt.decision == "primary" and len(fitting) > 1:
        return _name(alt, kind)
    return Chosen(fitting[0])


def goes_on(loop: Loop, kind: Kinds, precedence: int) -> bool | Unviable:
    """Say whether a loop goes on."""
    first = kind(0)
    if first not in loop.part.begin.kinds:
        return False
    if loop.decision == "relation":
        return precedence <= 1
    if loop.decision == "calc":
        return precedence <= (2 if first in _FACTORS else 1)
    if loop.decision in {"list", "field"}:
        begin = RULES["optExpr" if loop.decision == "list" else "optField"].begin.kinds
        return kind(1) in begin
    if loop.decision == "minus" and kind(1) != "-" and kind(1) not in RULES["primary"].begin.kinds:
        return Unviable(1)
    return True


def _minus(kind: Kinds) -> Choice:
    """Tell a negative number from the negation of something."""
    if kind(1) in _NUMBERS:
        return Chosen(0)
    if kind(1) == "-" or kind(1) in RULES["primary"].begin.kinds:
        return Chosen(2)
    return Unviable(1)


def _number(alt: Alt, kind: Kinds) -> Choice:
    if kind(1) not in _NUMBERS:
        return Unviable(1)
    return Chosen(alt.labels.index("Int" if kind(1) == NUM_INT else "Double"))


def _selection(alt: Alt, kind: Kinds) -> Choice:
    if kind(1) in {"?", ESC_IDENTIFIER}:
        return Chosen(alt.labels.index("Select"))
    if kind(1) != IDENTIFIER:
        return Unviable(1)
    return Chosen(alt.labels.index("MemberCall" if kind(2) == "(" else "Select"))


def _name(alt: Alt, kind: Kinds) -> Choice:
    """Tell a name from a call and from a message, which may have a name of many parts."""
    at = 1 if kind(0) == "." else 0
    if kind(at) != IDENTIFIER:
        return Unviable(at)
    if kind(at + 1) == "(":
        return Chosen(alt.labels.index("GlobalCall"))
    while kind(at + 1) == "." and kind(at + 2) == IDENTIFIER:
        at += 2
    return Chosen(alt.labels.index("CreateMessage" if kind(at + 1) == "{" else "Ident"))
