"""Behaviour: what a simulated pod does, as its author asks for it by an annotation or the node's owner by a rule.

    metadata:
      annotations:
        konverge.dev/simulate: '{"exitAfter": 5, "exitCodes": [1, 0]}'     # fails once, then ends well

Without one a pod runs and is ready at once, for ever. All times are seconds; they count from whole ones, as the times
in a pod's status do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from konverge.api.meta import ObjectMeta

ANNOTATION: Final = "konverge.dev/simulate"
TURN: Final = "konverge.dev/simulated-turn"  # which of its controller's pods this one is, where that matters
_INDEX_ANNOTATION: Final = "batch.kubernetes.io/job-completion-index"
_INDEX_LABEL: Final = "apps.kubernetes.io/pod-index"


class Behaviour(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a pod does, from when it is bound to its node."""

    start_after: float = 0.0  # until its containers (its init containers, if it has some) start
    hang: bool = False  # they never do: it stays in ContainerCreating
    waiting: str = ""  # they never do, for this reason: ErrImagePull, CreateContainerConfigError, …
    init_takes: float = 0.0  # each init container
    init_exit_codes: tuple[int, ...] = (0,)  # of each init container's runs; the last one repeats
    ready_after: float | None = 0.0  # from when its containers run; null: never
    exit_after: float | None = None  # from when its containers run until they end; null: never
    exit_codes: tuple[int | None, ...] = (0,)  # of its runs, the last one repeats; null: that run never ends
    log: str = ""  # what `kubectl logs` shows of it
    fail: str = ""  # the node refuses it, for this reason: Evicted, OutOfcpu, …
    stop_after: float = 0.0  # from when it is deleted until its containers end; never longer than its grace
    stop_exit_code: int = 143  # as a process that knows nothing of SIGTERM
    by_index: dict[str, Behaviour] = {}  # by the index of a Job's or a StatefulSet's pod, instead of this
    in_turn: tuple[Behaviour, ...] = ()  # of the pods of one controller, in the order they come; the last repeats

    def of(self, metadata: ObjectMeta) -> Behaviour:
        """Return what the pod of this index does."""
        return self.by_index.get(index_of(metadata) or "", self)

    def at_turn(self, turn: int) -> Behaviour:
        """Return what the `turn`-th pod of a controller does, from 0 on."""
        return self.in_turn[min(turn, len(self.in_turn) - 1)] if self.in_turn else self


def index_of(metadata: ObjectMeta) -> str | None:
    """Return the index that a Job or a StatefulSet gave a pod."""
    return (metadata.annotations or {}).get(_INDEX_ANNOTATION) or (metadata.labels or {}).get(_INDEX_LABEL)


def read_behaviour(annotations: Mapping[str, str] | None) -> Behaviour | None:
    """Return what the annotation asks for; None without one. Raises `msgspec.DecodeError` if it cannot be read."""
    text = (annotations or {}).get(ANNOTATION)
    return None if text is None else msgspec.json.decode(text.encode(), type=Behaviour)
