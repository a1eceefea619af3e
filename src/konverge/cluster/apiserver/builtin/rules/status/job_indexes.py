"""The indexes of a job that are done, or have failed, as a text: `1,3-5,7`, in rising order, below the completions."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from konverge.cluster.apiserver.go_text import quoted

Interval = tuple[int, int]
_NUMBER: Final = re.compile(r"[+]?[0-9]{1,18}", re.ASCII)
_MOST_PARTS: Final = 2


class BadInterval(ValueError):
    """A part of the text that is no interval."""


def indexes_fault(text: str, completions: int) -> str:
    """Say what is wrong with a text of indexes; empty if nothing."""
    try:
        found = [_interval(part, completions) for part in text.split(",")] if text else []
    except BadInterval as error:
        return str(error)
    return next((_disorder(before[1], after[0]) for before, after in pairwise(found) if before[1] >= after[0]), "")


def overlap_fault(completed: str, failed: str, completions: int) -> str:
    """Say which index is told as both done and failed; empty if none. Parts that are no intervals are passed over."""
    done, lost = deque(_readable(completed, completions)), deque(_readable(failed, completions))
    while done and lost:
        (start, end), (other_start, other_end) = done[0], lost[0]
        if start <= other_end and other_start <= end:
            return f"failedIndexes and completedIndexes overlap at index: {max(start, other_start)}"
        (done if start <= other_start else lost).popleft()
    return ""


def _readable(text: str, completions: int) -> list[Interval]:
    found = []
    for part in text.split(",") if text else ():
        try:
            found.append(_interval(part, completions))
        except BadInterval:
            continue
    return found


def _interval(part: str, completions: int) -> Interval:
    limits = part.split("-")
    if len(limits) > _MOST_PARTS:
        wrong = "violates the requirement that an index interval can have at most two parts separated by '-'"
        raise BadInterval(f"the fragment {quoted(part)} {wrong}")
    numbers = _indexes(limits, completions)
    if len(numbers) > 1 and numbers[0] >= numbers[1]:
        raise BadInterval(_disorder(*numbers))
    return numbers[0], numbers[-1]


def _indexes(limits: Sequence[str], completions: int) -> list[int]:
    found = []
    for text in limits:
        if not _NUMBER.fullmatch(text):
            raise BadInterval(f"cannot convert string to integer for index: {quoted(text)}")
        if int(text) >= completions:
            raise BadInterval(f"too large index: {quoted(text)}")
        found.append(int(text))
    return found


def _disorder(previous: int, current: int) -> str:
    return f"non-increasing order, previous: {previous}, current: {current}"
