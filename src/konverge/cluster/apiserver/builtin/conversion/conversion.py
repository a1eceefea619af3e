"""Conversion: how a kind's objects get into the form in which they are stored, and out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.builtin.conversion import autoscaler, event
from konverge.cluster.apiserver.strategy import JsonObject


@dataclass(frozen=True, slots=True)
class Conversion:
    """Both ways; neither changes what it is given."""

    to_storage: Callable[[JsonObject], JsonObject]
    from_storage: Callable[[JsonObject], JsonObject]


_CONVERSIONS: Final = {
    ("autoscaling", "v1", "HorizontalPodAutoscaler"): Conversion(autoscaler.to_v2, autoscaler.to_v1),
    ("events.k8s.io", "v1", "Event"): Conversion(event.to_core, event.from_core),
}


def conversion_of(group: str, version: str, kind: str) -> Conversion | None:
    """Return a kind's conversion, or None where its objects are stored as they are."""
    return _CONVERSIONS.get((group, version, kind))
