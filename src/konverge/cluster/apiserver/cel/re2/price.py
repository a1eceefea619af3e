"""How long Python's `re` may take in the worst case: it tries every way to match before it gives up.

The number of ways is counted from above. A loop over one character can end at each; a loop over anything that has more
than one way itself has more ways than can be counted, such as `(a+)+`.
"""

from __future__ import annotations

from math import inf, prod
from typing import Final

from konverge.cluster.apiserver.cel.re2.syntax import Choice, Edge, Node, One, Place, Repeat, Sequence, can_be_empty

_CHEAP: Final = 100_000  # ways that may be tried: a few milliseconds
_LONGEST: Final = 1 << 24  # of any text that a request can hold


def longest_cheap_text(node: Node) -> int:
    """Return the length up to which a text is matched by trying, in a time that nobody notices; -1: never.

    Loops over what can be empty end earlier in Python than in Go, so they are not for it either.
    """
    if _loops_over_empty(node):
        return -1
    if _ways(node, _LONGEST) == 1:
        return _LONGEST
    low, high = -1, _LONGEST
    while high - low > 1:
        middle = (low + high) // 2
        if _price(node, middle) <= _CHEAP:
            low = middle
        else:
            high = middle
    return low


def _price(node: Node, length: int) -> float:
    starts = 1 if _is_anchored(node) else length + 1
    return _ways(node, length) * starts


def _ways(node: Node, length: int) -> float:
    match node:
        case One() | Edge():
            return 1
        case Sequence(parts):
            return prod(_ways(part, length) for part in parts)
        case Choice(branches):
            return sum(_ways(branch, length) for branch in branches)
        case Repeat(inner, least, most):
            counts = length + 1 if most is None else min(most - least, length) + 1
            inner_ways = _ways(inner, length)
            if inner_ways == 1:
                return counts
            times = length if most is None else most
            return counts * inner_ways**times if times * inner_ways < _CHEAP and times < 50 else inf  # noqa: PLR2004 - beyond it a float ends


def _is_anchored(node: Node) -> bool:
    match node:
        case Edge(place):
            return place is Place.BEGIN
        case Sequence(parts):
            return bool(parts) and _is_anchored(parts[0])
        case Choice(branches):
            return all(map(_is_anchored, branches))
    return False


def _loops_over_empty(node: Node) -> bool:
    match node:
        case One() | Edge():
            return False
        case Sequence(parts):
            return any(map(_loops_over_empty, parts))
        case Choice(branches):
            return any(map(_loops_over_empty, branches))
        case Repeat(inner, _, most):
            return _loops_over_empty(inner) or (most != 1 and can_be_empty(inner))
