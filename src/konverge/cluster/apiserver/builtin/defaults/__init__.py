"""The defaults of built-in kinds that are code in Kubernetes, not data: a module per kind, or per family of kinds.

A default fills in what the author left out, in place, on every read of a body and of what is stored. Absent and empty
are one: fields that Go always writes are there already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.core import (
    default_namespace,
    default_persistent_volume_claim,
    default_secret,
)
from konverge.cluster.apiserver.strategy import JsonObject

Default = Callable[[JsonObject], None]

_DEFAULTS: Final[Mapping[tuple[str, str], Default]] = {
    ("", "Namespace"): default_namespace,
    ("", "PersistentVolumeClaim"): default_persistent_volume_claim,
    ("", "Secret"): default_secret,
}


def of(group: str, kind: str) -> Default | None:
    """Return a kind's defaults."""
    return _DEFAULTS.get((group, kind))
