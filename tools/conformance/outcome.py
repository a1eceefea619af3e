"""What became of one test, read from what the test program wrote. Pure: no files, no processes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

PASSED: Final = "passed"
NOT_RUN: Final = "not run"
TIMED_OUT: Final = "timed out"
_TAG: Final = re.compile(r"\[[^\]]*\]")
_SLUG_LENGTH: Final = 120


class Result(msgspec.Struct, frozen=True):
    """A line of the program's results; the name is a test's, or that of a hook around all tests."""

    name: str
    state: str
    seconds: float
    failure: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a name that was asked for."""

    name: str
    state: str
    seconds: float
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether it ran and passed: a test that skips itself has shown nothing."""
        return self.state == PASSED


def decode(lines: bytes) -> list[Result]:
    """Read the results; none where the program was ended before it wrote them."""
    return [msgspec.json.decode(line, type=Result) for line in lines.splitlines()]


def judge(name: str, results: Sequence[Result], *, seconds: float, ended: bool) -> Outcome:
    """Decide about one name. `ended`: it took longer than it may, so the process was ended from outside."""
    for result in results:
        if result.name == name:
            return Outcome(name, result.state, result.seconds, _line(result.failure))
    if ended:
        return Outcome(name, TIMED_OUT, seconds, "it did not end by itself")
    around = [f"{result.name}: {_line(result.failure)}" for result in results]
    return Outcome(name, NOT_RUN, seconds, "; ".join(around) or "no test has this name")


def is_alone(name: str) -> bool:
    """Whether the test says that nothing may run beside it."""
    return "[Serial]" in name or "[Disruptive]" in name


def slug(name: str) -> str:
    """Return a file name for a test: its words, without the tags but with its group; a long one ends with a digest."""
    group = name[1 : name.index("]")] if name.startswith("[") else ""
    words = re.sub(r"[^a-z0-9]+", "-", _TAG.sub(" ", name).lower()).strip("-")
    whole = f"{group}.{words}"
    if len(whole) <= _SLUG_LENGTH:
        return whole
    return f"{whole[:_SLUG_LENGTH].rstrip('-')}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def _line(text: str) -> str:
    return " ".join(text.split())
