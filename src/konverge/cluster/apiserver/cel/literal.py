"""The value of a literal: strings and bytes with their escapes, and numbers within 64 bits."""

from __future__ import annotations

import math
import re
from typing import Final

_PLAIN: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "`": "`", "?": "?",
}  # fmt: skip
_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\'\"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))"
)
_INT_RANGE: Final = range(-(2**63), 2**63)
_UINT_RANGE: Final = range(2**64)
_SURROGATES: Final = range(0xD800, 0xE000)
_LAST_POINT: Final = 0x10FFFF
_TRIPLE: Final = 6  # two times three quotes


class BadLiteral(ValueError):
    """A literal that the grammar allows and that has no value; the text is cel-go's."""


def string_value(text: str) -> str:
    """Return what a quoted text stands for."""
    body, is_raw = _body(text)
    if is_raw or "\\" not in body:
        return body
    return _ESCAPE.sub(_character, body)


def bytes_value(text: str) -> bytes:
    """Return what a quoted text after `b` stands for: escapes are bytes, the rest is UTF-8."""
    body, is_raw = _body(text)
    if is_raw or "\\" not in body:
        return body.encode()
    return _escaped_bytes(body)


def int_value(text: str, *, is_negative: bool) -> int:
    """Return a signed number of 64 bits."""
    value = int(text, 16) if text.startswith("0x") else _decimal(text, "invalid int literal")
    value = -value if is_negative else value
    if value not in _INT_RANGE:
        raise BadLiteral("invalid int literal")
    return value


def uint_value(text: str) -> int:
    """Return an unsigned number of 64 bits, written with a `u` behind it."""
    digits = text[:-1]
    value = int(digits, 16) if digits.startswith("0x") else _decimal(digits, "invalid uint literal")
    if value not in _UINT_RANGE:
        raise BadLiteral("invalid uint literal")
    return value


def double_value(text: str, *, is_negative: bool) -> float:
    """Return a floating point number, which must be finite."""
    value = float(text)
    if math.isinf(value):
        raise BadLiteral("invalid double literal")
    return -value if is_negative else value


def _decimal(digits: str, complaint: str) -> int:
    stripped = digits.lstrip("0") or "0"
    if len(stripped) > 20:  # noqa: PLR2004 - more digits than 64 bits have; Python refuses thousands of them
        raise BadLiteral(complaint)
    return int(stripped)


def _body(text: str) -> tuple[str, bool]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    is_raw = text[0] in "rR"
    if is_raw:
        text = text[1:]
    width = 3 if len(text) >= _TRIPLE and text[:3] in {"'''", '"""'} else 1
    return text[width:-width], is_raw


def _character(match: re.Match[str]) -> str:
    plain, byte, short, long, octal = match.groups()
    if plain is not None:
        return _PLAIN[plain]
    point = int(octal, 8) if octal is not None else int(byte or short or long, 16)
    if point > _LAST_POINT or point in _SURROGATES:
        raise BadLiteral("invalid unicode code point")
    return chr(point)


def _escaped_bytes(body: str) -> bytes:
    result = bytearray()
    position = 0
    for match in _ESCAPE.finditer(body):
        result += body[position : match.start()].encode()
        result += _byte(match)
        position = match.end()
    return bytes(result + body[position:].encode())


def _byte(match: re.Match[str]) -> bytes:
    plain, byte, short, long, octal = match.groups()
    if plain is not None:
        return _PLAIN[plain].encode()
    if short is not None or long is not None:
        raise BadLiteral("unable to unescape string")
    return bytes((int(octal, 8) if octal is not None else int(byte, 16),))
