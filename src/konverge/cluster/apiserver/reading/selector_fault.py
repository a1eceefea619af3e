"""What is wrong with a label selector, in the real server's words; asked only where one could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules

_TOKEN: Final = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+|\Z)")
_SYMBOLS: Final = frozenset({"==", "!=", "=", "!", "(", ")", ",", "<", ">", ""})
_OPERATORS: Final = frozenset({"in", "notin", "=", "==", "!=", "<", ">"})
_HIGHEST: Final = 2**63
_MOST_DIGITS: Final = len(str(_HIGHEST))


class _Fault(Exception):
    """Where reading ends."""


def label_selector_fault(text: str) -> str:
    """Return what the real server says of a selector that it does not read."""
    try:
        _read(_Tokens(text))
    except _Fault as fault:
        return str(fault)
    return f"invalid selector: {text}"


class _Tokens:
    def __init__(self, text: str) -> None:
        self._tokens = [match[1] for match in _TOKEN.finditer(text)]
        self._next = 0

    def peek(self) -> str:
        return self._tokens[self._next]

    def take(self) -> str:
        token = self.peek()
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token


def _is_word(token: str) -> bool:
    return token not in _SYMBOLS


def _read(tokens: _Tokens) -> None:
    while found := tokens.peek():
        if found != "!" and not _is_word(found):
            raise _Fault(f"found '{found}', expected: !, identifier, or 'end of string'")
        for fault in _requirement(tokens):
            raise _Fault(f"unable to parse requirement: {fault}")
        behind = tokens.take()
        if not behind:
            return
        if behind != ",":
            raise _Fault(f"found '{behind}', expected: ',' or 'end of string'")
        following = tokens.peek()
        if following != "!" and not _is_word(following):
            raise _Fault(f"found '{following}', expected: identifier after ','")


def _requirement(tokens: _Tokens) -> Iterator[str]:
    """Yield what is wrong; only the first counts."""
    is_negated = tokens.peek() == "!" and bool(tokens.take())
    key = tokens.take()
    if not _is_word(key):
        yield f"found '{key}', expected: identifier"
    yield from _key_faults(key)
    if is_negated or tokens.peek() in {"", ","}:
        return
    operator = tokens.take()
    if operator not in _OPERATORS:
        yield f"found '{operator}', expected: in, notin, =, ==, !=, gt, lt"
    values: list[str] = []
    yield from _list_faults(tokens, values) if operator in {"in", "notin"} else _value_faults(tokens, values)
    yield from _bad_values(key, operator, sorted(set(values)))


def _key_faults(key: str) -> Iterator[str]:
    faults = name_rules.qualified_name(key)
    if faults:
        yield str(field_error.invalid("<nil>", key, "; ".join(faults)))


def _value_faults(tokens: _Tokens, values: list[str]) -> Iterator[str]:
    if tokens.peek() in {"", ","}:
        values.append("")
        return
    value = tokens.take()
    if not _is_word(value):
        yield f"found '{value}', expected: identifier"
    values.append(value)


def _list_faults(tokens: _Tokens, values: list[str]) -> Iterator[str]:
    opening = tokens.take()
    if opening != "(":
        yield f"found '{opening}' expected: '('"
    first = tokens.peek()
    if first not in {",", ")"} and not _is_word(first):
        yield f"found '{first}', expected: ',', ')' or identifier"
    while (found := tokens.take()) != ")":
        if _is_word(found):
            values.append(found)
            if tokens.peek() not in {",", ")"}:
                yield f"found '{tokens.peek()}', expected: ',' or ')'"
        elif found != ",":
            yield f"found '{found}', expected: ',', or identifier"


def _bad_values(key: str, operator: str, values: list[str]) -> Iterator[str]:
    for index, value in enumerate(values):
        if operator in {"<", ">"} and not _is_integer(value):
            text = "for 'Gt', 'Lt' operators, the value must be an integer"
            yield str(field_error.invalid(f"values[{index}]", value, text))
        faults = name_rules.label_value(value)
        if faults:
            yield str(field_error.invalid(f"values[{index}][{key}]", value, "; ".join(faults)))


def _is_integer(text: str) -> bool:
    digits = text[1:] if text[:1] in {"-", "+"} else text
    is_number = digits.isascii() and digits.isdigit() and len(digits.lstrip("0")) <= _MOST_DIGITS
    return is_number and -_HIGHEST <= int(text) < _HIGHEST
