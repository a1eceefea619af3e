"""Kubernetes' quantities: `quantity('1.5Gi')`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from konverge.api.invalid import InvalidValue
from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import BOOL, DOUBLE, INT, STRING, struct
from konverge.cluster.apiserver.cel.values import MAX_INT, MIN_INT

QUANTITY: Final = struct("kubernetes.Quantity")
FUNCTIONS: Final[tuple[Function, ...]] = (
    function("quantity", overload("string_to_quantity", [STRING], QUANTITY)),
    function("isQuantity", overload("is_quantity_string", [STRING], BOOL)),
    function("sign", overload("quantity_sign", [QUANTITY], INT)),
    function("isGreaterThan", member("quantity_is_greater_than", [QUANTITY, QUANTITY], BOOL)),
    function("isLessThan", member("quantity_is_less_than", [QUANTITY, QUANTITY], BOOL)),
    function("compareTo", member("quantity_compare_to", [QUANTITY, QUANTITY], INT)),
    function("asApproximateFloat", member("quantity_get_float", [QUANTITY], DOUBLE)),
    function("asInteger", member("quantity_get_int", [QUANTITY], INT)),
    function("isInteger", member("quantity_is_integer", [QUANTITY], BOOL)),
    function(
        "add",
        member("quantity_add", [QUANTITY, QUANTITY], QUANTITY),
        member("quantity_add_int", [QUANTITY, INT], QUANTITY),
    ),
    function(
        "sub",
        member("quantity_sub", [QUANTITY, QUANTITY], QUANTITY),
        member("quantity_sub_int", [QUANTITY, INT], QUANTITY),
    ),
)
_WRONG: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NO_NUMBER: Final = "unable to parse quantity's suffix"


@dataclass(frozen=True, slots=True)
class QuantityValue:
    """An amount."""

    CEL_TYPE: ClassVar[str] = "kubernetes.Quantity"
    quantity: Quantity
    is_computed: bool = False  # cel-go compares only read ones: see `same`

    def same(self, other: Any) -> bool:
        """Whether the amounts are equal; a computed amount on the right has no answer, as it has none there."""
        if other.__class__ is not QuantityValue or other.is_computed:
            raise no_such_overload()
        return bool(self.quantity == other.quantity)

    def __str__(self) -> str:
        return str(self.quantity)


def _parse(text: str) -> Quantity:
    try:
        return Quantity(text)
    except InvalidValue:
        raise CelError(_complaint(text)) from None


def _complaint(text: str) -> str:
    if not text:
        return _WRONG
    digits = text.lstrip("+-").lstrip("0123456789.")
    is_number = text.lstrip("+-") != digits or text[:1] in "+-"
    return _NO_NUMBER if is_number and set(digits) <= set("eEinumkKMGTP0123456789+-") else _WRONG


def _is_quantity(text: str) -> bool:
    try:
        _parse(text)
    except CelError:
        return False
    return True


def _whole(value: QuantityValue) -> int | None:
    exact = value.quantity.decimal
    if exact != exact.to_integral_value() or not MIN_INT <= int(exact) <= MAX_INT:
        return None
    return int(exact)


def _to_int(value: QuantityValue) -> int:
    whole = _whole(value)
    if whole is None:
        raise CelError("cannot convert value to integer")
    return whole


def _compare(one: QuantityValue, other: QuantityValue) -> int:
    return (one.quantity > other.quantity) - (one.quantity < other.quantity)


def _sum(one: QuantityValue, other: QuantityValue) -> QuantityValue:
    return QuantityValue(one.quantity + other.quantity, is_computed=True)


def _difference(one: QuantityValue, other: QuantityValue) -> QuantityValue:
    return QuantityValue(one.quantity - other.quantity, is_computed=True)


def _exponential(number: int) -> QuantityValue:
    return QuantityValue(Quantity(f"{number}e0"))


BINDINGS: Final[Bindings] = {
    "string_to_quantity": lambda text: QuantityValue(_parse(text)),
    "is_quantity_string": _is_quantity,
    "quantity_sign": lambda value: (value.quantity > 0) - (value.quantity < 0),
    "quantity_is_greater_than": lambda one, other: one.quantity > other.quantity,
    "quantity_is_less_than": lambda one, other: one.quantity < other.quantity,
    "quantity_compare_to": _compare,
    "quantity_get_float": lambda value: float(value.quantity),
    "quantity_get_int": _to_int,
    "quantity_is_integer": lambda value: _whole(value) is not None,
    "quantity_add": _sum,
    "quantity_add_int": lambda one, number: _sum(one, _exponential(number)),
    "quantity_sub": _difference,
    "quantity_sub_int": lambda one, number: _difference(one, _exponential(number)),
}
