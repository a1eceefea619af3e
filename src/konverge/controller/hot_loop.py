"""Hot loops: an object that is reconciled again and again because of what its own reconciles write.

Each run that writes, woken by nothing but what the run before it wrote, makes a streak longer; two runs in a row that
write nothing end it, and so does a minute of peace. (One that writes nothing is not enough: when two managers fight,
each first sees its own write and is content, then the other's.) When a streak gets long, the objects it writes are read
before two more runs. A field that changes in both is what keeps the loop going: it is logged once, with the managers
that set it (this controller alone: a timestamp, an order that varies, a default that the server fills in; or two: they
fight), and counted. Values are never shown.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from konverge import log
from konverge.api.form import unstructured
from konverge.api.kind import ObjectKey
from konverge.client.client import Client
from konverge.controller.flip import Flip, flips_between
from konverge.controller.reconcile import Request
from konverge.controller.writes import Write
from konverge.errors import NotFound
from konverge.queue import Causes

DEFAULT_RUNS: Final = 10
_SAMPLES: Final = 2
_MOST_KEYS: Final = 4096  # streaks remembered; who is in a loop is used often and stays
_MOST_OBJECTS: Final = 4  # read per sample
_PEACE: Final = 60.0  # seconds without a run that writes

_LOG = log.get("controller")


class Target(msgspec.Struct, frozen=True):
    """An object that was written."""

    api_version: str
    kind: str
    key: ObjectKey

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class _Streak(msgspec.Struct):
    at: float  # the loop's time of its last run that wrote
    runs: int = 1
    idle: bool = False  # whether the last run wrote nothing
    written: dict[Target, Write] = msgspec.field(default_factory=dict)  # by the last run
    versions: dict[Target, str] = msgspec.field(default_factory=dict)
    samples: list[list[Flip]] = msgspec.field(default_factory=list)
    reported: bool = False


class HotLoop(msgspec.Struct, frozen=True):
    """What was noticed."""

    request: Request
    runs: int
    flips: tuple[Flip, ...]


class HotLoops:
    """Watches the runs of one controller; `runs` in a row make a loop, 0 switches it off."""

    def __init__(self, live: Client, *, runs: int = DEFAULT_RUNS) -> None:
        self._live = live
        self._runs = runs
        self._streaks: OrderedDict[Request, _Streak] = OrderedDict()

    def suspects(self, request: Request) -> bool:
        """Whether the next run should be looked at closely."""
        streak = self._streaks.get(request)
        return streak is not None and not streak.reported and streak.runs >= self._runs - _SAMPLES

    async def look(self, request: Request) -> dict[Target, Any]:
        """Read what the last run wrote, as it is now."""
        streak = self._streaks.get(request)
        targets = list(streak.written)[:_MOST_OBJECTS] if streak is not None else []
        return {target: await self._read(target) for target in targets}

    async def _read(self, target: Target) -> Any:
        try:
            return (await self._live.get(unstructured(target.api_version, target.kind), target.key)).to_dict()
        except NotFound:
            return {}
        except Exception as error:  # noqa: BLE001 - no diagnosis is worth ending a worker
            _LOG.debug("an object of a suspected loop could not be read", target=str(target), cause=repr(error))
            return None

    def ran(
        self,
        request: Request,
        causes: Causes,
        writes: Sequence[Write],
        *,
        now: float,
        seen: Mapping[Target, Any] | None = None,
    ) -> HotLoop | None:
        """Take a run in; return the loop if it shows one that was not reported yet."""
        streak = self._streaks.get(request)
        if not self._runs or (streak is None and not writes):
            return None
        written = _effective(writes, streak)
        if not written:
            self._rested(request, streak)
            return None
        if streak is None or now - streak.at > _PEACE or not _woken_by(causes, streak.written):
            self._remember(request, _Streak(now, written=written, versions=_versions(written)))
            return None
        streak.runs, streak.at, streak.idle = streak.runs + 1, now, False
        if seen is not None:
            streak.samples.append(_sample(streak.written, seen, written))
        streak.written = written
        streak.versions |= _versions(written)
        self._remember(request, streak)
        return _verdict(request, streak)

    def _rested(self, request: Request, streak: _Streak | None) -> None:
        if streak is None or streak.idle:
            self._streaks.pop(request, None)
        else:
            streak.idle = True

    def _remember(self, request: Request, streak: _Streak) -> None:
        if streak.runs < self._runs - _SAMPLES:
            # The answers are needed at the end alone; until then a streak is a few names.
            streak.written = {target: Write(write.operation) for target, write in streak.written.items()}
        self._streaks[request] = streak
        self._streaks.move_to_end(request)
        self._drop_peaceful(streak.at)

    def _drop_peaceful(self, now: float) -> None:
        """Forget those that are over, and the oldest where there are too many; they stand in order of time."""
        while self._streaks:
            oldest = next(iter(self._streaks.values()))
            if now - oldest.at <= _PEACE and len(self._streaks) <= _MOST_KEYS:
                return
            self._streaks.popitem(last=False)


def _verdict(request: Request, streak: _Streak) -> HotLoop | None:
    if len(streak.samples) < _SAMPLES:
        return None
    first, *others = streak.samples
    common = [flip for flip in first if all(flip.place in {other.place for other in sample} for sample in others)]
    flips = _merged(flip for sample in streak.samples for flip in sample if flip.place in {f.place for f in common})
    streak.samples = []
    if not flips:
        streak.runs = 0  # each run changed something else: progress, not a loop
        return None
    streak.reported = True
    return HotLoop(request, streak.runs, flips)


def _merged(flips: Iterable[Flip]) -> tuple[Flip, ...]:
    managers: dict[tuple[str, str], dict[str, None]] = {}
    for flip in flips:
        managers.setdefault(flip.place, {}).update(dict.fromkeys(flip.managers))
    return tuple(Flip(obj, path, tuple(sorted(names))) for (obj, path), names in managers.items())


def _effective(writes: Iterable[Write], streak: _Streak | None) -> dict[Target, Write]:
    """The writes that changed something: an update that the server found to be none has the version it had."""
    known = streak.versions if streak is not None else {}
    found: dict[Target, Write] = {}
    for write in writes:
        answer = write.answer()
        if answer.kind and answer.kind != "Status" and answer.metadata.resource_version:
            target = Target(answer.api_version, answer.kind, write.key)
            if known.get(target) != answer.metadata.resource_version:
                found[target] = write
    return found


def _versions(written: Mapping[Target, Write]) -> dict[Target, str]:
    return {target: write.answer().metadata.resource_version for target, write in written.items()}


def _woken_by(causes: Causes, written: Mapping[Target, Write]) -> bool:
    """Whether all that is known of why it ran are events of objects that the last run wrote."""
    ours = {(target.kind, target.key.namespace, target.key.name) for target in written}
    return bool(causes.first) and all((cause.kind, cause.namespace, cause.name) in ours for cause in causes.first)


def _sample(last: Mapping[Target, Write], seen: Mapping[Target, Any], now: Mapping[Target, Write]) -> list[Flip]:
    """What others changed since the last run, and what this one changed."""
    flips: list[Flip] = []
    for target, between in seen.items():
        before = _body(last.get(target))
        after = _body(now.get(target))
        middle = before if between is None else between
        if before is not None and middle is not None:
            flips += flips_between(str(target), before, middle)
        if middle is not None and after is not None:
            flips += flips_between(str(target), middle, after)
    return flips


def _body(write: Write | None) -> Any:
    try:
        return msgspec.json.decode(write.body) if write is not None and write.body else None
    except (msgspec.MsgspecError, RecursionError):  # what a server answers need not be JSON
        return None
