"""Text to a syntax tree: CEL's grammar as cel-go reads it in Kubernetes, macros written out.

A recursive descent along the grammar's rules. What it cannot read it hands to `syntax_error`, which says what is wrong
in the words of cel-go's own parser. The limits are cel-go's: the length, and how deep rules and nodes may nest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from konverge.cluster.apiserver.cel import lexer, literal, syntax_error
from konverge.cluster.apiserver.cel.ast import (
    Call,
    Expr,
    Ident,
    ListExpr,
    Literal,
    LiteralKind,
    LiteralValue,
    MapEntry,
    MapExpr,
    Operator,
    Select,
    StructExpr,
    StructField,
)
from konverge.cluster.apiserver.cel.lexer import Token
from konverge.cluster.apiserver.cel.macros import BadMacro, Writer, expand
from konverge.cluster.apiserver.cel.recursion import deep_recursion
from konverge.cluster.apiserver.cel.source import NOWHERE, BadExpression, Issue, Source

_MOST_CHARACTERS: Final = 100_000
_DEEPEST: Final = 250
RESERVED: Final = frozenset(
    "as break const continue else false for function if import in let loop package namespace null return true var void"
    " while".split()
)
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


def parse(source: Source) -> Expr:
    """Return the tree of an expression; raise `BadExpression` where there is none."""
    if len(source.text) > _MOST_CHARACTERS:
        size = f"expression code point size exceeds limit: size: {len(source.text)}, limit {_MOST_CHARACTERS}"
        raise BadExpression(source, [Issue(NOWHERE, size)])
    issues: list[Issue] = []
    tokens = lexer.tokens_of(source.text, issues)
    parser = _Parser(tokens, issues)
    with deep_recursion():
        tree = parser.tree()
    if parser.issues:
        raise BadExpression(source, parser.issues)
    return tree


class _Unreadable(Exception):
    """The tokens do not follow the grammar."""


class _TooDeep(Exception):
    """A rule or a node is nested too deep."""


class _Parser:
    """Reads one expression's tokens; `issues` gathers what is wrong beside the grammar."""

    def __init__(self, tokens: list[Token], issues: list[Issue]) -> None:
        self.issues = issues
        self._tokens = tokens
        self._at = 0
        self._token = tokens[0]
        self._ids = 0
        self._depths = {"expr": 0, "relation": 0, "calc": 0}
        # How many operators, selections and member calls nest in a node: what cel-go's visitor counts.
        self._heights: dict[int, int] = {}

    def tree(self) -> Expr:
        nothing = Literal(0, 0, LiteralKind.NULL, None)
        lexical = list(self.issues)
        try:
            expr = self._expr()
            if self._token.kind != lexer.EOF:
                raise _Unreadable
        except _Unreadable:
            self.issues[:] = syntax_error.issues_of(self._tokens, lexical)
            return nothing
        except _TooDeep as limit:
            self.issues[:] = [*lexical, Issue(NOWHERE, str(limit))]
            return nothing
        if self._heights[expr.id] > _DEEPEST:
            self.issues.append(Issue(NOWHERE, "max recursion depth exceeded"))
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

    # Nodes

    def _new_id(self) -> int:
        self._ids += 1
        return self._ids

    def _placed(self, node: Expr, *parts: Expr, counts: bool = False) -> Expr:
        below = max((self._heights[part.id] for part in parts), default=0)
        self._heights[node.id] = below + 1 if counts else below
        return node

    def _operation(self, operator: Token, function: str, *args: Expr, counts: bool = True) -> Expr:
        node = Call(self._new_id(), operator.offset, function, args)
        return self._placed(node, *args, counts=counts)

    def _constant(self, offset: int, kind: LiteralKind, value: LiteralValue) -> Expr:
        return self._placed(Literal(self._new_id(), offset, kind, value))

    def _fault(self, offset: int, message: str) -> Expr:
        self.issues.append(Issue(offset, message))
        return self._constant(offset, LiteralKind.NULL, None)

    def _call_or_macro(self, opening: Token, function: str, target: Expr | None, args: tuple[Expr, ...]) -> Expr:
        parts = args if target is None else (target, *args)
        try:
            written = expand(Writer(self._new_id, opening.offset), function, target, args)
        except BadMacro as bad:
            written = self._fault(bad.offset, str(bad))
        node = written or Call(self._new_id(), opening.offset, function, args, target)
        return self._placed(node, *parts, counts=target is not None)

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
            condition = self._operation(operator, Operator.CONDITIONAL, condition, if_true, self._expr())
        self._depths["expr"] -= 1
        return condition

    def _conditional_and(self) -> Expr:
        return self._chain("&&", Operator.LOGICAL_AND, self._relation)

    def _chain(self, sign: str, function: str, term: Callable[[], Expr]) -> Expr:
        terms = [term()]
        signs: list[Token] = []
        while self._token.kind == sign:
            signs.append(self._advance())
            terms.append(term())
        return self._balanced(function, terms, signs)

    def _balanced(self, function: str, terms: list[Expr], signs: list[Token]) -> Expr:
        if not signs:
            return terms[0]
        middle = len(signs) // 2
        left = self._balanced(function, terms[: middle + 1], signs[:middle])
        right = self._balanced(function, terms[middle + 1 :], signs[middle + 1 :])
        return self._operation(signs[middle], function, left, right, counts=False)

    def _relation(self, *, is_right: bool = False) -> Expr:
        self._deeper("relation")
        left = self._calc(1)
        while not is_right and self._token.kind in _RELATIONS:
            operator = self._advance()
            right = self._relation(is_right=True)
            left = self._operation(operator, _RELATIONS[operator.kind], left, right)
        self._depths["relation"] -= 1
        return left

    def _calc(self, precedence: int) -> Expr:
        self._deeper("calc")
        left = self._unary()
        while True:
            kind = self._token.kind
            if kind in _FACTORS and precedence <= 2:  # noqa: PLR2004 - the grammar's order: factors bind before terms
                left = self._operation(self._advance(), _FACTORS[kind], left, self._calc(3))
            elif kind in _TERMS and precedence <= 1:
                left = self._operation(self._advance(), _TERMS[kind], left, self._calc(2))
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
            return self._operation(first, function, operand, counts=False) if count % 2 else operand
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
            field = self._constant(name.offset, LiteralKind.STRING, name.text)
            return self._operation(dot, Operator.OPT_SELECT, operand, field)
        name = self._field_name()
        if name.kind == lexer.IDENTIFIER and self._token.kind == "(":
            opening = self._advance()
            return self._call_or_macro(opening, name.text, operand, self._arguments())
        return self._placed(Select(self._new_id(), dot.offset, operand, name.text), operand, counts=True)

    def _field_name(self) -> Token:
        if self._token.kind == lexer.ESC_IDENTIFIER:
            self._fault(self._token.offset, "unsupported syntax: '`'")
            return self._advance()
        return self._take(lexer.IDENTIFIER)

    def _index(self, operand: Expr) -> Expr:
        opening = self._advance()
        function = Operator.OPT_INDEX if self._try("?") else Operator.INDEX
        index = self._expr()
        self._take("]")
        return self._operation(opening, function, operand, index)

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
            fault = self._fault((dot or name).offset, f"reserved identifier: {name.text}")
            if opening:
                known = len(self.issues)
                self._arguments()
                del self.issues[known:]  # cel-go does not look into such a call
            return fault
        if opening:
            return self._call_or_macro(opening, full_name, None, self._arguments())
        return self._placed(Ident(self._new_id(), name.offset, full_name))

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
        node = StructExpr(self._new_id(), opening.offset, name, tuple(fields))
        return self._placed(node, *(field.value for field in fields))

    def _field(self) -> StructField:
        is_optional = self._try("?") is not None
        name = self._field_name()
        colon = self._take(":")
        return StructField(self._new_id(), colon.offset, name.text, self._expr(), is_optional)

    def _map(self) -> Expr:
        opening = self._advance()
        entries: list[MapEntry] = []
        self._items("}", lambda: entries.append(self._entry()))
        node = MapExpr(self._new_id(), opening.offset, tuple(entries))
        return self._placed(node, *(part for entry in entries for part in (entry.key, entry.value)))

    def _entry(self) -> MapEntry:
        is_optional = self._try("?") is not None
        key = self._expr()
        colon = self._take(":")
        return MapEntry(self._new_id(), colon.offset, key, self._expr(), is_optional)

    def _list(self) -> Expr:
        opening = self._advance()
        elements: list[Expr] = []
        optional: list[int] = []

        def element() -> None:
            if self._try("?"):
                optional.append(len(elements))
            elements.append(self._expr())

        self._items("]", element)
        node = ListExpr(self._new_id(), opening.offset, tuple(elements), tuple(optional))
        return self._placed(node, *elements)

    def _literal(self, *, may_be_signed: bool) -> Expr:
        sign = self._token if may_be_signed and self._token.kind == "-" else None
        if sign and self._peek() in {lexer.NUM_INT, lexer.NUM_FLOAT}:
            self._advance()
        token = self._token
        read = _LITERALS.get(token.kind)
        if read is None:
            raise _Unreadable
        self._advance()
        offset = (sign or token).offset
        kind, value = read
        try:
            return self._constant(offset, kind, value(token.text, sign is not None))
        except literal.BadLiteral as bad:
            return self._fault(offset, str(bad))


_Value = Callable[[str, bool], LiteralValue]
_LITERALS: Final[dict[str, tuple[LiteralKind, _Value]]] = {
    lexer.NUM_INT: (LiteralKind.INT, lambda text, minus: literal.int_value(text, is_negative=minus)),
    lexer.NUM_FLOAT: (LiteralKind.DOUBLE, lambda text, minus: literal.double_value(text, is_negative=minus)),
    lexer.NUM_UINT: (LiteralKind.UINT, lambda text, _: literal.uint_value(text)),
    lexer.STRING: (LiteralKind.STRING, lambda text, _: literal.string_value(text)),
    lexer.BYTES: (LiteralKind.BYTES, lambda text, _: literal.bytes_value(text[1:])),
    "true": (LiteralKind.BOOL, lambda _text, _minus: True),
    "false": (LiteralKind.BOOL, lambda _text, _minus: False),
    "null": (LiteralKind.NULL, lambda _text, _minus: None),
}
