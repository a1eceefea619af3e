"""Whether a constant `'…'.format([…])` fits its arguments: asked when an expression is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.cel.ast import Call, Expr, ListExpr, Literal, LiteralKind, MapExpr
from konverge.cluster.apiserver.cel.source import Issue
from konverge.cluster.apiserver.cel.types import Kind, Type

_NUMBERS: Final = frozenset({Kind.INT, Kind.UINT})
_DOUBLES: Final = frozenset({Kind.DOUBLE, Kind.STRING})  # a text may be "NaN" or "Infinity"
_SHOWN: Final = frozenset(
    {
        *(Kind.LIST, Kind.MAP, Kind.INT, Kind.UINT, Kind.DOUBLE, Kind.BOOL, Kind.STRING),
        *(Kind.TIMESTAMP, Kind.BYTES, Kind.DURATION, Kind.TYPE, Kind.NULL),
    }
)
_SHOWN_NAMES: Final = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
_HEX: Final = (
    frozenset({*_NUMBERS, Kind.STRING, Kind.BYTES}),
    "only integers, byte buffers, and strings can be formatted as hex",
)
_CLAUSES: Final = {
    "s": (_SHOWN, f"string clause can only be used on {_SHOWN_NAMES}"),
    "d": (_NUMBERS, "decimal clause can only be used on integers"),
    "f": (_DOUBLES, "fixed-point clause can only be used on doubles"),
    "e": (_DOUBLES, "scientific clause can only be used on doubles"),
    "b": (frozenset({*_NUMBERS, Kind.BOOL}), "only integers and bools can be formatted as binary"),
    "x": _HEX,
    "X": _HEX,
    "o": (_NUMBERS, "octal clause can only be used on integers"),
}
_LARGEST_PRECISION: Final = 2**63


class _BadFormat(Exception):
    def __init__(self, message: str, node: Expr | None = None) -> None:
        super().__init__(message)
        self.node = node


def format_issue(call: Call, references: tuple[str, ...], types: Mapping[int, Type]) -> Issue | None:
    """Return what is wrong with a call of `format` whose text and list of arguments are constant."""
    if call.function != "format" or not isinstance(call.target, Literal) or len(call.args) != 1:
        return None
    text, args = call.target, call.args[0]
    if "string_format" not in references or text.kind is not LiteralKind.STRING or not isinstance(args, ListExpr):
        return None
    try:
        used = _read(str(text.value).encode(), args.elements, types)
    except _BadFormat as bad:
        return Issue((bad.node or call).offset, str(bad))
    if len(args.elements) > used:
        counts = f"(expected {used}, got {len(args.elements)})"
        return Issue(call.offset, f"too many arguments supplied to string.format {counts}")
    return None


def _read(text: bytes, args: tuple[Expr, ...], types: Mapping[int, Type]) -> int:
    """Return how many arguments a format takes; raise where one does not fit."""
    used = 0
    position = 0
    while (position := text.find(b"%", position)) >= 0:
        if text[position + 1 : position + 2] == b"%":
            position += 2
            continue
        if position + 1 >= len(text):
            raise _BadFormat("unexpected end of string")
        if used >= len(args):
            raise _BadFormat(f"index {used} out of range")
        position = _clause(text, position + 1, args[used], types)
        used += 1
    return used


def _clause(text: bytes, position: int, arg: Expr, types: Mapping[int, Type]) -> int:
    position = _after_precision(text, position)
    letter = chr(text[position])
    known = _CLAUSES.get(letter)
    if known is None:
        raise _BadFormat(f'could not parse formatting clause: unrecognized formatting clause "{letter}"')
    kinds, complaint = known
    bad = _unfit(arg, kinds, types, is_deep=letter == "s")
    if bad is not None:
        raise _BadFormat(f"error during formatting: {complaint}, was given {types[bad.id].name}", bad)
    return position + 1


def _after_precision(text: bytes, position: int) -> int:
    if text[position] != ord("."):
        return position
    start = position = position + 1
    while position < len(text) and chr(text[position]) in "0123456789":
        position += 1
    problem = "could not parse formatting clause: error while parsing precision: "
    if position >= len(text):
        raise _BadFormat(f"{problem}could not find end of precision specifier")
    digits = text[start:position].decode()
    if not digits or int(digits) >= _LARGEST_PRECISION:
        reason = "value out of range" if digits else "invalid syntax"
        number = f'strconv.Atoi: parsing "{digits}": {reason}'
        raise _BadFormat(f"{problem}error while converting precision to integer: {number}")
    return position


def _unfit(arg: Expr, kinds: frozenset[Kind], types: Mapping[int, Type], *, is_deep: bool) -> Expr | None:
    type_ = types[arg.id]
    if type_.kind is not Kind.DYN and type_.kind not in kinds:
        return arg
    parts: list[Expr] = []
    if is_deep and isinstance(arg, ListExpr):
        parts = list(arg.elements)
    elif is_deep and isinstance(arg, MapExpr):
        parts = [part for entry in arg.entries for part in (entry.key, entry.value)]
    return next((bad for part in parts if (bad := _unfit(part, kinds, types, is_deep=True)) is not None), None)
