"""How many values a value holds, counted each time that they stand somewhere.

An expression may make a list that holds another twice, and so on: small in memory, but whoever writes it down goes
through all of it. So it is counted before, with each list counted once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.cluster.apiserver.cel.values import MapValue

MOST: Final = 1_000_000  # more than a body of 3 MiB can name


def is_too_broad(value: Any) -> bool:
    """Whether a value that an expression made holds more values than anyone should write down."""
    return _breadth(value, {}) > MOST


def _breadth(value: Any, known: dict[int, int]) -> int:
    if id(value) not in known:
        known[id(value)] = 1 + sum(_breadth(part, known) for part in _parts(value))
    return known[id(value)]


def _parts(value: Any) -> Iterator[Any]:
    """Yield what a list or map holds; views of JSON are as small as the body that they came in."""
    if isinstance(value, list):
        yield from (part for part in value if isinstance(part, list | MapValue))
    elif isinstance(value, MapValue):
        for key in value.keys():  # noqa: SIM118 - no dict: its keys are not what it iterates over
            part = value.find(key)[0]
            if isinstance(part, list | MapValue):
                yield part
