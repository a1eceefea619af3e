"""Capacities of devices, and the policy by which parts of one can be asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.bounded import set_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_MOST_VALUES: Final = 10
_ONE_POLICY: Final = (
    'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
)


def whole_capacity_errors(capacity: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a capacity of a device that is allocated once: nobody can ask for a part of it."""
    if capacity.get("requestPolicy") is not None:
        yield field_error.forbidden(f"{path}.requestPolicy", "allowMultipleAllocations must be true")


def shared_capacity_errors(capacity: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a capacity of a device that is allocated many times."""
    policy, where = capacity.get("requestPolicy"), f"{path}.requestPolicy"
    if policy is None:
        return
    values, range_ = policy.get("validValues"), policy.get("validRange")
    if values and range_ is not None:
        yield field_error.forbidden(where, _ONE_POLICY)
        return
    name = "validValues" if values else "validRange"
    if not values and range_ is None:
        return
    if policy.get("default") is None:
        yield field_error.required(f"{where}.default", f"required when {name} is defined")
        return
    default, most = Quantity(policy["default"]), Quantity(capacity.get("value", "0"))
    if values:
        yield from _value_errors([Quantity(each) for each in values], f"{where}.{name}", default=default, most=most)
    else:
        yield from _range_errors(range_, f"{where}.{name}", default=default, most=most)


def _value_errors(values: Sequence[Quantity], path: str, *, default: Quantity, most: Quantity) -> Iterator[FieldError]:
    for index, (value, following) in enumerate(pairwise(values)):
        if value > following:
            wrong = "values must be sorted in ascending order"
            yield field_error.invalid(f"{path}[{index + 1}]", str(following), wrong)

    def option_errors(value: Quantity, where: str) -> Iterator[FieldError]:
        if value > most:
            yield field_error.invalid(where, str(value), f"option is larger than capacity value: {most}")

    yield from set_errors(values, path, option_errors, most=_MOST_VALUES, key=lambda value: str(value.value()))
    if len(values) > _MOST_VALUES or default not in values:
        wrong = "default value is not valid according to the requestPolicy"
        yield field_error.invalid(path, str(default), wrong)


def _range_errors(range_: JsonObject, path: str, *, default: Quantity, most: Quantity) -> Iterator[FieldError]:
    lower, upper, step = (
        None if range_.get(name) is None else Quantity(range_[name]) for name in ("min", "max", "step")
    )
    if lower is None:
        yield field_error.required(f"{path}.min", "required when validRange is defined")
        return
    if lower > most:
        yield field_error.invalid(f"{path}.min", str(lower), f"min is larger than capacity value: {most}")
    if default < lower:
        yield field_error.invalid(f"{path}.min", str(default), f"default is less than min: {lower}")
    if upper is not None:
        if lower > upper:
            yield field_error.invalid(f"{path}.max", str(lower), f"min is larger than max: {upper}")
        if upper > most:
            yield field_error.invalid(f"{path}.max", str(upper), f"max is larger than capacity value: {most}")
        if default > upper:
            yield field_error.invalid(f"{path}.max", str(default), f"default is more than max: {upper}")
    if step is not None:
        reached = [default] if upper is None else [default, upper]
        yield from _step_errors(step, f"{path}.step", lower=lower, reached=reached, most=most)


def _step_errors(
    step: Quantity, path: str, *, lower: Quantity, reached: Sequence[Quantity], most: Quantity
) -> Iterator[FieldError]:
    first = lower + step
    if first > most:
        wrong = f"one step {first} is larger than capacity value: {most}"
        yield field_error.invalid(path, str(step), wrong)
    if not step.value():
        # The real server divides by it, and the request ends in a panic.
        yield field_error.invalid(path, str(step), "must not be zero")
        return
    for value in reached:
        if (value.value() - lower.value()) % step.value():
            wrong = f"value is not a multiple of a given step ({step}) from ({lower})"
            yield field_error.invalid(path, str(value), wrong)
