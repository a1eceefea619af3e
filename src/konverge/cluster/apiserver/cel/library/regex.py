"""Kubernetes' regular expressions: `find` and `findAll`."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.declarations import Function, function, member
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.re2 import InvalidPattern, Pattern, compile_re2, find_all
from konverge.cluster.apiserver.cel.types import INT, STRING, list_of

_STRINGS: Final = list_of(STRING)
FUNCTIONS: Final[tuple[Function, ...]] = (
    function("find", member("string_find_string", [STRING, STRING], STRING)),
    function(
        "findAll",
        member("string_find_all_string", [STRING, STRING], _STRINGS),
        member("string_find_all_string_int", [STRING, STRING, INT], _STRINGS),
    ),
)


def _compiled(pattern: str) -> Pattern:
    try:
        return compile_re2(pattern)
    except InvalidPattern as error:
        raise CelError(f"Illegal regex: {error}") from error


def _find(text: str, pattern: str) -> str:
    return _compiled(pattern).first(text)


def _find_all(text: str, pattern: str, most: int = -1) -> list[Any]:
    return list(find_all(_compiled(pattern), text, most))


BINDINGS: Final[Bindings] = {
    "string_find_string": _find,
    "string_find_all_string": _find_all,
    "string_find_all_string_int": _find_all,
}
