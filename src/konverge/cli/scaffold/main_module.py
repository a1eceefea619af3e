"""Main module: the lines that a new kind adds to the author's `main.py`, and where they go.

`main.py` is the author's. What is known of it is that it has a list `KINDS` and a function `add_to(manager)`; lines are
added to these and to the imports, and nothing else is touched. Where the author did away with one of them, the lines
are told instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

KINDS: Final = "KINDS"
FUNCTION: Final = "add_to"
_DIGITS: Final = re.compile(r"(\d+)")


class Import(msgspec.Struct, frozen=True):
    """`from module import name as alias`."""

    module: str
    name: str
    alias: str = ""

    def __str__(self) -> str:
        return f"from {self.module} import {self.name}" + (f" as {self.alias}" if self.alias else "")


class Wiring(msgspec.Struct, frozen=True):
    """What `main.py` is to have."""

    imports: tuple[Import, ...] = ()
    kinds: tuple[str, ...] = ()  # in KINDS
    calls: tuple[str, ...] = ()  # functions that `add_to` gives the manager to


class Unplaced(msgspec.Struct, frozen=True):
    """A line that has no place in the text."""

    line: str
    where: str


def wired(text: str, wiring: Wiring) -> tuple[str, list[Unplaced]]:
    """Return the text with the lines that it lacks, and those that it has no place for."""
    unplaced = []
    try:
        ast.parse(text)
    except SyntaxError:
        return text, list(_told(wiring))
    for kind in wiring.kinds:
        if (changed := _with_kind(text, kind)) is None:
            unplaced.append(Unplaced(f"{kind},", KINDS))
        text = changed or text
    for call in wiring.calls:
        if (changed := _with_call(text, call)) is None:
            unplaced.append(Unplaced(f"{call}(manager)", FUNCTION))
        text = changed or text
    for each in wiring.imports:
        text = _with_import(text, each)
    return text, unplaced


def _told(wiring: Wiring) -> Iterator[Unplaced]:
    yield from (Unplaced(str(each), "the imports") for each in wiring.imports)
    yield from (Unplaced(f"{kind},", KINDS) for kind in wiring.kinds)
    yield from (Unplaced(f"{call}(manager)", FUNCTION) for call in wiring.calls)


def _inserted(text: str, row: int, lines: Iterable[str]) -> str:
    """Return a text with lines before a row, which counts from 0."""
    rows = text.splitlines()
    rows[row:row] = lines
    return "\n".join(rows) + "\n"


# --- imports ---


def _with_import(text: str, wanted: Import) -> str:
    """Add an import where isort would have it, in the last section if that is the package's own."""
    if str(wanted) in text.splitlines():
        return text
    body = ast.parse(text).body
    statements = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    package = wanted.module.partition(".")[0]
    own = [node for node in statements if isinstance(node, ast.ImportFrom) and _package(node) == package]
    later = next((node for node in own if _order(node.module or "") > _order(wanted.module)), None)
    if later is not None:
        return _inserted(text, later.lineno - 1, [str(wanted)])
    if own:
        return _inserted(text, _end(own[-1]), [str(wanted)])
    above: list[ast.stmt] = [*statements[-1:]]
    if not above and ast.get_docstring(ast.Module(body, [])):
        above = body[:1]
    return _inserted(text, _end(above[0]), ["", str(wanted)]) if above else _inserted(text, 0, [str(wanted), ""])


def _package(node: ast.ImportFrom) -> str:
    return (node.module or "").partition(".")[0]


def _order(module: str) -> list[tuple[int, str]]:
    """Return what modules are sorted by: v2 comes before v10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(module)]


def _end(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


# --- KINDS ---


def _with_kind(text: str, name: str) -> str | None:
    found = next(filter(None, map(_kinds, ast.parse(text).body)), None)
    if found is None:
        return None
    names = [ast.get_source_segment(text, each) or "" for each in found.elts]
    if name in names:
        return text
    if _end(found) > found.lineno:  # one a line, as we wrote it, or comments among them
        return _inserted(text, _end(found) - 1, [f"    {name},"])
    rows = text.splitlines()
    before, after = rows[found.lineno - 1][: found.col_offset], rows[found.lineno - 1][found.end_col_offset :]
    rows[found.lineno - 1 : found.lineno] = [f"{before}[", *(f"    {each}," for each in (*names, name)), f"]{after}"]
    return "\n".join(rows) + "\n"


def _kinds(node: ast.stmt) -> ast.List | None:
    match node:
        case ast.AnnAssign(target=ast.Name(id="KINDS"), value=value) | ast.Assign([ast.Name(id="KINDS")], value):
            return value if isinstance(value, ast.List) else None
    return None


# --- add_to ---


def _with_call(text: str, function: str) -> str | None:
    body = next(filter(None, map(_body, ast.parse(text).body)), None)
    if body is None:
        return None
    if function in _called(body):
        return text
    last = body[-1]
    line = f"{' ' * last.col_offset}{function}(manager)"
    return _inserted(text, last.lineno - 1 if isinstance(last, ast.Return) else _end(last), [line])


def _body(node: ast.stmt) -> list[ast.stmt] | None:
    if (
        isinstance(node, ast.FunctionDef)
        and node.name == FUNCTION
        and [arg.arg for arg in node.args.args] == ["manager"]
    ):
        return node.body
    return None


def _called(body: list[ast.stmt]) -> Iterator[str]:
    for node in (node for statement in body for node in ast.walk(statement)):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                yield name
