"""The path of a rule's `fieldPath`, `.spec['my.key'].name`, followed through a schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

# A quoted text ends at the first quote that no backslash stands before; without one, it is the whole rest.
_TOKEN: Final = re.compile(r"'.*?(?<!\\)'|'.*|[.\[\]]|[^.\[\]']+[^.\[\]]*", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\.")
_ESCAPES: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}
_SHORTEST_QUOTED: Final = 2


class BadPath(Exception):
    """A path that leads nowhere; the text says why."""


def normalized_path(path: str, schema: Mapping[str, Any]) -> str:
    """Return a path as errors show it; raise `BadPath` where the schema does not have it."""
    shown = ""
    node: Mapping[str, Any] = schema
    tokens = iter(_TOKEN.findall(path))
    for token in tokens:
        if token not in {".", "["}:
            raise BadPath(f"expected [ or . but got: {token}")
        name = _quoted_name(tokens) if token == "[" else _next(tokens)  # noqa: S105 - a sign, no secret
        shown, node = _step(shown, node, name)
        if token == "[" and (closing := _next(tokens)) != "]":  # noqa: S105 - a sign, no secret
            raise BadPath(f"expected ] but got {closing}")
    return shown


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise BadPath("unexpected end of JSON path")
    return token


def _quoted_name(tokens: Iterator[str]) -> str:
    token = _next(tokens)
    if len(token) < _SHORTEST_QUOTED or token[0] != "'" or token[-1] != "'":
        raise BadPath(f"expected single quoted string but got {token}")
    return _ESCAPE.sub(_unescaped, token[1:-1])


def _unescaped(match: re.Match[str]) -> str:
    character = _ESCAPES.get(match.group()[1])
    if character is None:
        raise BadPath(f"invalid string literal: invalid escape char {match.group()}")
    return character


def _step(shown: str, node: Mapping[str, Any], name: str) -> tuple[str, Mapping[str, Any]]:
    properties = node.get("properties")
    if properties:
        if name not in properties:
            raise BadPath("does not refer to a valid field")
        return f"{shown}.{name}" if shown else name, properties[name]
    additional = node.get("additionalProperties")
    if additional is None:
        raise BadPath("does not refer to a valid field")
    return f"{shown}[{name}]", additional if isinstance(additional, Mapping) else {}
