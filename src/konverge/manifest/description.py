"""Descriptions: the docstrings of classes, and the strings below their attributes.

The latter are in no class at run time: they are read from the source where there is one, and are left out where there
is none (`kv.Doc` needs no source).
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest

from konverge.api.model import Model


def class_description(cls: type) -> str:
    """Return the docstring of a class itself, not of one that it is made from."""
    text = cls.__dict__.get("__doc__")
    return described(text) if isinstance(text, str) else ""


def attribute_description(cls: type[Model], attribute: str) -> str:
    """Return the string below an attribute, in the class or in one that it is made from."""
    found = (_documented(part.__module__).get((part.__qualname__, attribute)) for part in cls.__mro__)
    return next((text for text in found if text), "")


def described(text: str) -> str:
    """Return a text as CRDs have it: without indentation, and without what Go authors leave out of theirs."""
    lines: list[str] = []
    fenced = False
    for line in inspect.cleandoc(text).splitlines():
        fenced ^= line.startswith(("```", "~~~"))
        if not fenced and line.startswith("---"):
            break
        if fenced or not line.startswith("TODO"):
            lines.append(line.rstrip())
    return "\n".join(lines).strip("\n")


@cache
def _documented(module: str) -> dict[tuple[str, str], str]:
    """The strings below attributes in a module's source, by class and attribute."""
    file = getattr(sys.modules.get(module), "__file__", None)
    source = "".join(linecache.getlines(file)) if file and file.endswith(".py") else ""
    try:
        return dict(_in_body(ast.parse(source).body, ""))
    except SyntaxError:  # a file that has changed since it was imported
        return {}


def _in_body(body: list[ast.stmt], qualname: str) -> Iterator[tuple[tuple[str, str], str]]:
    for statement, below in zip_longest(body, body[1:]):
        if isinstance(statement, ast.ClassDef):
            yield from _in_body(statement.body, f"{qualname}.{statement.name}".lstrip("."))
        elif isinstance(statement, ast.FunctionDef):
            yield from _in_body(statement.body, f"{qualname}.{statement.name}.<locals>".lstrip("."))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and (text := _text(below)):
            yield (qualname, statement.target.id), described(text)


def _text(statement: ast.stmt | None) -> str:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
