"""The name of a field manager: the one a request gives, or the beginning of its User-Agent."""

from __future__ import annotations

import unicodedata
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError

MAX_BYTES: Final = 128
_INVISIBLE: Final = frozenset("CZ")  # control characters and separators, by the first letter of their category


def manager_name(field_manager: str, user_agent: str) -> str:
    """Return the manager of a write: what `fieldManager` says, else what stands before the `/` of the User-Agent."""
    return field_manager or _prefix(user_agent.partition("/")[0])


def _prefix(text: str) -> str:
    """Return the printable characters of a text, as many as fit."""
    if _is_plain(text):
        return text
    kept, room = [], MAX_BYTES
    for char in filter(_is_printable, text):
        room -= len(char.encode())
        if room < 0:
            break
        kept.append(char)
    return "".join(kept)


def manager_errors(name: str, path: str = "fieldManager") -> list[FieldError]:
    """Say what is wrong with a manager's name, as a request or an entry of managedFields gives it."""
    if _is_plain(name):
        return []
    errors = []
    encoded = name.encode()
    if len(encoded) > MAX_BYTES:
        errors.append(field_error.too_long(path, MAX_BYTES))
    position = 0
    for char in name:
        if not _is_printable(char):
            shown = f"U+{ord(char):04X}"
            errors.append(field_error.invalid(path, name, f"invalid character {shown} (at position {position})"))
        position += len(char.encode())
    return errors


def _is_plain(text: str) -> bool:
    """Whether nothing is wrong with it at first sight, as with nearly all: every write comes by here twice."""
    return len(text) <= MAX_BYTES and text.isascii() and text.isprintable()


def _is_printable(char: str) -> bool:
    return char == " " or unicodedata.category(char)[0] not in _INVISIBLE
