"""A pattern as a program of small steps, in Thompson's form: what a machine walks that never goes back."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from konverge.cluster.apiserver.cel.re2.syntax import Choice, Edge, Node, One, Place, Repeat, Sequence, can_be_empty

MATCH: Final = 0  # the step at which a match is complete; every program begins with it


class Take(msgspec.Struct, frozen=True):
    """Take one character that passes a test, and go on."""

    test: Callable[[str], object]
    then: int


class Stand(msgspec.Struct, frozen=True):
    """Go on where the place is right."""

    place: Place
    then: int


class Fork(msgspec.Struct):
    """Go on in one of two ways, the first one rather."""

    first: int = MATCH
    second: int = MATCH


Step: TypeAlias = Take | Stand | Fork | None


class Program(msgspec.Struct, frozen=True):
    """The steps, and the one to begin with."""

    steps: list[Step]
    start: int


def program_of(node: Node) -> Program:
    """Return the steps that match a node."""
    writer = _Writer()
    return Program(writer.steps, writer.write(node, MATCH))


class _Writer:
    """Writes from the end to the beginning, so that each step knows the next; loops are closed afterwards."""

    def __init__(self) -> None:
        self.steps: list[Step] = [None]

    def write(self, node: Node, then: int) -> int:
        """Write a node that goes on at `then`; return where it begins."""
        match node:
            case One(text):
                return self._add(Take(_test(text), then))
            case Edge(place):
                return self._add(Stand(place, then))
            case Sequence(parts):
                for part in reversed(parts):
                    then = self.write(part, then)
                return then
            case Choice(branches):
                starts = [self.write(branch, then) for branch in branches]
                start = starts.pop()
                while starts:
                    start = self._add(Fork(starts.pop(), start))
                return start
            case Repeat():
                return self._repeat(node, then)

    def _repeat(self, node: Repeat, then: int) -> int:
        """Write `x{2,4}` as `xx(x(x)?)?`, `x*` as a loop, and `x{2,}` as `xx+`."""
        copies = node.least
        if node.most is not None:
            end = then
            for _ in range(node.most - node.least):
                then = self._fork(self.write(node.node, then), end, is_lazy=node.is_lazy)
        elif copies == 0 and not can_be_empty(node.node):
            return self._loop(node, then)[1]
        else:
            start, _ = self._loop(node, then)
            if copies == 0:  # what can be empty: once or more, or not at all, so that an empty round counts as one
                return self._fork(start, then, is_lazy=node.is_lazy)
            then, copies = start, copies - 1
        for _ in range(copies):
            then = self.write(node.node, then)
        return then

    def _loop(self, node: Repeat, then: int) -> tuple[int, int]:
        """Write a loop; return where its body begins, and where it is decided whether to go round."""
        fork = Fork()
        decision = self._add(fork)
        start = self.write(node.node, decision)
        fork.first, fork.second = (then, start) if node.is_lazy else (start, then)
        return start, decision

    def _fork(self, inside: int, outside: int, *, is_lazy: bool) -> int:
        return self._add(Fork(outside, inside) if is_lazy else Fork(inside, outside))

    def _add(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1


@lru_cache(maxsize=4096)
def _test(text: str) -> Callable[[str], object]:
    return re.compile(text).fullmatch
