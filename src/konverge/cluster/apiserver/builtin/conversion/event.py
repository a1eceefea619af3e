"""Events: the core form is stored; that of events.k8s.io has other names for some of its fields."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.strategy import JsonObject

_NEW_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
_CORE_NAMES: Final = {new: core for core, new in _NEW_NAMES.items()}
# What each form shows though it is empty.
_CORE_ALWAYS: Final[dict[str, Any]] = {
    "involvedObject": {},
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
_NEW_ALWAYS: Final[dict[str, Any]] = {
    "eventTime": None,
    "regarding": {},
    "deprecatedSource": {},
    "deprecatedFirstTimestamp": None,
    "deprecatedLastTimestamp": None,
}
_LEFT_OUT: Final = ("reportingController", "reportingInstance")  # where they are empty, in the new form


def to_core(value: JsonObject) -> JsonObject:
    """Return an event of events.k8s.io in the core form."""
    renamed = {_CORE_NAMES.get(name, name): found for name, found in value.items()}
    return {**_CORE_ALWAYS, **renamed, "apiVersion": "v1"}


def from_core(value: JsonObject) -> JsonObject:
    """Return a core event in the form of events.k8s.io."""
    renamed = {_NEW_NAMES.get(name, name): found for name, found in value.items()}
    found = {**_NEW_ALWAYS, **renamed, "apiVersion": "events.k8s.io/v1"}
    return {name: value for name, value in found.items() if value != "" or name not in _LEFT_OUT}
