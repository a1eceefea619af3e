"""The runs of a pod's containers up to a moment, by its behaviour and its restart policy; pure, in seconds.

Everything is counted from when the pod was bound, so a node that was started anew comes to the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from konverge.cluster.node.behaviour import Behaviour

_FIRST_PAUSE: Final = 10.0  # seconds; kubelet restarts once without a pause, and then pauses twice as long each time
_LONGEST_PAUSE: Final = 300.0


class Run(msgspec.Struct, frozen=True):
    """One run of a container, in seconds since the pod was bound."""

    start: float
    end: float | None  # None: it never ends by itself
    code: int = 0


class History(msgspec.Struct, frozen=True):
    """What has become of a container up to a moment."""

    runs: tuple[Run, ...] = ()  # those that have begun
    is_running: bool = False  # the last of them
    is_over: bool = False  # there will be no other run
    pause: float = 0.0  # where it waits to be started again: how long, in all
    changes_at: float | None = None  # when all this will be different

    @property
    def ended(self) -> Run | None:
        """The last run that has ended."""
        finished = self.runs[:-1] if self.is_running else self.runs
        return finished[-1] if finished else None

    @property
    def current(self) -> Run | None:
        """The run under way."""
        return self.runs[-1] if self.is_running else None


def main_history(behaviour: Behaviour, *, start: float, policy: str, now: float) -> History:
    """Return the history of a pod's containers, which first run from `start` on."""
    return _history(behaviour.exit_codes, behaviour.exit_after, start=start, policy=policy, now=now)


def init_history(behaviour: Behaviour, *, start: float, policy: str, now: float) -> History:
    """Return the history of one init container, which is started again until it ends well."""
    again = "Never" if policy == "Never" else "OnFailure"
    return _history(behaviour.init_exit_codes, behaviour.init_takes, start=start, policy=again, now=now)


def _history(codes: Sequence[int | None], takes: float | None, *, start: float, policy: str, now: float) -> History:
    if now < start:
        return History(changes_at=start)
    runs: list[Run] = []
    while True:
        code = codes[min(len(runs), len(codes) - 1)]
        end = None if takes is None or code is None else start + takes
        runs.append(Run(start, end, code or 0))
        if end is None or now < end:
            return History(tuple(runs), is_running=True, changes_at=end)
        if not _starts_again(policy, code or 0):
            return History(tuple(runs), is_over=True)
        pause = _pause(len(runs))
        start = end + pause
        if now < start:
            return History(tuple(runs), pause=pause, changes_at=start)
        if takes == 0.0 and pause == 0.0:
            start += 1.0  # what ends as it begins would begin for ever in the same moment


def _starts_again(policy: str, code: int) -> bool:
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def _pause(runs: int) -> float:
    return 0.0 if runs == 1 else float(min(_FIRST_PAUSE * 2 ** (runs - 2), _LONGEST_PAUSE))
