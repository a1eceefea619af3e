"""What makes no difference: two spellings that every server takes for the same value, so that no write is due.

Built-in kinds are stored without their empty lists and maps, and a quantity may be spelled anew ("1000m" is "1"). A
program that compared exactly would find a change each time it looks, and write for ever. An empty struct, such as
`emptyDir: {}`, means something, and so may an empty object whose type is not known: these are compared as they are.
"""

from __future__ import annotations

from functools import cache
from typing import Any, get_args, get_origin

from konverge.api.invalid import InvalidValue
from konverge.api.json_value import Json
from konverge.api.model import Model, model_fields
from konverge.api.quantity import Quantity
from konverge.api.type_shape import options_of

_QUANTITY = frozenset({str, int, float})  # what QuantityText is at run time


def settled(kind: Any, before: Json, after: Json) -> Json:
    """Return `after` with the values of `before` wherever the two make no difference to a value of this type."""
    if before == after and type(before) is type(after) is str:
        return after  # most values of most objects
    for option in options_of(kind):
        if isinstance(option, type) and issubclass(option, Model) and isinstance(after, dict):
            return _model(option, before if isinstance(before, dict) else {}, after)
        if get_origin(option) is dict and isinstance(before, dict) and isinstance(after, dict):
            return {key: settled(get_args(option)[1], before.get(key), item) for key, item in after.items()}
        if get_origin(option) is list and isinstance(before, list) and isinstance(after, list):
            return _items(get_args(option)[0], before, after)
    return before if _is_same_quantity(kind, before, after) else after


def _model(cls: type[Model], before: dict[str, Json], after: dict[str, Json]) -> dict[str, Json]:
    found = dict(after)
    for info in model_fields(cls):
        name = info.encode_name
        old, new = before.get(name), after.get(name)
        if _is_nothing(info.type, old) and _is_nothing(info.type, new):
            found.pop(name, None)
            if name in before:
                found[name] = old
        elif new is not None:
            found[name] = settled(info.type, old, new)
    return found


def _items(element: Any, before: list[Json], after: list[Json]) -> list[Json]:
    """Settle items by place: of lists that differ otherwise it makes no difference how their items are spelled."""
    if len(before) != len(after):
        return after
    return [settled(element, old, new) for old, new in zip(before, after, strict=True)]


def _is_nothing(kind: Any, value: Json) -> bool:
    """Whether a value is absent, null, or an empty list or map."""
    if value is None:
        return _may_be_container(kind)
    return value in ([], {}) and _is_always_container(kind)


@cache
def _may_be_container(kind: Any) -> bool:
    return any(_is_container(option) for option in options_of(kind))


@cache
def _is_always_container(kind: Any) -> bool:
    return all(_is_container(option) for option in options_of(kind))


def _is_container(option: Any) -> bool:
    return get_origin(option) is list or (get_origin(option) is dict and get_args(option)[1] is not Any)


def _is_same_quantity(kind: Any, before: Json, after: Json) -> bool:
    if before is None or after is None or frozenset(options_of(kind)) != _QUANTITY:
        return False
    try:
        return Quantity(str(before)) == Quantity(str(after))
    except InvalidValue:
        return False
