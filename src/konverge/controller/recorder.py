"""Recorder: tells users what happened to their object, by Events (events.k8s.io/v1) that `kubectl describe` shows.

Recording never waits and never fails a reconcile: what is recorded is thinned out as client-go does (`correlator`),
put aside, and sent in the background; when the server cannot keep up, events are dropped and counted. What was
recorded before the stop is still sent, within a few seconds.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Final

import msgspec

from konverge import clock, log
from konverge.api.meta import ObjectMeta
from konverge.api.model import encode
from konverge.api.object import Object
from konverge.api.request import MERGE_PATCH
from konverge.api.time import MicroTime
from konverge.client.client import Client
from konverge.client.patch import RawPatch
from konverge.controller.correlator import Correlator, Occurrence, Regarding, Sighting
from konverge.errors import ApiError, ConnectionFailed, NotFound, TooManyRequests, Unavailable

if TYPE_CHECKING:
    from konverge.models import core_v1, events_v1

NORMAL: Final = "Normal"
WARNING: Final = "Warning"

_LOG = log.get("recorder")
_MOST_WAITING: Final = 1000
_TRIES: Final = 12
_PAUSE: Final = 10.0  # seconds between tries, with a quarter of jitter
_FLUSH: Final = 3.0  # seconds for what is left when it is stopped
_LONGEST_NAME: Final = 253
_LONGEST_WORD: Final = 128  # of a reason or an action, by the server's rules
_LONGEST_NOTE: Final = 1024
_RETRIED = (ConnectionFailed, TooManyRequests, Unavailable)


class Broadcaster:
    """Sends the events of all recorders of a program; `run` it in the background.

    `random` gives events their names and pauses their jitter.
    """

    needs_leader_election = False
    name = "event broadcaster"

    def __init__(self, client: Client, *, instance: str, random: Random) -> None:
        self._client = client
        self._instance = instance
        self._random = random
        self._correlator = Correlator()
        self._waiting: deque[Sighting] = deque()
        self._news = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._limit: asyncio.Timeout | None = None  # of the run; it begins when that is stopped
        self._stopping = False
        self.dropped = 0

    def recorder(self, controller: str) -> Recorder:
        """Return what one controller records with."""
        return Recorder(self, controller)

    def record(self, occurrence: Occurrence) -> None:
        """Take an event in, from any thread; nothing is sent yet."""
        if self._loop is None or _on(self._loop):
            self._record(occurrence)
        else:
            with suppress(RuntimeError):  # the loop is closed: nobody is left to send it
                self._loop.call_soon_threadsafe(self._record, occurrence)

    def _record(self, occurrence: Occurrence) -> None:
        sighting = self._correlator.see(occurrence, clock.now())
        if sighting is None:
            return
        if len(self._waiting) >= _MOST_WAITING:
            self.dropped += 1
            return
        self._waiting.append(sighting)
        self._news.set()

    async def run(self) -> None:
        """Send what is recorded, until stopped or cancelled."""
        self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as self._limit:
                while not self._stopping:
                    await self._news.wait()
                    self._news.clear()
                    await self._deliver_all()
        except TimeoutError:
            _LOG.warning("stopped with events that could not be sent in time", events=len(self._waiting) + 1)

    def stop(self) -> None:
        """Send what is left, as far as it can be done quickly, then let `run` return; on its loop."""
        if not self._stopping:
            self._stopping = True
            self._news.set()
            if self._limit is not None:
                self._limit.reschedule(asyncio.get_running_loop().time() + _FLUSH)

    async def _deliver_all(self) -> None:
        while self._waiting:
            await self._deliver(self._waiting.popleft())

    async def _deliver(self, sighting: Sighting) -> None:
        for _ in range(_TRIES):
            try:
                await self._send(sighting)
            except _RETRIED as error:
                _LOG.debug("an event could not be sent and is tried again", cause=str(error))
                await asyncio.sleep(_PAUSE * self._random.uniform(0.75, 1.25))
            except Exception as error:  # noqa: BLE001 - no event is worth ending the sending of the others
                self._refused(sighting, error)
                return
            else:
                return
        self.dropped += 1

    def _refused(self, sighting: Sighting, error: Exception) -> None:
        self.dropped += 1
        say = _LOG.warning if isinstance(error, ApiError) else _LOG.error
        say("an event was refused", cause=str(error), reason=sighting.occurrence.reason)

    async def _send(self, sighting: Sighting) -> None:
        """Patch the event that is there with the count, or create one."""
        series = sighting.series
        if series.name and sighting.count > 1:
            count = {"count": sighting.count, "lastObservedTime": str(MicroTime.of(sighting.last_seen))}
            # The note stays the first one's, also where similar events are combined: the server lets nobody change it.
            patch = RawPatch(MERGE_PATCH, encode({"series": count}))
            try:
                await self._client.patch(self._named(sighting, series.name), patch)
            except NotFound:
                series.name = ""  # the server keeps events for an hour
            else:
                return
        created = await self._client.create(self._event(sighting))
        series.name = created.metadata.name or ""

    def _named(self, sighting: Sighting, name: str) -> events_v1.Event:
        from konverge.models import events_v1  # noqa: PLC0415 - the models are large, and who records nothing needs none

        namespace = sighting.occurrence.regarding.namespace or "default"
        return events_v1.Event(
            metadata=ObjectMeta(name=name, namespace=namespace), event_time=MicroTime.of(sighting.first_seen)
        )

    def _event(self, sighting: Sighting) -> events_v1.Event:
        occurrence = sighting.occurrence
        suffix = f".{self._random.getrandbits(64):016x}"
        event = self._named(sighting, occurrence.regarding.name[: _LONGEST_NAME - len(suffix)] + suffix)
        event.type, event.reason, event.action = occurrence.type, occurrence.reason, occurrence.action
        event.note = _shortened(sighting.note, _LONGEST_NOTE)
        event.regarding = _reference(occurrence.regarding)
        event.related = None if occurrence.related is None else _reference(occurrence.related)
        event.reporting_controller = occurrence.controller
        event.reporting_instance = _shortened(f"{occurrence.controller}-{self._instance}", _LONGEST_WORD)
        if sighting.count > 1:
            from konverge.models import events_v1  # noqa: PLC0415 - as above

            event.series = events_v1.EventSeries(
                count=sighting.count, last_observed_time=MicroTime.of(sighting.last_seen)
            )
        return event


def _on(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether the caller is on the loop's own thread."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def _reference(regarding: Regarding) -> core_v1.ObjectReference:
    from konverge.models import core_v1  # noqa: PLC0415 - as above

    return core_v1.ObjectReference(
        api_version=regarding.api_version,
        kind=regarding.kind,
        namespace=regarding.namespace or None,
        name=regarding.name,
        uid=regarding.uid or None,
        resource_version=regarding.resource_version or None,
    )


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


class Recorder(msgspec.Struct, frozen=True):
    """Records events in the name of one controller."""

    broadcaster: Broadcaster | None  # None: nothing is sent
    controller: str

    def normal(self, obj: Object, reason: str, note: str, *, action: str = "", related: Object | None = None) -> None:
        """Record that something went as it should."""
        self.event(obj, NORMAL, reason=reason, note=note, action=action, related=related)

    def warning(self, obj: Object, reason: str, note: str, *, action: str = "", related: Object | None = None) -> None:
        """Record that something needs attention."""
        self.event(obj, WARNING, reason=reason, note=note, action=action, related=related)

    def event(
        self, obj: Object, type_: str, *, reason: str, note: str, action: str = "", related: Object | None = None
    ) -> None:
        """Record an event about an object.

        `reason` says why in one CamelCase word, `note` in a sentence, `action` what was done (by default, the reason).
        """
        if self.broadcaster is None:
            return
        occurrence = Occurrence(
            controller=self.controller,
            regarding=Regarding.of(obj),
            type=type_,
            reason=_shortened(reason, _LONGEST_WORD),
            action=_shortened(action or reason, _LONGEST_WORD),
            note=note,
            related=None if related is None else Regarding.of(related),
        )
        self.broadcaster.record(occurrence)
