"""What cel-go's comprehensions of two variables build their maps with."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.cel.arithmetic import MapAccumulator
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.containers import shown_key
from konverge.cluster.apiserver.cel.declarations import Function, function, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import map_of, type_param
from konverge.cluster.apiserver.cel.values import MapValue

_K: Final = type_param("K")
_V: Final = type_param("V")
_MAP: Final = map_of(_K, _V)
FUNCTIONS: Final[tuple[Function, ...]] = (
    function(
        "cel.@mapInsert",
        overload("@mapInsert_map_key_value", [_MAP, _K, _V], _MAP),
        overload("@mapInsert_map_map", [_MAP, _MAP], _MAP),
    ),
)


def _insert(target: Any, key: Any, value: Any) -> Any:
    if target.find(key)[1]:
        raise CelError(f"insert failed: key {shown_key(key)} already exists")
    if target.__class__ is not MapAccumulator:
        target = MapValue((known, target.find(known)[0]) for known in target.keys())  # noqa: SIM118 - no dict
    target.set(key, value)
    return target


def _insert_all(target: Any, entries: Any) -> Any:
    for key in entries.keys():  # noqa: SIM118 - no dict
        target = _insert(target, key, entries.find(key)[0])
    return target


BINDINGS: Final[Bindings] = {"@mapInsert_map_key_value": _insert, "@mapInsert_map_map": _insert_all}
