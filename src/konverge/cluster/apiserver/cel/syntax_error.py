"""What is wrong with tokens that do not follow the grammar, in the words of cel-go's parser."""

from __future__ import annotations

from konverge.cluster.apiserver.cel.lexer import Token
from konverge.cluster.apiserver.cel.macros import Macros
from konverge.cluster.apiserver.cel.partial_tree import partial_issues
from konverge.cluster.apiserver.cel.recovery import Recovery, Stopped
from konverge.cluster.apiserver.cel.source import Issue


def issues_of(tokens: list[Token], macros: Macros) -> list[Issue]:
    """Return what is wrong with the order of the tokens, and with the parts that can be read."""
    recovery = Recovery(tokens)
    try:
        tree = recovery.read()
    except Stopped:
        return recovery.issues
    return [*recovery.issues, *partial_issues(tree, macros)]
