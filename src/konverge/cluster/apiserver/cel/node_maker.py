"""Makes the nodes of a syntax tree: their ids, the expansion of macros, and what is wrong beside the grammar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from konverge.cluster.apiserver.cel import lexer, literal
from konverge.cluster.apiserver.cel.ast import Call, Expr, Ident, Literal, LiteralKind, LiteralValue, Operator, Select
from konverge.cluster.apiserver.cel.macros import BadMacro, Macros, Writer, expand
from konverge.cluster.apiserver.cel.source import Issue

RESERVED: Final = frozenset(
    {
        *("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"),
        *("package", "namespace", "null", "return", "true", "var", "void", "while"),
    }
)

MOST_NODES: Final = 100_000  # a text without macros has fewer; optMap in a chain doubles them with each link


class TooManyNodes(Exception):
    """The macros of an expression stand for more than a server could check."""


class NodeMaker:
    """Makes the nodes of one expression; `issues` gathers what is wrong with them."""

    __slots__ = ("_heights", "_ids", "_macros", "issues")

    def __init__(self, macros: Macros) -> None:
        self.issues: list[Issue] = []
        self._macros = macros
        self._ids = 0
        # How many operators, selections and member calls nest in a node: what cel-go's visitor counts.
        self._heights: dict[int, int] = {}

    def new_id(self) -> int:
        """Return an id that no node has yet; raise `TooManyNodes`."""
        self._ids += 1
        if self._ids > MOST_NODES:
            raise TooManyNodes(f"expression is too large: more than {MOST_NODES} nodes")
        return self._ids

    def height(self, node: Expr) -> int:
        """Return how deep a node nests."""
        return self._heights[node.id]

    def placed(self, node: Expr, parts: Sequence[Expr] = (), *, counts: bool = False) -> Expr:
        """Note how deep a node nests, and return it."""
        below = max((self._heights[part.id] for part in parts), default=0)
        self._heights[node.id] = below + 1 if counts else below
        return node

    def fault(self, offset: int, message: str) -> Expr:
        """Note what is wrong, and return a node that stands for it."""
        self.issues.append(Issue(offset, message))
        return self.constant(offset, LiteralKind.NULL, None)

    def constant(self, offset: int, kind: LiteralKind, value: LiteralValue) -> Expr:
        """Make a constant."""
        return self.placed(Literal(self.new_id(), offset, kind, value))

    def operation(self, offset: int, function: str, *args: Expr, counts: bool = True) -> Expr:
        """Make a call that the syntax stands for."""
        return self.placed(Call(self.new_id(), offset, function, args), args, counts=counts)

    def balanced(self, function: str, terms: Sequence[Expr], offsets: Sequence[int]) -> Expr:
        """Make a tree of `&&` or `||` that is as low as it can be."""
        if not offsets:
            return terms[0]
        middle = len(offsets) // 2
        left = self.balanced(function, terms[: middle + 1], offsets[:middle])
        right = self.balanced(function, terms[middle + 1 :], offsets[middle + 1 :])
        return self.operation(offsets[middle], function, left, right, counts=False)

    def selection(self, offset: int, operand: Expr, field: str) -> Expr:
        """Make `operand.field`."""
        return self.placed(Select(self.new_id(), offset, operand, field), (operand,), counts=True)

    def optional_selection(self, offset: int, operand: Expr, field: Expr) -> Expr:
        """Make `operand.?field`."""
        return self.operation(offset, Operator.OPT_SELECT, operand, field)

    def name(self, offset: int, name: str) -> Expr:
        """Make a name."""
        return self.placed(Ident(self.new_id(), offset, name))

    def call(self, offset: int, function: str, target: Expr | None, args: tuple[Expr, ...]) -> Expr:
        """Make a call, or what the macro of its name is written out to."""
        parts = args if target is None else (target, *args)
        try:
            written = expand(Writer(self.new_id, offset), function, target, args, macros=self._macros)
        except BadMacro as bad:
            written = self.fault(bad.offset, str(bad))
        node = written or Call(self.new_id(), offset, function, args, target)
        return self.placed(node, parts, counts=target is not None)

    def literal(self, offset: int, token: lexer.Token, *, is_negative: bool) -> Expr:
        """Make the constant that a token stands for."""
        kind = LITERALS[token.kind]
        try:
            return self.constant(offset, kind, _value(kind, token.text, is_negative=is_negative))
        except literal.BadLiteral as bad:
            return self.fault(offset, str(bad))


LITERALS: Final = {
    lexer.NUM_INT: LiteralKind.INT,
    lexer.NUM_FLOAT: LiteralKind.DOUBLE,
    lexer.NUM_UINT: LiteralKind.UINT,
    lexer.STRING: LiteralKind.STRING,
    lexer.BYTES: LiteralKind.BYTES,
    "true": LiteralKind.BOOL,
    "false": LiteralKind.BOOL,
    "null": LiteralKind.NULL,
}


def _value(kind: LiteralKind, text: str, *, is_negative: bool) -> LiteralValue:  # noqa: PLR0911 - one for each kind
    match kind:
        case LiteralKind.INT:
            return literal.int_value(text, is_negative=is_negative)
        case LiteralKind.DOUBLE:
            return literal.double_value(text, is_negative=is_negative)
        case LiteralKind.UINT:
            return literal.uint_value(text)
        case LiteralKind.STRING:
            return literal.string_value(text)
        case LiteralKind.BYTES:
            return literal.bytes_value(text[1:])
        case LiteralKind.BOOL:
            return text == "true"
        case LiteralKind.NULL:
            return None
