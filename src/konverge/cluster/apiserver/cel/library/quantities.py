"""Kubernetes' quantities: `quantity('1.5Gi')`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from konverge.api.quantity import Format
from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.library.amount import Amount, parse_amount
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import BOOL, DOUBLE, INT, STRING, struct

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


@dataclass(frozen=True, slots=True)
class QuantityValue:
    """An amount."""

    CEL_TYPE: ClassVar[str] = "kubernetes.Quantity"
    amount: Amount
    is_computed: bool = False  # cel-go compares only read ones: see `same`

    def same(self, other: Any) -> bool:
        """Whether the amounts are equal; a computed amount on the right has no answer, as it has none there."""
        if other.__class__ is not QuantityValue or other.is_computed:
            raise no_such_overload()
        return compared(self, other) == 0

    def __str__(self) -> str:
        return str(self.amount)


def compared(one: QuantityValue, other: QuantityValue) -> int:
    """Return -1, 0 or 1."""
    return one.amount.compared(other.amount)


def _is_quantity(text: str) -> bool:
    try:
        parse_amount(text)
    except CelError:
        return False
    return True


def _to_int(value: QuantityValue) -> int:
    whole = value.amount.whole()
    if whole is None:
        raise CelError("cannot convert value to integer")
    return whole


def _sum(one: QuantityValue, other: Amount) -> QuantityValue:
    return QuantityValue(one.amount.plus(other), is_computed=True)


def _number(value: int) -> Amount:
    return Amount(value, 0, Format.DECIMAL_EXPONENT)


BINDINGS: Final[Bindings] = {
    "string_to_quantity": lambda text: QuantityValue(parse_amount(text)),
    "is_quantity_string": _is_quantity,
    "quantity_sign": lambda value: value.amount.sign(),
    "quantity_is_greater_than": lambda one, other: compared(one, other) == 1,
    "quantity_is_less_than": lambda one, other: compared(one, other) == -1,
    "quantity_compare_to": compared,
    "quantity_get_float": lambda value: value.amount.approximate(),
    "quantity_get_int": _to_int,
    "quantity_is_integer": lambda value: value.amount.whole() is not None,
    "quantity_add": lambda one, other: _sum(one, other.amount),
    "quantity_add_int": lambda one, number: _sum(one, _number(number)),
    "quantity_sub": lambda one, other: _sum(one, other.amount.negated()),
    "quantity_sub_int": lambda one, number: _sum(one, _number(number).negated()),
}
