"""The `Warning` headers of an answer: each text once, and in all no more than a client can be expected to take.

Where the texts are too long together, each is cut; and when even so it is enough, the rest is left out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

_MOST: Final = 4096  # characters of all texts
_LONGEST: Final = 256  # characters of one, where they are cut


def warning_headers(warnings: Iterable[str]) -> list[tuple[str, str]]:
    """Return the headers that carry these warnings."""
    texts = [text for text in dict.fromkeys(warnings) if text]
    whole = [text for text in texts if _is_plain(text)]
    shown = whole if sum(map(len, whole)) <= _MOST else _cut(texts)
    return [("Warning", f"299 - {_quoted(text)}") for text in shown]


def _cut(texts: list[str]) -> list[str]:
    """Return the beginnings of texts, until there are enough of them."""
    found: list[str] = []
    length = 0
    for text in texts:
        if length >= _MOST:
            break
        begin = text[:_LONGEST]
        if _is_plain(begin):
            found.append(begin)
            length += len(begin)
    return found


def _is_plain(text: str) -> bool:
    """Whether a text can stand in a header; one that cannot is not told."""
    return not any(unicodedata.category(char) == "Cc" for char in text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
