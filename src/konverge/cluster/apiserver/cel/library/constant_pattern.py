"""Regular expressions that are constants are compiled once, and refused before the expression runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.re2 import InvalidPattern, compile_re2, find_all

PATTERN_FUNCTIONS: Final = frozenset({"matches", "find", "findAll"})


def with_pattern(function: str, pattern: str) -> Callable[..., Any]:
    """Return `matches`, `find` or `findAll` for a pattern; raise where the pattern is illegal."""
    try:
        compiled = compile_re2(pattern)
    except InvalidPattern as error:
        raise CelError(str(error)) from error

    def run(text: Any, _pattern: Any, most: Any = -1) -> Any:
        if text.__class__ is not str or most.__class__ is not int:
            raise no_such_overload()
        if function == "findAll":
            return find_all(compiled, text, most)
        return compiled.matches(text) if function == "matches" else compiled.first(text)

    return run
