"""Ranges of sizes and costs, in the unsigned 64 bit numbers of cel-go: sums and products stop at the largest."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

LARGEST: Final = 2**64 - 1


class Estimate(NamedTuple):
    """The least and the most that a size or a cost can be."""

    least: int
    most: int

    def plus(self, other: Estimate) -> Estimate:
        """Add both ends."""
        return Estimate(_capped(self.least + other.least), _capped(self.most + other.most))

    def times(self, other: Estimate) -> Estimate:
        """Multiply both ends."""
        return Estimate(_capped(self.least * other.least), _capped(self.most * other.most))

    def scaled(self, factor: float) -> Estimate:
        """Multiply both ends with a fraction, and round up."""
        return Estimate(_scaled(self.least, factor), _scaled(self.most, factor))

    def union(self, other: Estimate) -> Estimate:
        """Return the range that holds both."""
        return Estimate(min(self.least, other.least), max(self.most, other.most))


def fixed(value: int) -> Estimate:
    """Return a range of one value."""
    return Estimate(value, value)


def total(costs: Iterable[Estimate]) -> Estimate:
    """Add up."""
    result = NONE
    for cost in costs:
        result = result.plus(cost)
    return result


def wrapped(value: int) -> int:
    """Return a number as 64 bits keep it, where cel-go does not look for overflow."""
    return value & LARGEST


UNKNOWN: Final = Estimate(0, LARGEST)
NONE: Final = Estimate(0, 0)
ONE: Final = Estimate(1, 1)


def _capped(value: int) -> int:
    return min(value, LARGEST)


def _scaled(value: int, factor: float) -> int:
    as_float = float(value)
    if as_float > 0 and factor > 0 and as_float > LARGEST / factor:
        return LARGEST
    return _capped(math.ceil(as_float * factor))
