"""What is wrong with tokens that do not follow the grammar, in the words of cel-go's parser."""

from __future__ import annotations

from konverge.cluster.apiserver.cel.lexer import Token
from konverge.cluster.apiserver.cel.source import Issue


def issues_of(tokens: list[Token], lexical: list[Issue]) -> list[Issue]:
    """Return all issues of a text that cannot be read: those of its tokens, and those of their order."""
    return [*lexical, Issue(tokens[-1].offset, "Syntax error")]
