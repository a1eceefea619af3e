"""Where a persistent volume can be reached: fixed once it is told, but for labels that have got other names since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import node_selector_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_NEW_NAMES: Final[Mapping[str, str]] = {
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
}
_FIXED: Final = "field is immutable, except for updating from beta label to GA"


def affinity_errors(affinity: JsonObject | None, path: str) -> Iterator[FieldError]:
    """Judge which nodes reach a volume."""
    if affinity is None:
        return
    if affinity.get("required") is None:
        yield field_error.required(f"{path}.required", "must specify required node constraints")
    else:
        yield from node_selector_errors(affinity["required"], f"{path}.required")


def changed_affinity_errors(affinity: JsonObject | None, before: JsonObject | None) -> Iterator[FieldError]:
    """Judge a change of what was told before."""
    if before is not None and not json_equal(affinity, _renamed(before, affinity)):
        shown = None if affinity is None else internal_text("core.VolumeNodeAffinity", affinity)
        yield field_error.invalid("nodeAffinity", shown, _FIXED)


def _renamed(old: Any, new: Any) -> Any:
    """Return an old value with the new names of labels, where the new value has them."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = {name: _renamed(value, new.get(name)) for name, value in old.items()}
        # The real server takes a key that is gone for the new name of one that never got any.
        if "operator" in old and _NEW_NAMES.get(old.get("key", ""), "") == new.get("key", ""):
            found = {**found, "key": new["key"]} if "key" in new else {**found, "key": None}
        return {name: value for name, value in found.items() if value is not None}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [_renamed(*pair) for pair in zip(old, new, strict=True)]
    return old
