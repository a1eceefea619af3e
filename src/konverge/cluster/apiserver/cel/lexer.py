"""Text to tokens, by CEL's grammar: the longest match wins, space and comments are dropped.

What no token begins with is reported as ANTLR reports it, skipped, and the rest read on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.cel.source import Issue

EOF: Final = "<EOF>"
IDENTIFIER: Final = "IDENTIFIER"
ESC_IDENTIFIER: Final = "ESC_IDENTIFIER"
NUM_FLOAT: Final = "NUM_FLOAT"
NUM_INT: Final = "NUM_INT"
NUM_UINT: Final = "NUM_UINT"
STRING: Final = "STRING"
BYTES: Final = "BYTES"
KEYWORDS: Final = frozenset({"in", "true", "false", "null"})

_ESCAPE: Final = r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_QUOTED: Final = "|".join(
    (
        rf'"""(?:{_ESCAPE}|[^\\])*?"""',
        rf"'''(?:{_ESCAPE}|[^\\])*?'''",
        rf'"(?:{_ESCAPE}|[^\\"\n\r])*"',
        rf"'(?:{_ESCAPE}|[^\\'\n\r])*'",
        r'[rR]"""(?:.|\n)*?"""',
        r"[rR]'''(?:.|\n)*?'''",
        r'[rR]"[^"\n\r]*"',
        r"[rR]'[^'\n\r]*'",
    )
)
_TOKEN: Final = re.compile(
    rf"""
      (?P<SPACE>[\t\x20\r\n\x0c]+|//[^\n]*)
    | (?P<BYTES>[bB](?:{_QUOTED}))
    | (?P<STRING>{_QUOTED})
    | (?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<NUM_FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
    | (?P<NUM_UINT>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])
    | (?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)
    | (?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/\x20]+`)
    | (?P<SIGN>==|!=|<=|>=|&&|\|\||[<>\[\]{{}}().,\-!?:+*/%])
    """,
    re.VERBOSE,
)
# The longest beginning of a token that leads nowhere; the character after it belongs to the report too.
_PARTIAL_ESCAPE: Final = r"(?:\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?)?"
_BEGINNING: Final = re.compile(
    rf'"(?:{_ESCAPE}|[^\\"\n\r])*{_PARTIAL_ESCAPE}'
    rf"|'(?:{_ESCAPE}|[^\\'\n\r])*{_PARTIAL_ESCAPE}"
    r"|`[A-Za-z0-9_.\-/ ]*|[=&|]|"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token: `kind` is its own text for a sign or keyword, else the name of its class."""

    kind: str
    text: str
    offset: int
    before: str = ""  # the space and comments that stand before it


def tokens_of(text: str, issues: list[Issue]) -> list[Token]:
    """Return the tokens, the last of which is the end; add to `issues` what is no token."""
    tokens: list[Token] = []
    hidden = ""
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            position = _skip(text, position, issues)
            continue
        position = match.end()
        if match.lastgroup == "SPACE":
            hidden += match.group()
            continue
        tokens.append(Token(_kind(match), match.group(), match.start(), hidden))
        hidden = ""
    tokens.append(Token(EOF, EOF, len(text), hidden))
    return tokens


def _kind(match: re.Match[str]) -> str:
    name, text = str(match.lastgroup), match.group()
    return text if name == "SIGN" or (name == IDENTIFIER and text in KEYWORDS) else name


def _skip(text: str, position: int, issues: list[Issue]) -> int:
    beginning = _BEGINNING.match(text, position)
    end = (beginning.end() if beginning else position) + 1
    issues.append(Issue(position, f"Syntax error: token recognition error at: '{text[position:end]}'"))
    return end
