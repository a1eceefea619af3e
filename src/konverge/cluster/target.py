"""The target of a request line, read as Go's net/url reads it: what clients of the real server rely on."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, unquote_plus

Query = tuple[tuple[str, str], ...]

_BAD_ESCAPE: Final = re.compile(r"%(?![0-9a-fA-F]{2})")


class BadTarget(ValueError):
    """The path has a `%` that begins no escape."""


def read_target(target: str) -> tuple[str, Query]:
    """Return the path and the query's pairs in order, both percent-decoded."""
    path, _, query = target.partition("?")
    if "%" in path:
        if _BAD_ESCAPE.search(path):
            raise BadTarget(f"invalid URL escape in {path!r}")
        path = unquote(path)
    return path, read_query(query) if query else ()


def read_query(query: str) -> Query:
    """Return the pairs of a query; those with a semicolon or a bad escape are left out, as Go leaves them out."""
    return tuple(_pair(part) for part in query.split("&") if part and ";" not in part and not _BAD_ESCAPE.search(part))


def _pair(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return unquote_plus(name), unquote_plus(value)
