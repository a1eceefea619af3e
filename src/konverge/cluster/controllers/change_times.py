"""ChangeTimes: since when a Service's endpoints should have been what they become now.

It is for those who measure how long a change took to arrive; nothing depends on it, and a restart forgets it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import konverge as kv
from konverge.api.time import format_time
from konverge.cluster.controllers.pod_state import ready_condition
from konverge.models import core_v1


class ChangeTimes:
    """Remembers for each service the times that it has been told of."""

    def __init__(self) -> None:
        self._told: dict[kv.Request, dict[str, datetime]] = {}

    def forget(self, request: kv.Request) -> None:
        """Drop what is known of a service that is gone."""
        self._told.pop(request, None)

    def newest(self, request: kv.Request, service: core_v1.Service, pods: Iterable[core_v1.Pod]) -> str | None:
        """Return the time of the first change that is new since the last call; None if there is none."""
        before, now = self._told.get(request, {}), _times(service, pods)
        self._told[request] = now
        new = [at for what, at in now.items() if what not in before or at > before[what]]
        return format_time(min(new)) if new else None


def _times(service: core_v1.Service, pods: Iterable[core_v1.Pod]) -> dict[str, datetime]:
    """Return when each pod became ready or stopped to be, and when the service was made."""
    found = {}
    for pod in pods:
        condition = ready_condition(pod)
        if condition is not None and condition.last_transition_time is not None:
            found[f"pod {pod.metadata.name}"] = condition.last_transition_time
    if service.metadata.creation_timestamp is not None:
        found["service"] = service.metadata.creation_timestamp
    return found
