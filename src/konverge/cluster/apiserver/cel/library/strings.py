"""cel-go's string extensions, version 2: positions count characters, not bytes."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.library.string_format import format_text
from konverge.cluster.apiserver.cel.types import DYN, INT, STRING, list_of

_STRINGS: Final = list_of(STRING)
FUNCTIONS: Final[tuple[Function, ...]] = (
    function("charAt", member("string_char_at_int", [STRING, INT], STRING)),
    function(
        "indexOf",
        member("string_index_of_string", [STRING, STRING], INT),
        member("string_index_of_string_int", [STRING, STRING, INT], INT),
    ),
    function(
        "lastIndexOf",
        member("string_last_index_of_string", [STRING, STRING], INT),
        member("string_last_index_of_string_int", [STRING, STRING, INT], INT),
    ),
    function("lowerAscii", member("string_lower_ascii", [STRING], STRING)),
    function(
        "replace",
        member("string_replace_string_string", [STRING, STRING, STRING], STRING),
        member("string_replace_string_string_int", [STRING, STRING, STRING, INT], STRING),
    ),
    function(
        "split",
        member("string_split_string", [STRING, STRING], _STRINGS),
        member("string_split_string_int", [STRING, STRING, INT], _STRINGS),
    ),
    function(
        "substring",
        member("string_substring_int", [STRING, INT], STRING),
        member("string_substring_int_int", [STRING, INT, INT], STRING),
    ),
    function("trim", member("string_trim", [STRING], STRING)),
    function("upperAscii", member("string_upper_ascii", [STRING], STRING)),
    function("format", member("string_format", [STRING, list_of(DYN)], STRING)),
    function("strings.quote", overload("strings_quote", [STRING], STRING)),
    function(
        "join",
        member("list_join", [_STRINGS], STRING),
        member("list_join_string", [_STRINGS, STRING], STRING),
    ),
)

# What Go's unicode.IsSpace takes for a space; Python's strip() takes a few more.
_SPACES: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_UPPER: Final = {code + 32: code for code in _LOWER}
_QUOTED: Final = str.maketrans(
    {
        "\a": r"\a",
        "\b": r"\b",
        "\f": r"\f",
        "\n": r"\n",
        "\r": r"\r",
        "\t": r"\t",
        "\v": r"\v",
        "\\": r"\\",
        '"': r"\"",
    }
)


def trimmed(text: str) -> str:
    """Return a text without the spaces around it, as Go trims it."""
    return text.strip(_SPACES)


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise CelError(f"index out of range: {index}")
    return text[index : index + 1]


def _index_of(text: str, part: str, offset: int = 0) -> int:
    if not part:
        return offset
    if offset < 0:
        raise CelError(f"index out of range: {offset}")
    return text.find(part, offset) if offset < len(text) else -1


def _last_index_of(text: str, part: str) -> int:
    if not part:
        return len(text)
    if len(text.encode()) < len(part.encode()):
        return -1
    return _last_index_of_from(text, part, len(text) - 1)


def _last_index_of_from(text: str, part: str, offset: int) -> int:
    if not part:
        return offset
    if offset < 0:
        raise CelError(f"index out of range: {offset}")
    return text.rfind(part, 0, offset + len(part)) if offset < len(text) else -1


def _replace(text: str, old: str, new: str, most: int = -1) -> str:
    return text.replace(old, new, most) if most >= 0 else text.replace(old, new)


def _split(text: str, separator: str, most: int = -1) -> list[Any]:
    if most == 0:
        return []
    if separator:
        return list(text.split(separator, most - 1 if most > 0 else -1))
    return list(text) if most < 0 or most >= len(text) else [*text[: most - 1], text[most - 1 :]]


def _substring(text: str, start: int) -> str:
    if not 0 <= start <= len(text):
        raise CelError(f"index out of range: {start}")
    return text[start:]


def _substring_range(text: str, start: int, end: int) -> str:
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise CelError(f"index out of range: {index}")
    return text[start:end]


def _join(texts: Any, separator: str = "") -> str:
    parts = list(texts)
    for part in parts:
        if part.__class__ is not str:
            raise CelError(f"join: invalid input: {part}")
    return separator.join(parts)


def _quote(text: str) -> str:
    return f'"{text.translate(_QUOTED)}"'


BINDINGS: Final[Bindings] = {
    "string_char_at_int": _char_at,
    "string_index_of_string": _index_of,
    "string_index_of_string_int": _index_of,
    "string_last_index_of_string": _last_index_of,
    "string_last_index_of_string_int": _last_index_of_from,
    "string_lower_ascii": lambda text: text.translate(_LOWER),
    "string_replace_string_string": _replace,
    "string_replace_string_string_int": _replace,
    "string_split_string": _split,
    "string_split_string_int": _split,
    "string_substring_int": _substring,
    "string_substring_int_int": _substring_range,
    "string_trim": trimmed,
    "string_upper_ascii": lambda text: text.translate(_UPPER),
    "string_format": format_text,
    "strings_quote": _quote,
    "list_join": _join,
    "list_join_string": _join,
}
