"""Events: the core group's are judged as they always were, those of events.k8s.io strictly.

Both are the same objects under other names; what is wrong is told by the names of the core group.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_CORE: Final = "reportingComponent"
_NEW: Final = "reportingController"
# What the newer group calls the fields of the core group.
_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
_LONGEST: Final = {"reportingInstance": 128, "action": 128, "reason": 128, "message": 1024}
_UNSET: Final = ("firstTimestamp", "lastTimestamp", "count", "source")
_FIXED: Final = (
    *("involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count", "reason", "type"),
    *("eventTime", "action", "related", _NEW, "reportingInstance"),
)
_INTERNAL: Final = {
    "involvedObject": "core.ObjectReference",
    "related": "*core.ObjectReference",
    "source": "core.EventSource",
}
_TYPES: Final = ("Normal", "Warning")
_ELSEWHERE: Final = "does not match event.namespace"


def _validate_core(value: JsonObject) -> list[FieldError]:
    return list(_always(value, _CORE, value.get("involvedObject") or {}))


def _update_core(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - as of all kinds
    return _validate_core(value)


def _validate_new(value: JsonObject) -> list[FieldError]:
    errors = [*_always(value, _NEW, value.get("regarding") or {}), *_series(value)]
    if not value.get("eventTime"):
        errors.append(field_error.required("eventTime"))
    if value.get("type", "") not in _TYPES:
        errors.append(field_error.invalid("type", "", f"has invalid value: {value.get('type', '')}"))
    errors += [field_error.invalid(name, "", "needs to be unset") for name in _UNSET if value.get(_NAMES[name])]
    return errors


def _update_new(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - as of all kinds
    errors = list(_always(value, _NEW, value.get("regarding") or {}))
    if not json_equal(value.get("series"), old.get("series")):
        errors += _series(value)
    for name in _FIXED:
        shown = _NAMES.get(name, name)
        new, before = value.get(shown), old.get(shown)
        if not json_equal(new or None, before or None):
            errors.append(field_error.invalid(name, _as_shown(name, new), "field is immutable"))
    return errors


def _as_shown(name: str, value: Any) -> Any:
    """Return a field as the real server holds it."""
    if (kind := _INTERNAL.get(name)) is not None:
        return internal_text(kind, value)
    if name == "count":
        return value or 0
    return value if value is not None or name.endswith(("Time", "Timestamp")) else ""


def _always(value: JsonObject, controller: str, about: JsonObject) -> Iterator[FieldError]:
    namespace, of = value["metadata"].get("namespace", ""), about.get("namespace", "")
    if not value.get("eventTime"):
        is_here = namespace in ("", "default") if not of else namespace == of
    else:
        is_here = bool(of) or namespace in ("default", "kube-system")
    if not is_here:
        yield field_error.invalid("involvedObject.namespace", of, _ELSEWHERE)
    if value.get("eventTime"):
        yield from _reported(value, controller)


def _reported(value: JsonObject, controller: str) -> Iterator[FieldError]:
    """Judge who reports, and what."""
    name = value.get(controller) or ""
    if not name:
        yield field_error.required(controller)
    for text in qualified_name(name):
        yield field_error.invalid(controller, name, text)
    for field, most in _LONGEST.items():
        text = _text(value, field)
        if not text and field != "message":
            yield field_error.required(field)
        if len(text.encode()) > most:
            yield field_error.invalid(field, "", f"can have at most {most} characters")


def _text(value: JsonObject, field: str) -> str:
    found: Any = value.get(field) or value.get(_NAMES.get(field, field)) or ""
    return str(found)


def _series(value: JsonObject) -> list[FieldError]:
    series = value.get("series")
    if series is None:
        return []
    errors = []
    if (series.get("count") or 0) < 2:  # noqa: PLR2004 - fewer than two are no series
        errors.append(field_error.invalid("series.count", "", "should be at least 2"))
    if not series.get("lastObservedTime"):
        errors.append(field_error.required("series.lastObservedTime"))
    return errors


CORE_EVENT: Final = KindRules(validate=_validate_core, validate_update=_update_core)
EVENT: Final = KindRules(validate=_validate_new, validate_update=_update_new)
