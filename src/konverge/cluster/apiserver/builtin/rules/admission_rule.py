"""Rules of admission: which operations, groups, versions and resources a policy or a webhook is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_MATCH_POLICIES: Final = ("Equivalent", "Exact")


def match_resources_errors(match: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge what a policy or a binding is about."""
    policy = match.get("matchPolicy")
    if policy is None:
        yield field_error.required(f"{path}.matchPolicy")
    elif policy not in _MATCH_POLICIES:
        yield field_error.not_supported(f"{path}.matchPolicy", policy, _MATCH_POLICIES)
    for name in ("namespaceSelector", "objectSelector"):
        if match.get(name) is None:
            yield field_error.required(f"{path}.{name}")
        else:
            yield from selector_errors(match[name], f"{path}.{name}")
    for name in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(match.get(name) or ()):
            yield from _named_rule_errors(rule, f"{path}.{name}[{index}]")


def _named_rule_errors(rule: JsonObject, path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, name in enumerate(rule.get("resourceNames") or ()):
        where = f"{path}.resourceNames[{index}]"
        yield from (field_error.invalid(where, name, wrong) for wrong in name_rules.path_segment(name))
        if name in seen:
            yield field_error.duplicate(where, name)
        seen.add(name)
    yield from rule_errors(rule, path)


def rule_errors(rule: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge one rule."""
    yield from _alone_errors(rule.get("operations") or [], f"{path}.operations", "operations")
    for index, operation in enumerate(rule.get("operations") or ()):
        if operation not in OPERATIONS:
            yield field_error.not_supported(f"{path}.operations[{index}]", operation, OPERATIONS)
    yield from _alone_errors(rule.get("apiGroups") or [], f"{path}.apiGroups", "API groups")
    yield from _alone_errors(rule.get("apiVersions") or [], f"{path}.apiVersions", "API versions")
    for index, version in enumerate(rule.get("apiVersions") or ()):
        if not version:
            yield field_error.required(f"{path}.apiVersions[{index}]")
    yield from _resource_errors(rule.get("resources") or [], f"{path}.resources")
    scope = rule.get("scope")
    if scope is not None and scope not in _SCOPES:
        yield field_error.not_supported(f"{path}.scope", scope, _SCOPES)


def _alone_errors(items: list[str], path: str, what: str) -> Iterator[FieldError]:
    """Judge a list that must have items, and no others beside `*`."""
    if not items:
        yield field_error.required(path)
    elif len(items) > 1 and "*" in items:
        yield field_error.invalid(path, items, f"if '*' is present, must not specify other {what}")


def _resource_errors(resources: list[str], path: str) -> Iterator[FieldError]:
    if not resources:
        yield field_error.required(path)
    yield from _wildcard_errors(resources, path)
    if len(resources) > 1 and "*/*" in resources:
        yield field_error.invalid(path, resources, "if '*/*' is present, must not specify other resources")
    whole = [each for each in resources if each and "/" not in each]
    if "*" in whole and whole[-1] != "*":  # the real server looks at the last one only
        text = "if '*' is present, must not specify other resources without subresources"
        yield field_error.invalid(path, resources, text)


def _wildcard_errors(resources: Sequence[str], path: str) -> Iterator[FieldError]:
    """Judge what an earlier entry with a `*` has said already."""
    all_parts: list[str] = []
    all_owners: list[str] = []
    for index, each in enumerate(resources):
        where = f"{path}[{index}]"
        if not each:
            yield field_error.required(where)
        plural, slash, part = each.partition("/")
        if not slash:
            continue
        if plural in all_parts:
            yield field_error.invalid(where, each, f"if '{plural}/*' is present, must not specify {each}")
        if part in all_owners:
            yield field_error.invalid(where, each, f"if '*/{part}' is present, must not specify {each}")
        all_parts += [plural] if part == "*" else []
        all_owners += [part] if plural == "*" else []
