"""What Go says of a text that is not JSON, or of a value that is not of its type: people read these words.

`syntax_error` is reached only by a body that the fast decoder has refused.
"""

from __future__ import annotations

from typing import Any, Final

_SPACE: Final = " \t\r\n"
_END: Final = "unexpected end of JSON input"
_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}
_ESCAPES: Final = '"\\/bfnrt'
_LARGEST_PLAIN: Final = 1e21  # from here on Go writes an exponent
_FIRST_SHOWN: Final = " "  # below it, a character inside a text must be escaped


def go_kind(value: Any) -> str:
    """Return what Go's decoder calls a value."""
    kinds: dict[type, str] = {dict: "object", list: "array", str: "string", bool: "bool"}
    return kinds.get(type(value), "number")


def go_number(text: str) -> int | float:
    """Return a number that was written as a float: Go writes a whole one back without its fraction."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < _LARGEST_PLAIN else number


class _Bad(Exception):
    pass


def syntax_error(text: str) -> str:
    """Return Go's words for what is wrong with a JSON text; empty where nothing is."""
    try:
        end = _value(text, _skip(text, 0))
        rest = _skip(text, end)
        if rest < len(text):
            raise _bad(text, rest, "after top-level value")
    except _Bad as bad:
        return str(bad)
    return ""


def _bad(text: str, at: int, where: str) -> _Bad:
    if at >= len(text):
        return _Bad(_END)
    return _Bad(f"invalid character {_quoted(text[at])} {where}")


def _quoted(char: str) -> str:
    if char == "'":
        return "'\\''"
    if char == '"':
        return "'\"'"
    return f"'{char}'" if char.isprintable() else repr(char)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _value(text: str, at: int) -> int:
    """Return the end of the value that begins here."""
    start = text[at : at + 1]
    if start == "{":
        return _members(text, at + 1)
    if start == "[":
        return _items(text, at + 1)
    if start == '"':
        return _string(text, at + 1)
    if start in _LITERALS:
        return _literal(text, at, _LITERALS[start])
    if start and (start == "-" or start.isdecimal()):
        return _number(text, at)
    raise _bad(text, at, "looking for beginning of value")


def _members(text: str, at: int) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == "}":
        return at + 1
    while True:
        if text[at : at + 1] != '"':
            raise _bad(text, at, "looking for beginning of object key string")
        at = _skip(text, _string(text, at + 1))
        if text[at : at + 1] != ":":
            raise _bad(text, at, "after object key")
        at = _skip(text, _value(text, _skip(text, at + 1)))
        if text[at : at + 1] == "}":
            return at + 1
        if text[at : at + 1] != ",":
            raise _bad(text, at, "after object key:value pair")
        at = _skip(text, at + 1)


def _items(text: str, at: int) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == "]":
        return at + 1
    while True:
        at = _skip(text, _value(text, at))
        if text[at : at + 1] == "]":
            return at + 1
        if text[at : at + 1] != ",":
            raise _bad(text, at, "after array element")
        at = _skip(text, at + 1)


def _string(text: str, at: int) -> int:
    while at < len(text) and text[at] != '"':
        if text[at] < _FIRST_SHOWN:
            raise _bad(text, at, "in string literal")
        at = _escape(text, at + 1) if text[at] == "\\" else at + 1
    if at >= len(text):
        raise _Bad(_END)
    return at + 1


def _escape(text: str, at: int) -> int:
    if text[at : at + 1] == "u":
        for place in range(at + 1, at + 5):
            if text[place : place + 1].lower() not in set("0123456789abcdef"):
                raise _bad(text, place, "in \\u hexadecimal character escape")
        return at + 5
    if text[at : at + 1] not in set(_ESCAPES):
        raise _bad(text, at, "in string escape code")
    return at + 1


def _literal(text: str, at: int, word: str) -> int:
    for offset, expected in enumerate(word):
        if text[at + offset : at + offset + 1] != expected:
            raise _bad(text, at + offset, f"in literal {word} (expecting '{expected}')")
    return at + len(word)


def _number(text: str, at: int) -> int:
    if text[at] == "-":
        at += 1
    if text[at : at + 1] == "0":
        at += 1
    else:
        at = _digits(text, at, "in numeric literal")
    if text[at : at + 1] == ".":
        at = _digits(text, at + 1, "after decimal point in numeric literal")
    if text[at : at + 1] in {"e", "E"}:
        at += 2 if text[at + 1 : at + 2] in {"+", "-"} else 1
        at = _digits(text, at, "in exponent of numeric literal")
    return at


def _digits(text: str, at: int, where: str) -> int:
    if not ("0" <= text[at : at + 1] <= "9"):
        raise _bad(text, at, where)
    while "0" <= text[at : at + 1] <= "9":
        at += 1
    return at
