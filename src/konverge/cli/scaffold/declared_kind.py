"""Declared kind: what an author's module of types says in `@kv.resource(…)`, and the same for a further version."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from konverge.errors import ConfigError


def declared(text: str) -> dict[str, object]:
    """Return the options of the first `@kv.resource(…)` that are plain values; none where there is no such thing."""
    found = _keywords(text)
    return {name: value.value for name, value in found.items() if isinstance(value, ast.Constant)}


def class_names(text: str) -> list[str]:
    """Return the names of the module's classes."""
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]


def further_version(text: str, version: str) -> str:
    """Return the module of types for a further version, which is not stored: as yet it has the same fields."""
    found = _keywords(text)
    if not {"version", "storage"} <= found.keys():
        raise ConfigError(
            "the kind's module has no @kv.resource(…, version=…, storage=True) to begin a further version with: "
            "write storage=True there, since of several versions one is stored"
        )
    before = str(declared(text)["version"])
    text = _replaced(text, {found["version"]: f'"{version}"', found["storage"]: "False"})
    first, newline, rest = text.partition("\n")
    return first.replace(f" {before}", f" {version}") + newline + rest


def _keywords(text: str) -> dict[str, ast.expr]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Attribute(attr="resource") | ast.Name(id="resource"), keywords=keywords):
                return {each.arg: each.value for each in keywords if each.arg is not None}
    return {}


def _replaced(text: str, values: Mapping[ast.expr, str]) -> str:
    """Return a text with other words for some expressions; the last ones first, so that places stay true."""
    rows = text.splitlines(keepends=True)
    for node, word in sorted(values.items(), key=lambda item: (item[0].lineno, item[0].col_offset), reverse=True):
        row = rows[node.lineno - 1].encode()  # places are counted in bytes
        rows[node.lineno - 1] = (row[: node.col_offset] + word.encode() + row[node.end_col_offset :]).decode()
    return "".join(rows)
