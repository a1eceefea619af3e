"""JSON paths in kubectl's dialect, as far as a printer column may use them: `.spec.ports[0].port`, filters, `..name`.

A path is parsed once into steps; each step takes the values found so far and gives those that follow. Nothing found is
no error; a path that does not fit the value (an index out of range, a filter on what is no list) is `PathError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from konverge.cluster.apiserver.table import json_path_steps as steps
from konverge.cluster.apiserver.table.json_path_steps import PathError, Step

__all__ = ["JsonPath", "PathError"]

_TERMINATORS: Final = frozenset(" \t\r\n.,[]$@{}")
_KEY: Final = re.compile(r"'([^']*)'")
_SLICE: Final = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)", re.DOTALL)
_NUMBER: Final = re.compile(r"[+-]?[0-9.]*")


class JsonPath:
    """A parsed path."""

    def __init__(self, parsed: list[Step]) -> None:
        self._steps = parsed

    @classmethod
    def parse(cls, text: str) -> JsonPath:
        """Parse a path without its braces; raise `PathError` where it is none."""
        return _parsed(text)

    def find(self, value: Any) -> list[Any]:
        """Return what the path finds in a value."""
        found = [value]
        for step in self._steps:
            found = step(found)
        return found


@lru_cache(maxsize=4096)
def _parsed(text: str) -> JsonPath:
    return JsonPath(_Parser(text).steps())


class _Parser:
    """Reads a path from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found: list[Step] = []

    def steps(self) -> list[Step]:
        """Return the steps up to the end, or up to a brace that closes the path."""
        while self._at < len(self._text) and self._text[self._at] != "}":
            self._next()
        return self._found

    def _next(self) -> None:
        if self._text.startswith("[?(", self._at):
            self._filter()
            return
        if self._text.startswith("..", self._at):
            self._descent()
            return
        char = self._text[self._at]
        if char in " @$":  # the value itself
            self._at += 1
        else:
            self._by_first(char)()

    def _by_first(self, char: str) -> Callable[[], None]:
        if char == "[":
            return self._array
        if char == ".":
            return self._field_after_dot
        if char in "\"'":
            return self._quoted
        if char in "+-" or char.isdigit():
            return self._number
        if char.isalpha() or char == "_":
            return self._word
        raise PathError(f"unrecognized character in action: {char!r}")

    def _field_after_dot(self) -> None:
        self._at += 1
        self._field()

    def _field(self) -> None:
        begin = self._at
        while self._at < len(self._text) and self._text[self._at] not in _TERMINATORS:
            self._at += 2 if self._text[self._at] == "\\" else 1
        if self._at > len(self._text):
            raise PathError("unclosed action")  # the last character escapes the end
        name = self._text[begin : self._at]
        self._found.append(steps.wildcard if name == "*" else steps.field(name.replace("\\", "")))

    def _descent(self) -> None:
        if self._found and self._found[-1] is steps.descent:
            raise PathError("invalid multiple recursive descent")
        self._at += 2
        self._found.append(steps.descent)
        if self._at < len(self._text) and (self._text[self._at].isalnum() or self._text[self._at] == "_"):
            self._field()

    def _quoted(self) -> None:
        quote, begin = self._text[self._at], self._at + 1
        end = self._text.find(quote, begin)
        while end > 0 and self._text[end - 1] == "\\":
            end = self._text.find(quote, end + 1)
        if end < 0:
            raise PathError("unterminated quoted string")
        self._at = end + 1
        self._found.append(steps.constant(self._text[begin:end].replace("\\" + quote, quote)))

    def _number(self) -> None:
        found = _NUMBER.match(self._text, self._at)
        text = found[0] if found else ""
        self._at += len(text)
        try:
            number = float(text) if "." in text else int(text)
        except ValueError:
            raise PathError(f"cannot parse number {text}") from None
        self._found.append(steps.constant(number))

    def _word(self) -> None:
        begin = self._at
        while self._at < len(self._text) and self._text[self._at] not in _TERMINATORS:
            self._at += 1
        word = self._text[begin : self._at]
        self._found.append(steps.constant(word == "true") if word in ("true", "false") else steps.unknown(word))

    def _array(self) -> None:
        end = self._text.find("]", self._at)
        if end < 0:
            raise PathError("unterminated array")
        text = self._text[self._at + 1 : end]
        self._at = end + 1
        parts = text.split(",")
        if len(parts) > 1:
            self._found.append(steps.union([_Parser(f"[{part.strip(' ')}]").steps() for part in parts]))
        elif (key := _KEY.fullmatch(text)) is not None:
            self._found += _Parser(f".{key[1]}").steps()
        else:
            self._found.append(_slice(":" if text == "*" else text))

    def _filter(self) -> None:
        begin = self._at + len("[?(")
        end = _filter_end(self._text, begin)
        if self._text[end + 1 : end + 2] != "]":
            raise PathError("unclosed array expect ]")
        text = self._text[begin:end]
        self._at = end + 2
        comparison = _COMPARISON.fullmatch(text)
        if comparison is None:
            self._found.append(steps.exists(_Parser(text).steps()))
        else:
            left, operator, right = comparison.groups()
            self._found.append(steps.compared(_Parser(left).steps(), operator, _Parser(right).steps()))


def _filter_end(text: str, begin: int) -> int:
    """Return where a filter's closing parenthesis is: one inside quotes is not it."""
    quote, is_closed = "", False
    for at in range(begin, len(text)):
        char = text[at]
        if char in "\"'":
            if not quote:
                quote = char
            elif char == quote and text[at - 1] != "\\":
                is_closed = True
        elif char == ")" and bool(quote) == is_closed:
            return at
    raise PathError("unterminated filter")


def _slice(text: str) -> Step:
    found = _SLICE.fullmatch(text)
    if found is None:
        raise PathError(f"invalid array index {text}")
    first, second, third = found.groups()
    start = int(first) if first else None
    if second is None:
        return steps.index(start or 0)
    end = second[1:]
    step = third[1:] if third else ""
    try:
        return steps.sliced(start, int(end) if end else None, int(step) if step else None)
    except ValueError:
        raise PathError(f"array index {text} is not a number") from None
