"""CEL's grammar as data: what may stand where, for telling what was expected where a text breaks it.

A rule is a tree of elements. Each element knows the tokens it can begin with and those that can follow it within its
rule; what follows a rule is known where it is used. `recovery` walks over it as ANTLR's parser does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from konverge.cluster.apiserver.cel.lexer import (
    BYTES,
    EOF,
    ESC_IDENTIFIER,
    IDENTIFIER,
    NUM_FLOAT,
    NUM_INT,
    NUM_UINT,
    STRING,
)

# The order in which expected tokens are listed: that of ANTLR's numbers.
_ORDER: Final = (
    *(EOF, "==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?"),
    *(":", "+", "*", "/", "%", "true", "false", "null"),
    *(NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER, ESC_IDENTIFIER),
)
_NUMBERS: Final = {kind: number for number, kind in enumerate(_ORDER)}
_NAMED: Final = frozenset({EOF, NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER, ESC_IDENTIFIER})


@dataclass(frozen=True, slots=True)
class Next:
    """The tokens that can come next; `can_end`: or the rule is over."""

    kinds: frozenset[str]
    can_end: bool

    def then(self, rest: Next) -> Next:
        """Go on with what follows, where this can be over."""
        return Next(self.kinds | rest.kinds, rest.can_end) if self.can_end else self

    def either(self, other: Next) -> Next:
        """Return what can come next of two."""
        return Next(self.kinds | other.kinds, self.can_end or other.can_end)


_END: Final = Next(frozenset(), can_end=True)


def shown_kinds(kinds: frozenset[str]) -> str:
    """Return expected tokens as ANTLR lists them."""
    names = [kind if kind in _NAMED else f"'{kind}'" for kind in sorted(kinds, key=_NUMBERS.__getitem__)]
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


class Element:
    """A part of a rule."""

    parts: tuple[Element, ...] = ()
    parent: Element | None = None

    def adopt(self) -> None:
        """Let the parts know where they stand."""
        for part in self.parts:
            part.parent = self
            part.adopt()

    def find_begin(self) -> Next:
        """Find what this can begin with."""
        raise NotImplementedError

    @cached_property
    def begin(self) -> Next:
        """What this can begin with."""
        return self.find_begin()

    def after_part(self, part: Element) -> Next:
        """Return what can follow a part of this, within the rule."""
        del part
        return self.after

    @cached_property
    def after(self) -> Next:
        """What can follow this, within the rule."""
        return _END if self.parent is None else self.parent.after_part(self)

    @cached_property
    def expected(self) -> Next:
        """What can come where this begins."""
        return self.begin.then(self.after)


class Tok(Element):
    """One token of some kinds."""

    def __init__(self, *kinds: str, name: str = "") -> None:
        self.kinds = frozenset(kinds)
        self.name = name

    def find_begin(self) -> Next:
        """Find what this can begin with."""
        return Next(self.kinds, can_end=False)


class Use(Element):
    """A use of another rule; `precedence` binds what a recursive one takes."""

    def __init__(self, rule: str, *, name: str = "", precedence: int = 0) -> None:
        self.rule = rule
        self.name = name
        self.precedence = precedence

    def find_begin(self) -> Next:
        """Find what this can begin with."""
        return RULES[self.rule].begin


class Seq(Element):
    """One part after the other."""

    def __init__(self, *parts: Element) -> None:
        self.parts = parts

    def find_begin(self) -> Next:
        """Find what this can begin with."""
        return self._from(0)

    def after_part(self, part: Element) -> Next:
        """Return what can follow a part of this."""
        later = self._from(next(i for i, each in enumerate(self.parts) if each is part) + 1)
        return later.then(self.after) if later.can_end else later

    def _from(self, index: int) -> Next:
        # Only as far as a part can be empty: the rules use each other, so to ask on would never end.
        result = _END
        for part in self.parts[index:]:
            result = result.then(part.begin)
            if not result.can_end:
                break
        return result


class Alt(Element):
    """One of several, with the labels of ANTLR's contexts; `decision` names how it is chosen."""

    def __init__(self, decision: str, **labelled: Element) -> None:
        self.decision = decision
        self.labels = tuple(labelled)
        self.parts = tuple(labelled.values())

    def find_begin(self) -> Next:
        """Find what this can begin with."""
        result = self.parts[0].begin
        for part in self.parts[1:]:
            result = result.either(part.begin)
        return result


class Opt(Element):
    """At most once."""

    def __init__(self, *parts: Element) -> None:
        self.part = parts[0] if len(parts) == 1 else Seq(*parts)
        self.parts = (self.part,)

    def find_begin(self) -> Next:
        """Find what this can begin with."""
        return self.part.begin.either(_END)


class Loop(Element):
    """Any number of times, or at least once; `decision` names how it is decided whether to go on."""

    def __init__(self, *parts: Element, decision: str = "", at_least_once: bool = False) -> None:
        self.part = parts[0] if len(parts) == 1 else Seq(*parts)
        self.parts = (self.part,)
        self.decision = decision
        self.at_least_once = at_least_once

    def find_begin(self) -> Next:
        """Find what this can begin with."""
        begin = self.part.begin
        return begin if self.at_least_once else begin.either(_END)

    def after_part(self, part: Element) -> Next:
        """Return what can follow one round: another one, or what follows the loop."""
        del part
        return self.again

    @cached_property
    def again(self) -> Next:
        """What can come after a round."""
        return self.part.begin.either(self.after)


