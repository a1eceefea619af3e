"""Flow schemas: which requests are of which priority level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.mandatory_flow import fixed_flow_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_KINDS: Final = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_METHODS: Final = ("ByNamespace", "ByUser")
_LAST: Final = 10000
_VERBS: Final = (
    *("create", "delete", "deletecollection", "get", "list", "patch", "proxy"),
    *("update", "watch"),
)
_EACH_NAMESPACE: Final = "each member of this list must be '*' or a DNS-1123 label; "


def _validate(value: JsonObject) -> list[FieldError]:
    spec, errors = value.get("spec") or {}, list[FieldError]()
    errors += _precedence_errors(spec.get("matchingPrecedence", 0), value["metadata"].get("name", ""))
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type", "") not in _METHODS:
        shown = {"Type": method.get("type", "")}  # as the internal type spells it
        errors.append(field_error.not_supported("spec.distinguisherMethod.type", shown, _METHODS))
    level, path = (spec.get("priorityLevelConfiguration") or {}).get("name", ""), "spec.priorityLevelConfiguration.name"
    if not level:
        errors.append(field_error.required(path, "must reference a priority level"))
    else:
        errors += [field_error.invalid(path, level, wrong) for wrong in name_rules.dns_subdomain(level)]
    for index, rule in enumerate(spec.get("rules") or ()):
        errors += _rule_errors(rule, f"spec.rules[{index}]")
    return [*errors, *fixed_flow_errors(spec, value["metadata"].get("name", ""))]


def _precedence_errors(precedence: int, name: str) -> Iterator[FieldError]:
    path = "spec.matchingPrecedence"
    if precedence <= 0:
        yield field_error.invalid(path, precedence, "must be a positive value")
    if precedence > _LAST:
        yield field_error.invalid(path, precedence, f"must not be greater than {_LAST}")
    if precedence == 1 and name != "exempt":
        wrong = "only the schema named 'exempt' may have matchingPrecedence 1"
        yield field_error.invalid(path, precedence, wrong)


def _rule_errors(rule: JsonObject, path: str) -> Iterator[FieldError]:
    if not rule.get("subjects"):
        yield field_error.required(f"{path}.subjects", "subjects must contain at least one value")
    for index, subject in enumerate(rule.get("subjects") or ()):
        yield from _subject_errors(subject, f"{path}.subjects[{index}]")
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        yield field_error.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")
    for index, each in enumerate(rule.get("resourceRules") or ()):
        yield from _resource_errors(each, f"{path}.resourceRules[{index}]")
    for index, each in enumerate(rule.get("nonResourceRules") or ()):
        yield from _url_errors(each, f"{path}.nonResourceRules[{index}]")


def _subject_errors(subject: JsonObject, path: str) -> Iterator[FieldError]:
    kind = subject.get("kind", "")
    if kind not in _KINDS:
        yield field_error.not_supported(f"{path}.kind", kind, _KINDS)
        return
    own = _KINDS[kind]
    if subject.get(own) is None:
        yield field_error.required(f"{path}.{own}", f"{own} is required when subject kind is '{kind}'")
    else:
        yield from _named_errors(subject[own], f"{path}.{own}", is_account=kind == "ServiceAccount")
    for other, name in {"ServiceAccount": "serviceAccount", "User": "user", "Group": "group"}.items():
        if other != kind and subject.get(name) is not None:
            yield field_error.forbidden(f"{path}.{name}", f"{name} is forbidden when subject kind is not '{other}'")


def _named_errors(subject: JsonObject, path: str, *, is_account: bool) -> Iterator[FieldError]:
    name, namespace = subject.get("name", ""), subject.get("namespace", "")
    if not name:
        yield field_error.required(f"{path}.name")
    elif is_account and name != "*":
        yield from (field_error.invalid(f"{path}.name", name, wrong) for wrong in name_rules.dns_subdomain(name))
    if is_account and not namespace:
        yield field_error.required(f"{path}.namespace", "must specify namespace for service account")
    elif is_account:
        where = f"{path}.namespace"
        yield from (field_error.invalid(where, namespace, wrong) for wrong in name_rules.dns_label(namespace))


def _verb_errors(verbs: list[str], path: str) -> Iterator[FieldError]:
    yield from _list_errors(verbs, path, missing="verbs must contain at least one value", others="verbs")
    if verbs and "*" not in verbs and any(verb not in _VERBS for verb in verbs):
        yield field_error.not_supported(path, verbs, _VERBS)


def _list_errors(items: list[str], path: str, *, missing: str, others: str) -> Iterator[FieldError]:
    """Judge a list that must have items, and no others beside `*`."""
    if not items:
        yield field_error.required(path, missing)
    elif len(items) > 1 and "*" in items:
        yield field_error.invalid(path, items, f"if '*' is present, must not specify other {others}")


def _resource_errors(rule: JsonObject, path: str) -> Iterator[FieldError]:
    yield from _verb_errors(rule.get("verbs") or [], f"{path}.verbs")
    for name, one, others in (("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")):
        missing = f"resource rules must supply at least one {one}"
        yield from _list_errors(rule.get(name) or [], f"{path}.{name}", missing=missing, others=others)
    namespaces, where = rule.get("namespaces") or [], f"{path}.namespaces"
    if namespaces or not rule.get("clusterScope"):
        missing = "resource rules that are not cluster scoped must supply at least one namespace"
        yield from _list_errors(namespaces, where, missing=missing, others="namespaces")
    for index, name in enumerate(namespaces if "*" not in namespaces else ()):
        for wrong in name_rules.dns_label(name):
            yield field_error.invalid(f"{where}[{index}]", name, f"{_EACH_NAMESPACE}{wrong}")


def _url_errors(rule: JsonObject, path: str) -> Iterator[FieldError]:
    yield from _verb_errors(rule.get("verbs") or [], f"{path}.verbs")
    urls, where = rule.get("nonResourceURLs") or [], f"{path}.nonResourceURLs"
    missing = "nonResourceURLs must contain at least one value"
    yield from _list_errors(urls, where, missing=missing, others="non-resource URLs")
    for index, url in enumerate(urls if "*" not in urls else ()):
        if wrong := _url_fault(url):
            yield field_error.invalid(f"{where}[{index}]", url, wrong)


def _url_fault(url: str) -> str:
    if not url:
        return "must not be empty"
    if not url.startswith("/"):
        return "must start with slash"
    if " " in url:
        return "must not contain white-space"
    if "//" in url:
        return "must not contain double slash"
    is_odd = url.count("*") > 1 or ("*" in url and not url.endswith("/*"))
    return "wildcard can only do suffix matching" if is_odd else ""


def status_errors(value: JsonObject) -> list[FieldError]:
    """Judge the conditions of flow schemas and of priority levels: each type once."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, condition in enumerate((value.get("status") or {}).get("conditions") or ()):
        path, kind = f"status.conditions[{index}].type", condition.get("type", "")
        errors += [field_error.duplicate(path, kind)] if kind in seen else []
        errors += [] if kind else [field_error.required(path)]
        seen.add(kind)
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - all of it may change
    return status_errors(value) if subresource == "status" else _validate(value)


FLOW_SCHEMA: Final = KindRules(validate=_validate, validate_update=_validate_update)
