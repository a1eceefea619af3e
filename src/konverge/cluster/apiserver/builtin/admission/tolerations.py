"""Pods tolerate a node that is not ready, or out of reach, for five minutes where they say nothing of it."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.strategy import JsonObject

_SECONDS: Final = 300
_TAINTS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def set_tolerations(admission: Admission) -> None:
    """Add the tolerations that a pod does not have."""
    if admission.subresource:
        return
    given = admission.spec.get("tolerations", [])
    missing = [taint for taint in _TAINTS if not any(_covers(each, taint) for each in given)]
    if missing:
        admission.spec["tolerations"] = [*given, *map(_toleration, missing)]


def _covers(toleration: JsonObject, taint: str) -> bool:
    return toleration.get("key", "") in ("", taint) and toleration.get("effect", "") in ("", "NoExecute")


def _toleration(taint: str) -> JsonObject:
    return {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}
