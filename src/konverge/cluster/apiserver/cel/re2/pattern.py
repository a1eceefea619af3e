"""`Pattern`: matched by Python's `re` where that is quick for certain, else by a machine in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice

from konverge.cluster.apiserver.cel.re2.machine import Machine
from konverge.cluster.apiserver.cel.re2.price import longest_cheap_text
from konverge.cluster.apiserver.cel.re2.program import program_of
from konverge.cluster.apiserver.cel.re2.reader import read
from konverge.cluster.apiserver.cel.re2.syntax import for_python


class Pattern:
    """A compiled pattern."""

    def __init__(self, pattern: str) -> None:
        self._node = read(pattern)
        self._search = re.compile(for_python(self._node)).search
        self._longest = longest_cheap_text(self._node)

    @cached_property
    def _machine(self) -> Machine:
        return Machine(program_of(self._node))

    def matches(self, text: str) -> bool:
        """Whether there is a match anywhere in a text."""
        if len(text) <= self._longest:
            return self._search(text) is not None
        return self._machine.matches(text)

    def find(self, text: str, at: int = 0) -> tuple[int, int] | None:
        """Return the span of the first match from a place on."""
        if len(text) > self._longest:
            return self._machine.find(text, at)
        match = self._search(text, at)
        return match.span() if match else None

    def first(self, text: str) -> str:
        """Return the first match; nothing where there is none."""
        span = self.find(text)
        return text[span[0] : span[1]] if span else ""


@lru_cache(maxsize=1024)
def compile_re2(pattern: str) -> Pattern:
    """Return a pattern, or raise InvalidPattern."""
    return Pattern(pattern)


def find_all(pattern: Pattern, text: str, most: int = -1) -> list[str]:
    """Return the matches as Go finds them: after an empty one the search goes on with the next character."""
    found = _matches(pattern, text)
    return list(found if most < 0 else islice(found, most))


def _matches(pattern: Pattern, text: str) -> Iterator[str]:
    at, before = 0, -1
    while at <= len(text):
        span = pattern.find(text, at)
        if span is None:
            return
        start, end = span
        is_empty = end == at
        at = at + 1 if is_empty else end
        if not is_empty or start != before:  # an empty match that touches the one before it is none
            yield text[start:end]
        before = end
