"""When a container is started again, and whether a change of its resources restarts it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_POLICIES: Final = ("Always", "Never", "OnFailure")
_ACTIONS: Final = ("Restart", "RestartAllContainers")
_OPERATORS: Final = ("In", "NotIn")
_MOST_RULES: Final = 20
_MOST_CODES: Final = 255
_RESIZED: Final = ("cpu", "memory")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")


def restart_errors(container: JsonObject, path: str, *, is_init: bool = False) -> Iterator[FieldError]:
    """Judge a container's own policy and rules; those of an init container without a policy are not looked at."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None and not rules:
        return
    if policy is None:
        yield field_error.required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")
        rules = () if is_init else rules
    elif policy not in _POLICIES:
        yield field_error.not_supported(f"{path}.restartPolicy", policy, _POLICIES)
    if len(rules) > _MOST_RULES:
        yield field_error.too_many(f"{path}.restartPolicyRules", len(rules), _MOST_RULES)
    for index, rule in enumerate(rules):
        yield from _rule_errors(rule, f"{path}.restartPolicyRules[{index}]")


def _rule_errors(rule: JsonObject, path: str) -> Iterator[FieldError]:
    if rule.get("action", "") not in _ACTIONS:
        yield field_error.not_supported(f"{path}.action", rule.get("action", ""), _ACTIONS)
    codes = rule.get("exitCodes")
    if codes is None:
        yield field_error.required(f"{path}.exitCodes", "must be specified")
        return
    if codes.get("operator", "") not in _OPERATORS:
        yield field_error.not_supported(f"{path}.exitCodes.operator", codes.get("operator", ""), _OPERATORS)
    if len(codes.get("values") or ()) > _MOST_CODES:
        yield field_error.too_many(f"{path}.exitCodes.values", len(codes["values"]), _MOST_CODES)


def resize_errors(policies: list[JsonObject], path: str, *, pod_policy: str) -> Iterator[FieldError]:
    """Judge what happens when resources change."""
    seen: set[str] = set()
    for index, each in enumerate(policies):
        resource, policy = each.get("resourceName", ""), each.get("restartPolicy", "")
        if resource in seen:
            yield field_error.duplicate(f"{path}[{index}]", field_error.named(resource))
        seen.add(resource)
        for value, choices in ((resource, _RESIZED), (policy, _RESIZE_POLICIES)):
            if not value:
                yield field_error.required(path)
            elif value not in choices:
                yield field_error.not_supported(path, value, choices)
        if pod_policy == "Never" and policy != "NotRequired":
            wrong = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            yield field_error.invalid(path, field_error.named(policy), wrong)
