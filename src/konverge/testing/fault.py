"""Fault: what can go wrong between a client and the API server, and which call meets what: pure decisions, no I/O.

A plan is a bag of faults. Each call draws from it by a seeded chance, and gets the first fault that can befall a call
of its sort; one that could not be carried out (the watch was too quiet) goes back. So a plan's faults are met in an
order that the seed and the calls decide, and each exactly once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from random import Random

from konverge.errors import RequestError


class Call(Enum):
    """The sorts of calls that differ in what can befall them."""

    WATCH = "watch"
    STREAMED_LIST = "streamed list"  # a watch that begins with everything there is
    LIST = "list"
    GET = "get"
    WRITE = "write"


class Fault(StrEnum):
    """What befalls a call."""

    CUT = "cut"  # the connection breaks before the answer begins; a write may have been done
    CUT_BODY = "cut body"  # it breaks in the middle of the answer's body
    CUT_WATCH = "cut watch"  # it breaks in the middle of a watch
    TRUNCATE = "truncate"  # a watch ends as HTTP has it, in the middle of an event
    STALL = "stall"  # nothing comes any more on a watch, until the client goes away
    DELAY = "delay"  # the answer takes its time
    TOO_MANY_REQUESTS = "429"  # with a Retry-After
    SERVER_ERROR = "500"
    UNAVAILABLE = "503"
    GONE = "410"  # the answer to a list, or to the opening of a watch
    EXPIRED = "410 event"  # an ERROR event in a watch


STREAMS = frozenset({Call.WATCH, Call.STREAMED_LIST})
CALLS = frozenset(Call) - STREAMS
ALL = frozenset(Call)

BEFALLS: Mapping[Fault, frozenset[Call]] = {
    Fault.CUT: ALL,
    Fault.CUT_BODY: CALLS,
    Fault.CUT_WATCH: STREAMS,
    Fault.TRUNCATE: STREAMS,
    Fault.STALL: STREAMS,
    Fault.DELAY: ALL,
    Fault.TOO_MANY_REQUESTS: ALL,
    Fault.SERVER_ERROR: ALL,
    Fault.UNAVAILABLE: ALL,
    Fault.GONE: STREAMS | {Call.LIST},
    Fault.EXPIRED: STREAMS,
}

_ROOTS = {"api": 2, "apis": 3}  # path segments before the resource


def call_of(method: str, path: str, query: Mapping[str, str]) -> Call:
    """Return which sort of call a request is."""
    if method != "GET":
        return Call.WRITE
    if query.get("watch") in ("true", "1"):
        return Call.STREAMED_LIST if query.get("sendInitialEvents") == "true" else Call.WATCH
    return Call.LIST if _is_collection(path) else Call.GET


def _is_collection(path: str) -> bool:
    segments = path.strip("/").split("/")
    rest = segments[_ROOTS.get(segments[0], len(segments)) :]
    if rest[:1] == ["namespaces"] and len(rest) > 2:  # noqa: PLR2004 - namespaces/<name>/<resource>
        rest = rest[2:]
    return len(rest) == 1


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault, and the calls it is for."""

    fault: Fault
    calls: frozenset[Call]


class FaultPlan:
    """A bag of faults, and what has become of them; `on_spent` is called when the last one has been met."""

    def __init__(self, *, seed: int, chance: float, on_spent: Callable[[], None] = lambda: None) -> None:
        self.random = Random(seed)  # noqa: S311 - faults are to be repeatable, not secret
        self.chance = chance
        self._on_spent = on_spent
        self.met: Counter[Fault] = Counter()
        self.met_by: Counter[Call] = Counter()
        self._bag: list[Planned] = []
        self._drawn = 0

    def __repr__(self) -> str:
        return f"FaultPlan({len(self._bag)} left, {self._drawn} drawn, {self.met.total()} met)"

    def add(self, faults: Iterable[Fault], calls: frozenset[Call] = ALL) -> None:
        """Put faults in that are for calls of these sorts, and shake the bag."""
        for fault in faults:
            if calls.isdisjoint(BEFALLS[fault]):
                raise RequestError(f'no call would ever meet "{fault}": it befalls {_names(BEFALLS[fault])}')
            self._bag.append(Planned(fault, calls & BEFALLS[fault]))
        self.random.shuffle(self._bag)

    def draw(self, call: Call) -> Planned | None:
        """Return what is to befall a call; the caller says what came of it: `carried_out` or `put_back`."""
        if not self._bag or self.random.random() >= self.chance:
            return None
        place = next((place for place, planned in enumerate(self._bag) if call in planned.calls), None)
        if place is None:
            return None
        self._drawn += 1
        return self._bag.pop(place)

    def carried_out(self, planned: Planned, call: Call) -> None:
        """Note that a call has met a fault."""
        self._drawn -= 1
        self.met[planned.fault] += 1
        self.met_by[call] += 1
        if not self._bag and not self._drawn:
            self._on_spent()

    def put_back(self, planned: Planned) -> None:
        """Give a fault back that could not be carried out, for another call."""
        self._drawn -= 1
        self._bag.insert(self.random.randint(0, len(self._bag)), planned)


def _names(calls: frozenset[Call]) -> str:
    return ", ".join(call.value for call in Call if call in calls)
