"""`jsonpatch.escapeKey("a/b")`: a key as it stands in the path of a JSON patch."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.cel.declarations import Function, function, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import STRING

FUNCTIONS: Final[tuple[Function, ...]] = (
    function("jsonpatch.escapeKey", overload("string_jsonpatch_escapeKey_string", [STRING], STRING)),
)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


BINDINGS: Final[Bindings] = {"string_jsonpatch_escapeKey_string": _escaped}
