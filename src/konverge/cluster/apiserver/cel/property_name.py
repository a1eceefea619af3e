"""The names that an object's properties have in expressions: `my-field` is `my__dash__field`."""

from __future__ import annotations

import re
from typing import Final

_RESERVED: Final = frozenset(
    {
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"),
        *("import", "let", "loop", "package", "namespace", "return", "var", "void", "while"),
    }
)
_PLAIN: Final = re.compile(r"[a-zA-Z0-9_]*")
_ALLOWED: Final = re.compile(r"[a-zA-Z_./-][a-zA-Z0-9_./-]*")
_EXPANDED: Final = re.compile(r"__|[./-]")
_ESCAPED: Final = re.compile(r"__([^_]+)__")
_WORDS: Final = {"__": "underscores", ".": "dot", "-": "dash", "/": "slash"}
_SYMBOLS: Final = {word: symbol for symbol, word in _WORDS.items()}


def escaped(name: str) -> str | None:
    """Return a property's name in expressions; None where it cannot have one."""
    if name in _RESERVED:
        return f"__{name}__"
    if not _ALLOWED.fullmatch(name):
        return None
    if _PLAIN.fullmatch(name) and "__" not in name:
        return name
    return _EXPANDED.sub(lambda match: f"__{_WORDS[match[0]]}__", name)


def unescaped(name: str) -> str | None:
    """Return the property that a name in an expression means; None where it means none."""
    is_wrong = False

    def symbol(match: re.Match[str]) -> str:
        nonlocal is_wrong
        word = match[1]
        is_reserved = word in _RESERVED
        is_wrong = is_wrong or not (word in _SYMBOLS or (is_reserved and match[0] == name))
        return word if is_reserved else _SYMBOLS.get(word, "")

    plain = _ESCAPED.sub(symbol, name)
    return None if is_wrong else plain
