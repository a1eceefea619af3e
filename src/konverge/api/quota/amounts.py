"""Amounts: quantities by the name of their resource (`{"cpu": …, "requests.memory": …}`), and sums of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from konverge.api.quantity import Quantity

Amounts: TypeAlias = dict[str, Quantity]


def read(values: Mapping[str, Any] | None) -> Amounts:
    """Return the amounts of JSON."""
    return {name: Quantity(value) for name, value in (values or {}).items()}


def written(amounts: Amounts) -> dict[str, str]:
    """Return amounts as JSON, in the canonical spelling."""
    return {name: str(amount) for name, amount in amounts.items()}


def added(left: Amounts, right: Amounts) -> Amounts:
    """Return the sum of each resource."""
    return {**right, **{name: amount + right[name] if name in right else amount for name, amount in left.items()}}


def gained(new: Amounts, old: Amounts) -> Amounts:
    """Return how much more each resource is than before: nothing where it is less."""
    rest = {name: max(amount - old.get(name, 0), Quantity(0)) for name, amount in new.items()}
    return {**dict.fromkeys(old, Quantity(0)), **rest}


def greater(left: Amounts, right: Amounts) -> Amounts:
    """Return the greater amount of each resource; the left one where they are equal."""
    return {**right, **{name: max(amount, right.get(name, amount)) for name, amount in left.items()}}


def masked(amounts: Amounts, names: Collection[str]) -> Amounts:
    """Return the amounts of these resources."""
    return {name: amount for name, amount in amounts.items() if name in names}


def without_zeros(amounts: Amounts) -> Amounts:
    """Return the amounts that are something."""
    return {name: amount for name, amount in amounts.items() if amount}


def exceeding(amounts: Amounts, limits: Amounts) -> list[str]:
    """Return the resources of which there is more than the limit, sorted."""
    return sorted(name for name, limit in limits.items() if name in amounts and amounts[name] > limit)


def shown(amounts: Amounts) -> str:
    """Return amounts as a message has them: `cpu=1,memory=2Gi`."""
    return ",".join(f"{name}={amounts[name]}" for name in sorted(amounts))
