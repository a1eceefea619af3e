"""Which values of a list stand there a second time, found in one walk: a request may bring a great many of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable


def repeated(values: Iterable[Hashable]) -> frozenset[int]:
    """Return the places of the values that stand before as well."""
    seen: set[Hashable] = set()
    found: list[int] = []
    for index, value in enumerate(values):
        if value in seen:
            found.append(index)
        seen.add(value)
    return frozenset(found)
