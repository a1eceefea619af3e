"""Text to a syntax tree: CEL's grammar as cel-go reads it in Kubernetes, macros written out.

A recursive descent along the grammar's rules. What it cannot read it hands to `syntax_error`, which says what is wrong
in the words of cel-go's own parser. The limits are cel-go's: the length, and how deep rules and nodes may nest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from konverge.cluster.apiserver.cel import lexer, syntax_error
from konverge.cluster.apiserver.cel.ast import (
    Expr,
    ListExpr,
    Literal,
    LiteralKind,
    MapEntry,
    MapExpr,
    Operator,
    StructExpr,
    StructField,
)
from konverge.cluster.apiserver.cel.lexer import Token
from konverge.cluster.apiserver.cel.macros import MACROS, Macros
from konverge.cluster.apiserver.cel.node_maker import LITERALS, RESERVED, NodeMaker, TooManyNodes
from konverge.cluster.apiserver.cel.recursion import deep_recursion
from konverge.cluster.apiserver.cel.source import NOWHERE, BadExpression, Issue, Source

_MOST_CHARACTERS: Final = 100_000
_DEEPEST: Final = 250
_MOST_REPORTS: Final = 100
_RELATIONS: Final = {
    "<": Operator.LESS,
    "<=": Operator.LESS_EQUALS,
    ">=": Operator.GREATER_EQUALS,
    ">": Operator.GREATER,
    "==": Operator.EQUALS,
    "!=": Operator.NOT_EQUALS,
    "in": Operator.IN,
}
_FACTORS: Final = {"*": Operator.MULTIPLY, "/": Operator.DIVIDE, "%": Operator.MODULO}
_TERMS: Final = {"+": Operator.ADD, "-": Operator.SUBTRACT}


def parse(source: Source, macros: Macros = MACROS) -> Expr:
    """Return the tree of an expression; raise `BadExpression` where there is none."""
    if len(source.text) > _MOST_CHARACTERS:
        size = f"expression code point size exceeds limit: size: {len(source.text)}, limit {_MOST_CHARACTERS}"
        raise BadExpression(source, [Issue(NOWHERE, size)])
    issues: list[Issue] = []
    tokens = lexer.tokens_of(source.text, issues)
    if len(issues) > _MOST_REPORTS:
        too_many = Issue(issues[_MOST_REPORTS].offset, f"Syntax error: More than {_MOST_REPORTS} syntax errors")
        raise BadExpression(source, [*issues[:_MOST_REPORTS], too_many])
    with deep_recursion():
        tree = _tree(tokens, issues, macros)
    if issues:
        raise BadExpression(source, issues)
    return tree


def _tree(tokens: list[Token], issues: list[Issue], macros: Macros) -> Expr:
    """Return the tree; add to the issues of the tokens what is wrong with their order and their meaning."""
    parser = _Parser(tokens, macros)
    try:
        expr = parser.whole()
    except _Unreadable:
        issues.extend(_syntax_issues(tokens, macros))
    except (_TooDeep, TooManyNodes) as limit:
        issues.append(Issue(NOWHERE, str(limit)))
    else:
        issues.extend(parser.make.issues)
        if parser.make.height(expr) > _DEEPEST:
            issues.append(Issue(NOWHERE, "max recursion depth exceeded"))
        return expr
    return Literal(0, 0, LiteralKind.NULL, None)


def _syntax_issues(tokens: list[Token], macros: Macros) -> list[Issue]:
    try:
        return syntax_error.issues_of(tokens, macros)
    except TooManyNodes as limit:
        return [Issue(NOWHERE, str(limit))]


class _Unreadable(Exception):
    """The tokens do not follow the grammar."""


class _TooDeep(Exception):
    """A rule or a node is nested too deep."""


class _Parser:
    """Reads one expression's tokens."""

    def __init__(self, tokens: list[Token], macros: Macros) -> None:
        self.make = NodeMaker(macros)
        self._tokens = tokens
        self._at = 0
        self._token = tokens[0]
        self._depths = {"expr": 0, "relation": 0, "calc": 0}

    def whole(self) -> Expr:
        """Read an expression up to the end; raise `_Unreadable` or `_TooDeep`."""
        expr = self._expr()
        self._take(lexer.EOF)
        return expr

    # Tokens

    def _advance(self) -> Token:
        token = self._token
        self._at += 1
        self._token = self._tokens[min(self._at, len(self._tokens) - 1)]
        return token

    def _take(self, kind: str) -> Token:
        if self._token.kind != kind:
            raise _Unreadable
        return self._advance()

    def _try(self, kind: str) -> Token | None:
        return self._advance() if self._token.kind == kind else None

    # Rules, named as in the grammar

    def _deeper(self, rule: str) -> None:
        self._depths[rule] += 1
        if self._depths[rule] > _DEEPEST:
            raise _TooDeep(f"expression recursion limit exceeded: {_DEEPEST}")

    def _expr(self) -> Expr:
        self._deeper("expr")
        condition = self._chain("||", Operator.LOGICAL_OR, self._conditional_and)
        operator = self._try("?")
        if operator is not None:
            if_true = self._chain("||", Operator.LOGICAL_OR, self._conditional_and)
            self._take(":")
            condition = self.make.operation(operator.offset, Operator.CONDITIONAL, condition, if_true, self._expr())
        self._depths["expr"] -= 1
        return condition

    def _conditional_and(self) -> Expr:
        return self._chain("&&", Operator.LOGICAL_AND, self._relation)

    def _chain(self, sign: str, function: str, term: Callable[[], Expr]) -> Expr:
        terms = [term()]
        offsets: list[int] = []
        while self._token.kind == sign:
            offsets.append(self._advance().offset)
            terms.append(term())
        return self.make.balanced(function, terms, offsets)

    def _relation(self, *, is_right: bool = False) -> Expr:
        self._deeper("relation")
        left = self._calc(1)
        while not is_right and self._token.kind in _RELATIONS:
            operator = self._advance()
            right = self._relation(is_right=True)
            left = self.make.operation(operator.offset, _RELATIONS[operator.kind], left, right)
        self._depths["relation"] -= 1
        return left

    def _calc(self, precedence: int) -> Expr:
        self._deeper("calc")
        left = self._unary()
        while True:
            kind = self._token.kind
            if kind in _FACTORS and precedence <= 2:  # noqa: PLR2004 - the grammar's order: factors bind before terms
                left = self.make.operation(self._advance().offset, _FACTORS[kind], left, self._calc(3))
            elif kind in _TERMS and precedence <= 1:
                left = self.make.operation(self._advance().offset, _TERMS[kind], left, self._calc(2))
            else:
                break
        self._depths["calc"] -= 1
        return left

    def _unary(self) -> Expr:
        kind = self._token.kind
        if kind == "!" or (kind == "-" and self._peek() not in {lexer.NUM_INT, lexer.NUM_FLOAT}):
            first = self._advance()
            count = 1
            while self._try(kind):
                count += 1
            operand = self._member(may_be_signed=kind == "!")
            function = Operator.LOGICAL_NOT if kind == "!" else Operator.NEGATE
            return self.make.operation(first.offset, function, operand, counts=False) if count % 2 else operand
        return self._member(may_be_signed=True)

    def _peek(self, ahead: int = 1) -> str:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)].kind

    def _member(self, *, may_be_signed: bool) -> Expr:
        operand = self._primary(may_be_signed=may_be_signed)
        while True:
            if self._token.kind == ".":
                operand = self._selection(operand)
            elif self._token.kind == "[":
                operand = self._index(operand)
            else:
                return operand

    def _selection(self, operand: Expr) -> Expr:
        dot = self._advance()
        if self._try("?"):
            name = self._field_name()
            field = self.make.constant(name.offset, LiteralKind.STRING, name.text)
            return self.make.optional_selection(dot.offset, operand, field)
        name = self._field_name()
        if name.kind == lexer.IDENTIFIER and self._token.kind == "(":
            opening = self._advance()
            return self.make.call(opening.offset, name.text, operand, self._arguments())
        return self.make.selection(dot.offset, operand, name.text)

    def _field_name(self) -> Token:
        if self._token.kind == lexer.ESC_IDENTIFIER:
            self.make.fault(self._token.offset, "unsupported syntax: '`'")
            return self._advance()
        return self._take(lexer.IDENTIFIER)

    def _index(self, operand: Expr) -> Expr:
        opening = self._advance()
        function = Operator.OPT_INDEX if self._try("?") else Operator.INDEX
        index = self._expr()
        self._take("]")
        return self.make.operation(opening.offset, function, operand, index)

    def _arguments(self) -> tuple[Expr, ...]:
        if self._try(")"):
            return ()
        args = [self._expr()]
        while self._try(","):
            args.append(self._expr())
        self._take(")")
        return tuple(args)

    def _primary(self, *, may_be_signed: bool) -> Expr:
        kind = self._token.kind
        if kind == lexer.IDENTIFIER or (kind == "." and self._peek() == lexer.IDENTIFIER):
            return self._named()
        if kind == "(":
            self._advance()
            nested = self._expr()
            self._take(")")
            return nested
        if kind == "[":
            return self._list()
        if kind == "{":
            return self._map()
        return self._literal(may_be_signed=may_be_signed)

    def _named(self) -> Expr:
        if self._is_message():
            return self._message()
        dot = self._try(".")
        name = self._advance()
        full_name = f".{name.text}" if dot else name.text
        opening = self._try("(")
        if name.text in RESERVED:
            fault = self.make.fault((dot or name).offset, f"reserved identifier: {name.text}")
            if opening:
                known = len(self.make.issues)
                self._arguments()
                del self.make.issues[known:]  # cel-go does not look into such a call
            return fault
        if opening:
            return self.make.call(opening.offset, full_name, None, self._arguments())
        return self.make.name(name.offset, full_name)

    def _is_message(self) -> bool:
        ahead = 2 if self._token.kind == "." else 1
        while self._peek(ahead) == "." and self._peek(ahead + 1) == lexer.IDENTIFIER:
            ahead += 2
        return self._peek(ahead) == "{"

    def _items(self, closing: str, read: Callable[[], None]) -> None:
        """Read items up to the closing sign; one comma may stand before it."""
        if not self._try(","):
            while self._token.kind != closing:
                read()
                if not self._try(","):
                    break
        self._take(closing)

    def _message(self) -> Expr:
        name = ""
        while self._token.kind != "{":
            name += self._advance().text
        opening = self._advance()
        fields: list[StructField] = []
        self._items("}", lambda: fields.append(self._field()))
        node = StructExpr(self.make.new_id(), opening.offset, name, tuple(fields))
        return self.make.placed(node, [field.value for field in fields])

    def _field(self) -> StructField:
        is_optional = self._try("?") is not None
        name = self._field_name()
        colon = self._take(":")
        return StructField(self.make.new_id(), colon.offset, name.text, self._expr(), is_optional)

    def _map(self) -> Expr:
        opening = self._advance()
        entries: list[MapEntry] = []
        self._items("}", lambda: entries.append(self._entry()))
        node = MapExpr(self.make.new_id(), opening.offset, tuple(entries))
        return self.make.placed(node, [part for entry in entries for part in (entry.key, entry.value)])

    def _entry(self) -> MapEntry:
        is_optional = self._try("?") is not None
        key = self._expr()
        colon = self._take(":")
        return MapEntry(self.make.new_id(), colon.offset, key, self._expr(), is_optional)

    def _list(self) -> Expr:
        opening = self._advance()
        elements: list[Expr] = []
        optional: list[int] = []

        def element() -> None:
            if self._try("?"):
                optional.append(len(elements))
            elements.append(self._expr())

        self._items("]", element)
        node = ListExpr(self.make.new_id(), opening.offset, tuple(elements), tuple(optional))
        return self.make.placed(node, elements)

    def _literal(self, *, may_be_signed: bool) -> Expr:
        sign = None
        if may_be_signed and self._token.kind == "-" and self._peek() in {lexer.NUM_INT, lexer.NUM_FLOAT}:
            sign = self._advance()
        if self._token.kind not in LITERALS:
            raise _Unreadable
        token = self._advance()
        return self.make.literal((sign or token).offset, token, is_negative=sign is not None)
