"""The closures of list, map and object literals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.containers import shown_key
from konverge.cluster.apiserver.cel.frame import Frame, Run
from konverge.cluster.apiserver.cel.runtime_cost import LIST, MAP, STRUCT
from konverge.cluster.apiserver.cel.values import MapValue, Optional


def list_run(elements: Sequence[Run], optional: frozenset[int]) -> Run:
    """`[a, ?b]`."""

    def run(frame: Frame) -> list[Any]:
        try:
            if not optional:
                return [element(frame) for element in elements]
            return _with_optional(frame, elements, optional)
        finally:
            frame.cost += LIST

    return run


def _with_optional(frame: Frame, elements: Sequence[Run], optional: frozenset[int]) -> list[Any]:
    values: list[Any] = []
    for index, element in enumerate(elements):
        value = element(frame)
        if index not in optional:
            values.append(value)
        elif value.__class__ is not Optional:
            raise CelError(f"cannot initialize optional list element from non-optional value {shown_key(value)}")
        elif value.has_value:
            values.append(value.value)
    return values


def map_run(entries: Sequence[tuple[Run, Run, bool]]) -> Run:
    """`{a: b, ?c: d}`."""

    def run(frame: Frame) -> MapValue:
        made = MapValue()
        try:
            for key, value, is_optional in entries:
                _set(made, key(frame), value(frame), is_optional=is_optional)
        finally:
            frame.cost += MAP
        return made

    return run


def _set(made: MapValue, key: Any, value: Any, *, is_optional: bool) -> None:
    if not is_optional:
        made.set(key, value)
    elif value.__class__ is not Optional:
        text = f"cannot initialize optional entry '{shown_key(key)}' from non-optional value {shown_key(value)}"
        raise CelError(text)
    elif value.has_value:
        made.set(key, value.value)
    else:
        made.discard(key)


def struct_run(fields: Sequence[tuple[str, Run, bool]], make: Callable[[dict[str, Any]], Any]) -> Run:
    """`Type{a: b, ?c: d}`."""

    def run(frame: Frame) -> Any:
        try:
            values = {name: (value(frame), is_optional) for name, value, is_optional in fields}
        finally:
            frame.cost += STRUCT
        return make(dict(_present(values)))

    return run


def _present(values: dict[str, tuple[Any, bool]]) -> Iterator[tuple[str, Any]]:
    for name, (value, is_optional) in values.items():
        if not is_optional:
            yield name, value
        elif value.__class__ is not Optional:
            raise CelError(f"cannot initialize optional entry '{name}' from non-optional value {shown_key(value)}")
        elif value.has_value:
            yield name, value.value
