"""The selector of a workload: whether it can be asked, whether it matches its template, how a message shows it."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.strategy import JsonObject

_OF_PRESENCE: Final = ("Exists", "DoesNotExist")


def is_well_formed(selector: JsonObject | None) -> bool:
    """Whether a selector can be asked at all."""
    return not selector_errors(selector, "")


def is_empty(selector: JsonObject) -> bool:
    """Whether a selector asks for nothing."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def matches(selector: JsonObject | None, labels: JsonObject) -> bool:
    """Whether a well-formed selector matches; none matches nothing, an empty one everything."""
    if selector is None:
        return False
    wanted = selector.get("matchLabels") or {}
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _is_met(requirement, labels) for requirement in selector.get("matchExpressions") or ()
    )


def _is_met(requirement: JsonObject, labels: JsonObject) -> bool:
    key, operator = requirement["key"], requirement["operator"]
    if operator in _OF_PRESENCE:
        return (key in labels) is (operator == "Exists")
    return (key in labels and labels[key] in requirement["values"]) is (operator == "In")


def shown(selector: JsonObject | None) -> Any:
    """Return a selector as a message has it: its fields in Go's order."""
    if selector is None:
        return None
    found: JsonObject = {}
    if labels := selector.get("matchLabels"):
        found["matchLabels"] = dict(sorted(labels.items()))
    if requirements := selector.get("matchExpressions"):
        found["matchExpressions"] = [
            {name: each[name] for name in ("key", "operator", "values") if name in each} for each in requirements
        ]
    return in_go_order(found)
