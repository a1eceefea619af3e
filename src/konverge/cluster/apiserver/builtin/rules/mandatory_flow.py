"""The flow schemas and priority levels that every cluster has: `exempt` and `catch-all`, which stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_ANY: Final = ["*"]
_EVERYTHING: Final = {
    "resourceRules": [
        {"verbs": _ANY, "apiGroups": _ANY, "resources": _ANY, "clusterScope": True, "namespaces": _ANY},
    ],
    "nonResourceRules": [{"verbs": _ANY, "nonResourceURLs": _ANY}],
}


def _flow(level: str, precedence: int, *groups: str) -> JsonObject:
    subjects = [{"kind": "Group", "group": {"name": group}} for group in groups]
    rules = [{"subjects": subjects, **_EVERYTHING}]
    return {"priorityLevelConfiguration": {"name": level}, "matchingPrecedence": precedence, "rules": rules}


_FLOWS: Final[Mapping[str, JsonObject]] = {
    "exempt": _flow("exempt", 1, "system:masters"),
    "catch-all": {
        **_flow("catch-all", 10000, "system:unauthenticated", "system:authenticated"),
        "distinguisherMethod": {"type": "ByUser"},
    },
}
_LEVELS: Final[Mapping[str, JsonObject]] = {
    "exempt": {"type": "Exempt"},
    "catch-all": {
        "type": "Limited",
        "limited": {"nominalConcurrencyShares": 5, "lendablePercent": 0, "limitResponse": {"type": "Reject"}},
    },
}


def fixed_flow_errors(spec: JsonObject, name: str) -> Iterator[FieldError]:
    """Judge a flow schema by the one that has its name, if there must be one."""
    if name in _FLOWS and not json_equal(_without_empty(spec), _FLOWS[name]):
        shown = internal_text("flowcontrol.FlowSchemaSpec", spec)
        yield field_error.invalid("spec", shown, f"spec of '{name}' must equal the fixed value")


def fixed_level_errors(spec: JsonObject, name: str) -> Iterator[FieldError]:
    """Judge a priority level by the one that has its name, if there must be one; what is exempt has shares to give."""
    if name not in _LEVELS:
        return
    kept = {part: value for part, value in spec.items() if part != "exempt"} if name == "exempt" else spec
    if not json_equal(_without_empty(kept), _LEVELS[name]):
        but = " except the 'spec.exempt' field" if name == "exempt" else ""
        shown = internal_text("flowcontrol.PriorityLevelConfigurationSpec", spec)
        yield field_error.invalid("spec", shown, f"spec of '{name}'{but} must equal the fixed value")


def _without_empty(value: Any) -> Any:
    """Return a value without what Go takes for nothing."""
    if isinstance(value, dict):
        return {name: _without_empty(part) for name, part in value.items() if part not in (None, [], "", False)}
    return [_without_empty(part) for part in value] if isinstance(value, list) else value
