"""What a container asks for and may use: names that exist, amounts that are none below zero, requests within limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from konverge.api.invalid import InvalidValue
from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.resource_name import (
    amount_errors,
    container_resource_errors,
    may_overcommit,
)
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

NameRule = Callable[[str, str], Iterator[FieldError]]
_REMEMBERED: Final = 1024  # amounts come again and again
_USUAL: Final = ("cpu", "memory")
_HUGE: Final = "hugepages-"


@lru_cache(_REMEMBERED)
def _amount(text: str | int) -> Quantity:
    return Quantity(text)


def resource_errors(
    resources: JsonObject, path: str, *, name_errors: NameRule = container_resource_errors
) -> Iterator[FieldError]:
    """Judge limits and requests: a container's, or, given the rule of their names, a whole pod's."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, value in limits.items():
        amount, where = _amount(value), f"{path}.limits[{name}]"
        yield from _one_errors(name, amount, where, name_errors=name_errors)
        yield from _huge_errors(name, amount, where)
    for name, value in requests.items():
        amount, where = _amount(value), f"{path}.requests[{name}]"
        yield from _one_errors(name, amount, where, name_errors=name_errors)
        yield from _within_errors(name, amount, path, limit=_amount(limits[name]) if name in limits else None)
        yield from _huge_errors(name, amount, where)
    given = (*limits, *requests)
    if any(name.startswith(_HUGE) for name in given) and not any(name in _USUAL for name in given):
        yield field_error.forbidden(path, "HugePages require cpu or memory")


def _one_errors(name: str, amount: Quantity, path: str, *, name_errors: NameRule) -> Iterator[FieldError]:
    if name not in _USUAL:
        yield from name_errors(name, path)
    yield from amount_errors(name, amount, path)


def _within_errors(name: str, amount: Quantity, path: str, *, limit: Quantity | None) -> Iterator[FieldError]:
    if limit is None:
        if not may_overcommit(name):
            yield field_error.required(f"{path}.limits", "Limit must be set for non overcommitable resources")
    elif not may_overcommit(name) and amount != limit:
        yield field_error.invalid(f"{path}.requests", str(amount), f"must be equal to {name} limit of {limit}")
    elif amount > limit:
        wrong = f"must be less than or equal to {name} limit of {limit}"
        yield field_error.invalid(f"{path}.requests", str(amount), wrong)


def _huge_errors(name: str, amount: Quantity, path: str) -> Iterator[FieldError]:
    if name.startswith(_HUGE) and not _is_multiple(amount, name.removeprefix(_HUGE)):
        yield field_error.invalid(path, str(amount), f"{amount} is not positive integer multiple of {name}")


def _is_multiple(amount: Quantity, page: str) -> bool:
    try:
        size = _amount(page)
    except InvalidValue:
        return False
    return size > 0 and size.milli_value() % 1000 == 0 and amount.value() % size.value() == 0
