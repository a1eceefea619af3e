"""Paths into a schema (`.spec.color`, `.spec['a.b']`): of CEL rules' fields, and of selectable fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]]+|'")


class PathError(Exception):
    """A path that cannot be followed; its text says why."""


def follow(
    path: str, schema: Mapping[str, Any], *, allows_brackets: bool = True
) -> tuple[str, Mapping[str, Any] | None]:
    """Return a path as causes print it, and the schema at its end."""
    tokens = iter(_TOKEN.findall(path))
    found: Mapping[str, Any] | None = schema
    printed = ""
    for token in tokens:
        if token == "[":  # noqa: S105 - a bracket
            if not allows_brackets:
                raise PathError("array notation is not allowed")
            name = _bracketed(tokens)
        elif token == ".":  # noqa: S105 - a dot
            name = _next(tokens)
        else:
            raise PathError(f"expected [ or . but got: {token}")
        printed, found = _step(name, printed, found)
    return printed, found


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise PathError("unexpected end of JSON path")
    return token


def _bracketed(tokens: Iterator[str]) -> str:
    token = _next(tokens)
    if len(token) < 2 or not (token.startswith("'") and token.endswith("'")):  # noqa: PLR2004 - two quotes
        raise PathError(f"expected single quoted string but got {token}")
    closing = _next(tokens)
    if closing != "]":
        raise PathError(f"expected ] but got {closing}")
    return re.sub(r"\\(.)", r"\1", token[1:-1])


def _step(name: str, printed: str, schema: Mapping[str, Any] | None) -> tuple[str, Mapping[str, Any] | None]:
    properties = (schema or {}).get("properties")
    additional = (schema or {}).get("additionalProperties")
    if properties:
        if name not in properties:
            raise PathError("does not refer to a valid field")
        return f"{printed}.{name}" if printed else name, properties[name]
    if additional is None:
        raise PathError("does not refer to a valid field")
    return f"{printed}[{name}]", additional if isinstance(additional, Mapping) else None
