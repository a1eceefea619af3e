"""Label keys of a pod's constraints: the pod's own values of them join the selector when it is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def join_label_keys(pod: JsonObject) -> None:
    """Add to each selector what the keys beside it say."""
    labels, spec = pod["metadata"].get("labels", {}), pod["spec"]
    for term in (*spec.get("topologySpreadConstraints", ()), *_affinity_terms(spec.get("affinity", {}))):
        selector = term.get("labelSelector")
        if selector is not None:
            _join(selector, term.get("matchLabelKeys", ()), labels, operator="In")
            _join(selector, term.get("mismatchLabelKeys", ()), labels, operator="NotIn")


def _affinity_terms(affinity: JsonObject) -> Iterator[JsonObject]:
    for name in ("podAffinity", "podAntiAffinity"):
        found = affinity.get(name, {})
        for weighted in found.get(_PREFERRED, ()):
            yield weighted.get("podAffinityTerm", {})
        yield from found.get(_REQUIRED, ())


def _join(selector: JsonObject, keys: list[str], labels: JsonObject, *, operator: str) -> None:
    for key in keys:
        if key in labels:
            expression = {"key": key, "operator": operator, "values": [labels[key]]}
            selector["matchExpressions"] = [*selector.get("matchExpressions", ()), expression]
