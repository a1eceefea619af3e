"""What is wrong in the parts of a broken text that can be read: names that are reserved, macros, literals.

cel-go walks over the tree even where its parser has reported errors, and reports these beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from konverge.cluster.apiserver.cel.ast import Expr, ListExpr, LiteralKind, MapExpr, Operator, StructExpr
from konverge.cluster.apiserver.cel.lexer import Token
from konverge.cluster.apiserver.cel.macros import Macros
from konverge.cluster.apiserver.cel.node_maker import RESERVED, NodeMaker
from konverge.cluster.apiserver.cel.recovery import Context
from konverge.cluster.apiserver.cel.source import NOWHERE, UNPLACED, Issue

_DEEPEST: Final = 250
_COUNTED: Final = frozenset({"expr", "relation", "factor", "term", "Select", "MemberCall", "Index"})


class _TooDeep(Exception):
    """The tree nests deeper than is read."""


def partial_issues(tree: Context, macros: Macros) -> list[Issue]:
    """Return what is wrong with the parts of a tree."""
    reader = _Reader(macros)
    try:
        reader.read(tree)
    except _TooDeep:
        return [*reader.make.issues, Issue(NOWHERE, "max recursion depth exceeded")]
    return reader.make.issues


class _Reader:
    def __init__(self, macros: Macros) -> None:
        self.make = NodeMaker(macros)
        self._depth = 0

    def read(self, context: Context | None) -> Expr:
        """Return the node of a context; a stand-in where nothing can be read."""
        context = _unnested(context)
        if context is None:
            return self._nothing(UNPLACED)
        name = context.label or context.rule
        read = _READERS.get(name)
        if read is None:
            return self._nothing(UNPLACED)
        counts = name in _COUNTED
        self._depth += counts
        if self._depth > _DEEPEST:
            raise _TooDeep
        node = read(self, context)
        self._depth -= counts
        return node

    def _nothing(self, offset: int) -> Expr:
        return self.make.constant(offset, LiteralKind.NULL, None)

    def conditional(self, context: Context) -> Expr:
        parts = (
            self.read(_context(context, "e")),
            self.read(_context(context, "e1")),
            self.read(_context(context, "e2")),
        )
        return self.make.operation(_offset(context, "op"), Operator.CONDITIONAL, *parts)

    def chain(self, context: Context) -> Expr:
        terms = [self.read(_context(context, "e"))]
        terms.extend(self.read(part) for part in _contexts(context, "e1"))
        function = Operator.LOGICAL_OR if context.rule == "conditionalOr" else Operator.LOGICAL_AND
        offsets = [token.offset for token in _tokens(context, "ops")]
        return self.make.balanced(function, terms, offsets[: len(terms) - 1])

    def binary(self, context: Context) -> Expr:
        left, right = self.read(_context(context, "left")), self.read(_context(context, "right"))
        return self.make.operation(_offset(context, "op"), "", left, right)

    def unary(self, context: Context) -> Expr:
        operand = self.read(_context(context, "member"))
        if len(_tokens(context, "ops")) % 2 == 0:
            return operand
        return self.make.operation(_offset(context, "ops"), "", operand, counts=False)

    def unread(self, context: Context) -> Expr:
        return self._nothing(context.offset)

    def select(self, context: Context) -> Expr:
        operand = self.read(_context(context, "left"))
        name = _context(context, "id")
        if name is None:
            return self._nothing(context.offset)
        self._check_name(name, name.offset)
        if _tokens(context, "opt"):
            return self.make.operation(_offset(context, "op"), Operator.OPT_SELECT, operand)
        return self.make.selection(_offset(context, "op"), operand, "")

    def _check_name(self, context: Context, offset: int) -> bool:
        if context.label == "Simple":
            return True
        is_escaped = context.label == "Escaped"
        self.make.fault(offset, "unsupported syntax: '`'" if is_escaped else "unsupported ident kind")
        return False

    def member_call(self, context: Context) -> Expr:
        operand = self.read(_context(context, "left"))
        if not _tokens(context, "id"):
            return self._nothing(context.offset)
        return self.make.call(_offset(context, "open"), _text(context, "id"), operand, self._arguments(context))

    def index(self, context: Context) -> Expr:
        operand, index = self.read(_context(context, "left")), self.read(_context(context, "index"))
        return self.make.operation(_offset(context, "op"), Operator.INDEX, operand, index)

    def _arguments(self, context: Context) -> tuple[Expr, ...]:
        args = _context(context, "args")
        return () if args is None else tuple(self.read(each) for each in _contexts(args, "e"))

    def named(self, context: Context) -> Expr:
        if not _tokens(context, "id"):
            return self._nothing(context.offset)
        name = _text(context, "id")
        if name in RESERVED:
            return self.make.fault(context.offset, f"reserved identifier: {name}")
        full_name = f".{name}" if _tokens(context, "dot") else name
        if context.label == "Ident":
            return self.make.name(_offset(context, "id"), full_name)
        return self.make.call(_offset(context, "op"), full_name, None, self._arguments(context))

    def list(self, context: Context) -> Expr:
        elements = _context(context, "elems")
        parts = [] if elements is None else _contexts(elements, "elems")
        nodes = tuple(self.read(_context(part, "e")) for part in parts)
        return self.make.placed(ListExpr(self.make.new_id(), _offset(context, "op"), nodes), nodes)

    def map(self, context: Context) -> Expr:
        entries = _context(context, "entries")
        if entries is not None:
            for key, value in zip(_contexts(entries, "keys"), _contexts(entries, "values"), strict=False):
                self.read(_context(key, "e"))
                self.read(value)
        return self.make.placed(MapExpr(self.make.new_id(), _offset(context, "op"), ()))

    def message(self, context: Context) -> Expr:
        entries = _context(context, "entries")
        if entries is not None:
            for field, value in zip(_contexts(entries, "fields"), _contexts(entries, "values"), strict=False):
                name = _context(field, "id")
                if name is not None and self._check_name(name, entries.offset):
                    self.read(value)
        return self.make.placed(StructExpr(self.make.new_id(), _offset(context, "op"), "", ()))

    def literal(self, context: Context) -> Expr:
        token = _tokens(context, "tok")[0]
        return self.make.literal(context.offset, token, is_negative=bool(_tokens(context, "sign")))


def _tokens(context: Context, name: str) -> list[Token]:
    return [part for part in context.parts.get(name, ()) if isinstance(part, Token)]


def _contexts(context: Context, name: str) -> list[Context]:
    return [part for part in context.parts.get(name, ()) if isinstance(part, Context)]


def _context(context: Context, name: str) -> Context | None:
    return next(iter(_contexts(context, name)), None)


def _offset(context: Context, name: str) -> int:
    return next((token.offset for token in _tokens(context, name)), context.offset)


def _text(context: Context, name: str) -> str:
    return _tokens(context, name)[0].text


# What only holds another context, and the name of its part.
_WRAPPERS: Final = {
    "start": ("", "e"),
    "expr": ("op", "e"),
    "conditionalOr": ("ops", "e"),
    "conditionalAnd": ("ops", "e"),
    "relation": ("op", "inner"),
    "calc": ("op", "inner"),
    "MemberExpr": ("", "member"),
    "member": ("op", "inner"),
    "Nested": ("", "e"),
    "ConstantLiteral": ("", "literal"),
}


def _unnested(context: Context | None) -> Context | None:
    while context is not None:
        marker, inner = _WRAPPERS.get(context.label or context.rule, ("", ""))
        if not inner or (marker and _tokens(context, marker)):
            return context
        context = _context(context, inner)
    return None


_READERS: Final[dict[str, Callable[[_Reader, Context], Expr]]] = {
    "expr": _Reader.conditional,
    "conditionalOr": _Reader.chain,
    "conditionalAnd": _Reader.chain,
    "relation": _Reader.binary,
    "factor": _Reader.binary,
    "term": _Reader.binary,
    "unary": _Reader.unread,
    "LogicalNot": _Reader.unary,
    "Negate": _Reader.unary,
    "Select": _Reader.select,
    "MemberCall": _Reader.member_call,
    "Index": _Reader.index,
    "Ident": _Reader.named,
    "GlobalCall": _Reader.named,
    "CreateList": _Reader.list,
    "CreateStruct": _Reader.map,
    "CreateMessage": _Reader.message,
    **dict.fromkeys(("Int", "Uint", "Double", "String", "Bytes", "BoolTrue", "BoolFalse", "Null"), _Reader.literal),
}
