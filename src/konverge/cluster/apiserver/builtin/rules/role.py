"""Roles: each rule is about resources or, in a ClusterRole, about paths that are none; an aggregation selects roles."""

from __future__ import annotations

from functools import partial
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import path_segment
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_SELECTORS: Final = "aggregationRule.clusterRoleSelectors"
_NONE_SELECTED: Final = "at least one clusterRoleSelector required if aggregationRule is non-nil"


def _validate(value: JsonObject, *, namespaced: bool) -> list[FieldError]:
    errors = []
    for index, rule in enumerate(value.get("rules") or ()):
        errors += _rule_errors(rule, f"rules[{index}]", namespaced=namespaced)
    return errors if namespaced else errors + _aggregation_errors(value.get("aggregationRule"))


def _validate_update(value: JsonObject, old: JsonObject, subresource: str, *, namespaced: bool) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    return new_metadata_errors(value["metadata"], path_segment, namespaced=namespaced) + _validate(
        value, namespaced=namespaced
    )


def _rule_errors(rule: JsonObject, path: str, *, namespaced: bool) -> list[FieldError]:
    errors = []
    if not rule.get("verbs"):
        errors.append(field_error.required(f"{path}.verbs", "verbs must contain at least one value"))
    if urls := rule.get("nonResourceURLs"):
        return errors + _url_errors(rule, urls, f"{path}.nonResourceURLs", namespaced=namespaced)
    if not rule.get("apiGroups"):
        errors.append(field_error.required(f"{path}.apiGroups", "resource rules must supply at least one api group"))
    if not rule.get("resources"):
        errors.append(field_error.required(f"{path}.resources", "resource rules must supply at least one resource"))
    return errors


def _url_errors(rule: JsonObject, urls: list[str], path: str, *, namespaced: bool) -> list[FieldError]:
    errors = []
    if namespaced:
        errors.append(field_error.invalid(path, urls, "namespaced rules cannot apply to non-resource URLs"))
    if any(rule.get(name) for name in ("apiGroups", "resources", "resourceNames")):
        wrong = "rules cannot apply to both regular resources and non-resource URLs"
        errors.append(field_error.invalid(path, urls, wrong))
    return errors


def _aggregation_errors(aggregation: JsonObject | None) -> list[FieldError]:
    if aggregation is None:
        return []
    selectors = aggregation.get("clusterRoleSelectors") or ()
    if not selectors:
        return [field_error.required(_SELECTORS, _NONE_SELECTED)]
    return [error for index, each in enumerate(selectors) for error in _selector_errors(each, f"{_SELECTORS}[{index}]")]


def _selector_errors(selector: JsonObject, path: str) -> list[FieldError]:
    errors = selector_errors(selector, path)
    return [*errors, field_error.invalid(path, None, "invalid label selector.")] if errors else []


def _rules(*, namespaced: bool) -> KindRules:
    return KindRules(
        validate=partial(_validate, namespaced=namespaced),
        validate_update=partial(_validate_update, namespaced=namespaced),
    )


ROLE: Final = _rules(namespaced=True)
CLUSTER_ROLE: Final = _rules(namespaced=False)
