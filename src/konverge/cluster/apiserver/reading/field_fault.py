"""What is wrong with a field selector, in the real server's words."""

from __future__ import annotations

import re
from typing import Final

_OPERATOR: Final = re.compile(r"!=|==|=")
_ESCAPABLE: Final = "\\,="


def field_selector_fault(text: str) -> str:
    """Return what the real server says of a selector that it does not read, or an empty text."""
    for term in sorted(_terms(text)):
        if not term:
            continue
        operator = _OPERATOR.search(term)
        if operator is None:
            return f"invalid selector: '{text}'; can't understand '{term}'"
        fault = _value_fault(term[operator.end() :])
        if fault:
            return f"invalid field selector: {fault}"
    return ""


def _terms(text: str) -> list[str]:
    terms, start, is_escaped = [], 0, False
    for index, char in enumerate(text):
        if char == "," and not is_escaped:
            terms.append(text[start:index])
            start = index + 1
        is_escaped = char == "\\" and not is_escaped
    return [*terms, text[start:]]


def _value_fault(value: str) -> str:
    is_escaped = False
    for char in value:
        if is_escaped:
            if char not in _ESCAPABLE:
                return f"invalid escape sequence: \\{char}"
            is_escaped = False
        elif char == "\\":
            is_escaped = True
        elif char in ",=":
            return f"unescaped character in value: {ord(char)}"
    return "invalid escape sequence: \\" if is_escaped else ""