_RELATIONS: Final = ("<", "<=", ">=", ">", "==", "!=", "in")
RULES: Final[dict[str, Element]] = {
    "start": Seq(Use("expr", name="e"), Tok(EOF)),
    "expr": Seq(
        Use("conditionalOr", name="e"),
        Opt(Tok("?", name="op"), Use("conditionalOr", name="e1"), Tok(":"), Use("expr", name="e2")),
    ),
    "conditionalOr": Seq(
        Use("conditionalAnd", name="e"), Loop(Tok("||", name="ops"), Use("conditionalAnd", name="e1"))
    ),
    "conditionalAnd": Seq(Use("relation", name="e"), Loop(Tok("&&", name="ops"), Use("relation", name="e1"))),
    "relation": Seq(
        Use("calc", name="inner"),
        Loop(Tok(*_RELATIONS, name="op"), Use("relation", name="right", precedence=2), decision="relation"),
    ),
    "calc": Seq(
        Use("unary", name="inner"),
        Loop(
            Alt(
                "calc",
                factor=Seq(Tok("*", "/", "%", name="op"), Use("calc", name="right", precedence=3)),
                term=Seq(Tok("+", "-", name="op"), Use("calc", name="right", precedence=2)),
            ),
            decision="calc",
        ),
    ),
    "unary": Alt(
        "unary",
        MemberExpr=Use("member", name="member"),
        LogicalNot=Seq(Loop(Tok("!", name="ops"), at_least_once=True), Use("member", name="member")),
        Negate=Seq(Loop(Tok("-", name="ops"), decision="minus", at_least_once=True), Use("member", name="member")),
    ),
    "member": Seq(
        Use("primary", name="inner"),
        Loop(
            Alt(
                "member",
                Select=Seq(Tok(".", name="op"), Opt(Tok("?", name="opt")), Use("escapeIdent", name="id")),
                MemberCall=Seq(
                    Tok(".", name="op"),
                    Tok(IDENTIFIER, name="id"),
                    Tok("(", name="open"),
                    Opt(Use("exprList", name="args")),
                    Tok(")"),
                ),
                Index=Seq(Tok("[", name="op"), Opt(Tok("?", name="opt")), Use("expr", name="index"), Tok("]")),
            ),
            decision="member",
        ),
    ),
    "primary": Alt(
        "primary",
        Ident=Seq(Opt(Tok(".", name="dot")), Tok(IDENTIFIER, name="id")),
        GlobalCall=Seq(
            Opt(Tok(".", name="dot")),
            Tok(IDENTIFIER, name="id"),
            Tok("(", name="op"),
            Opt(Use("exprList", name="args")),
            Tok(")"),
        ),
        Nested=Seq(Tok("("), Use("expr", name="e"), Tok(")")),
        CreateList=Seq(Tok("[", name="op"), Opt(Use("listInit", name="elems")), Opt(Tok(",")), Tok("]")),
        CreateStruct=Seq(Tok("{", name="op"), Opt(Use("mapInitializerList", name="entries")), Opt(Tok(",")), Tok("}")),
        CreateMessage=Seq(
            Opt(Tok(".", name="dot")),
            Tok(IDENTIFIER, name="ids"),
            Loop(Tok("."), Tok(IDENTIFIER, name="ids")),
            Tok("{", name="op"),
            Opt(Use("fieldInitializerList", name="entries")),
            Opt(Tok(",")),
            Tok("}"),
        ),
        ConstantLiteral=Use("literal", name="literal"),
    ),
    "exprList": Seq(Use("expr", name="e"), Loop(Tok(","), Use("expr", name="e"))),
    "listInit": Seq(Use("optExpr", name="elems"), Loop(Tok(","), Use("optExpr", name="elems"), decision="list")),
    "fieldInitializerList": Seq(
        Use("optField", name="fields"),
        Tok(":", name="cols"),
        Use("expr", name="values"),
        Loop(
            *(Tok(","), Use("optField", name="fields"), Tok(":", name="cols"), Use("expr", name="values")),
            decision="field",
        ),
    ),
    "optField": Seq(Opt(Tok("?", name="opt")), Use("escapeIdent", name="id")),
    "mapInitializerList": Seq(
        Use("optExpr", name="keys"),
        Tok(":", name="cols"),
        Use("expr", name="values"),
        Loop(
            *(Tok(","), Use("optExpr", name="keys"), Tok(":", name="cols"), Use("expr", name="values")),
            decision="list",
        ),
    ),
    "escapeIdent": Alt("", Simple=Tok(IDENTIFIER, name="id"), Escaped=Tok(ESC_IDENTIFIER, name="id")),
    "optExpr": Seq(Opt(Tok("?", name="opt")), Use("expr", name="e")),
    "literal": Alt(
        "literal",
        Int=Seq(Opt(Tok("-", name="sign")), Tok(NUM_INT, name="tok")),
        Uint=Tok(NUM_UINT, name="tok"),
        Double=Seq(Opt(Tok("-", name="sign")), Tok(NUM_FLOAT, name="tok")),
        String=Tok(STRING, name="tok"),
        Bytes=Tok(BYTES, name="tok"),
        BoolTrue=Tok("true", name="tok"),
        BoolFalse=Tok("false", name="tok"),
        Null=Tok("null", name="tok"),
    ),
}
RECURSIVE: Final = frozenset({"relation", "calc", "member"})
for _rule in RULES.values():
    _rule.adopt()
