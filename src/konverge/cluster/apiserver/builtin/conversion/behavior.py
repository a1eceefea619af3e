"""An autoscaler's behaviour in an annotation of v1: with the names of Go's fields, all of them, empty or not."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.strategy import JsonObject

_RULES: Final = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
_POLICY: Final = ("type", "value", "periodSeconds")


def to_internal(behavior: JsonObject) -> JsonObject:
    """Return a behaviour with Go's names."""
    return {_upper(name): _rules(behavior.get(name)) for name in ("scaleUp", "scaleDown")}


def _rules(rules: JsonObject | None) -> JsonObject | None:
    if rules is None:
        return None
    found: dict[str, Any] = {_upper(name): rules.get(name) for name in _RULES}
    if found["Policies"] is not None:
        found["Policies"] = [{_upper(name): policy.get(name) for name in _POLICY} for policy in found["Policies"]]
    return found


def from_internal(behavior: JsonObject) -> JsonObject:
    """Return a behaviour with the API's names, without what is empty."""
    found = {_lower(name): _read(value) for name, value in behavior.items()}
    return {name: value for name, value in found.items() if value is not None}


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return from_internal(value)
    return [_read(each) for each in value] if isinstance(value, list) else value


def _upper(name: str) -> str:
    return name[0].upper() + name[1:]


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]
