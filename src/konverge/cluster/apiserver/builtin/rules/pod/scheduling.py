"""Where a pod may run: tolerations, affinity, spreading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.label_selector import label_name_errors, selector_errors
from konverge.cluster.apiserver.builtin.rules.number_rules import positive
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_label, dns_subdomain, label_value
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ALL_KEYS: Final = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_HEAVIEST: Final = 100
_UNSATISFIABLE: Final = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION: Final = ("Honor", "Ignore")


def toleration_errors(tolerations: list[JsonObject], path: str) -> Iterator[FieldError]:
    """Judge which taints a pod tolerates."""
    for index, toleration in enumerate(tolerations):
        where, key, effect = f"{path}[{index}]", toleration.get("key", ""), toleration.get("effect", "")
        operator = toleration.get("operator", "")
        if key:
            yield from label_name_errors(key, f"{where}.key")
        elif operator != "Exists":
            yield field_error.invalid(f"{where}.operator", field_error.named(operator), _ALL_KEYS)
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            wrong = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield field_error.invalid(f"{where}.effect", field_error.named(effect), wrong)
        yield from _operator_errors(operator, toleration.get("value", ""), path=f"{where}.operator")
        if effect and effect not in _EFFECTS:
            yield field_error.not_supported(f"{where}.effect", effect, _EFFECTS)


def _operator_errors(operator: str, value: str, *, path: str) -> Iterator[FieldError]:
    if operator in ("Equal", ""):
        if wrong := label_value(value):
            yield field_error.invalid(path, value, ";".join(wrong))
    elif operator == "Exists":
        if value:
            yield field_error.invalid(path, value, "value must be empty when `operator` is 'Exists'")
    elif operator in ("Lt", "Gt"):
        yield field_error.not_supported(path, operator, ("Equal", "Exists", "Lt", "Gt"))
    else:
        yield field_error.not_supported(path, operator, ("Equal", "Exists"))


def affinity_errors(affinity: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge which nodes a pod is drawn to, and which pods it is with or without."""
    if (nodes := affinity.get("nodeAffinity")) is not None:
        yield from _node_affinity_errors(nodes, f"{path}.nodeAffinity")
    for name in ("podAffinity", "podAntiAffinity"):
        if (pods := affinity.get(name)) is not None:
            yield from _pod_affinity_errors(pods, f"{path}.{name}")


def _node_affinity_errors(nodes: JsonObject, path: str) -> Iterator[FieldError]:
    if (required := nodes.get(_REQUIRED)) is not None:
        yield from node_selector_errors(required, f"{path}.{_REQUIRED}")
    for index, preferred in enumerate(nodes.get(_PREFERRED) or ()):
        where = f"{path}.{_PREFERRED}[{index}]"
        yield from _weight_errors(preferred, where)
        yield from _node_term_errors(preferred.get("preference") or {}, f"{where}.preference", is_strict=False)


def node_selector_errors(selector: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge what nodes must be like."""
    terms, where = selector.get("nodeSelectorTerms") or (), f"{path}.nodeSelectorTerms"
    if not terms:
        yield field_error.required(where, "must have at least one node selector term")
    for index, term in enumerate(terms):
        yield from _node_term_errors(term, f"{where}[{index}]", is_strict=True)


def _weight_errors(holder: JsonObject, path: str) -> Iterator[FieldError]:
    weight = holder.get("weight", 0)
    if not 1 <= weight <= _HEAVIEST:
        yield field_error.invalid(f"{path}.weight", weight, "must be in the range 1-100")


def _node_term_errors(term: JsonObject, path: str, *, is_strict: bool) -> Iterator[FieldError]:
    for index, requirement in enumerate(term.get("matchExpressions") or ()):
        yield from _node_label_errors(requirement, f"{path}.matchExpressions[{index}]", is_strict=is_strict)
    for index, requirement in enumerate(term.get("matchFields") or ()):
        yield from _node_field_errors(requirement, f"{path}.matchFields[{index}]")


def _node_label_errors(requirement: JsonObject, path: str, *, is_strict: bool) -> Iterator[FieldError]:
    operator, values = requirement.get("operator", ""), requirement.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            yield field_error.required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            wrong = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield field_error.forbidden(f"{path}.values", wrong)
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            needed = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            yield field_error.required(f"{path}.values", needed)
    else:
        yield field_error.invalid(f"{path}.operator", field_error.named(operator), "not a valid selector operator")
    yield from label_name_errors(requirement.get("key", ""), f"{path}.key")
    for index, value in enumerate(values if is_strict else ()):
        yield from (field_error.invalid(f"{path}.values[{index}]", value, wrong) for wrong in label_value(value))


def _node_field_errors(requirement: JsonObject, path: str) -> Iterator[FieldError]:
    operator, values = requirement.get("operator", ""), requirement.get("values") or ()
    if operator not in ("In", "NotIn"):
        yield field_error.invalid(f"{path}.operator", field_error.named(operator), "not a valid selector operator")
    elif len(values) != 1:
        needed = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield field_error.required(f"{path}.values", needed)
    if requirement.get("key", "") != "metadata.name":
        yield field_error.invalid(f"{path}.key", requirement.get("key", ""), "not a valid field selector key")
        return
    for index, value in enumerate(values):
        yield from (field_error.invalid(f"{path}.values[{index}]", value, wrong) for wrong in dns_subdomain(value))


def _pod_affinity_errors(pods: JsonObject, path: str) -> Iterator[FieldError]:
    for index, term in enumerate(pods.get(_REQUIRED) or ()):
        yield from _pod_term_errors(term, f"{path}.{_REQUIRED}[{index}]")
    for index, weighted in enumerate(pods.get(_PREFERRED) or ()):
        where = f"{path}.{_PREFERRED}[{index}]"
        yield from _weight_errors(weighted, where)
        yield from _pod_term_errors(weighted.get("podAffinityTerm") or {}, f"{where}.podAffinityTerm")


def _pod_term_errors(term: JsonObject, path: str) -> Iterator[FieldError]:
    for name in ("labelSelector", "namespaceSelector"):
        yield from selector_errors(term.get(name), f"{path}.{name}")
    for name in term.get("namespaces") or ():
        yield from (field_error.invalid(f"{path}.namespace", name, wrong) for wrong in dns_label(name))
    yield from _label_key_errors(term, path)
    key = term.get("topologyKey", "")
    if not key:
        yield field_error.required(f"{path}.topologyKey", "can not be empty")
    yield from label_name_errors(key, f"{path}.topologyKey")


def _label_key_errors(term: JsonObject, path: str) -> Iterator[FieldError]:
    selector, others = term.get("labelSelector"), term.get("mismatchLabelKeys") or ()
    keys = term.get("matchLabelKeys") or []
    for name, given in (("matchLabelKeys", keys), ("mismatchLabelKeys", others)):
        if given and selector is None:
            wrong = "must not be specified when labelSelector is not set"
            yield field_error.forbidden(f"{path}.{name}", wrong)
            continue
        for index, key in enumerate(given):
            yield from label_name_errors(key, f"{path}.{name}[{index}]")
    yield from _asked_twice_errors(keys, selector or {}, path=path)
    for index, key in enumerate(keys):
        if key in others:
            wrong = "exists in both matchLabelKeys and mismatchLabelKeys"
            yield field_error.invalid(f"{path}.matchLabelKeys[{index}]", key, wrong)


def _asked_twice_errors(keys: list[str], selector: JsonObject, *, path: str) -> Iterator[FieldError]:
    seen = set(selector.get("matchLabels") or ())
    for requirement in selector.get("matchExpressions") or ():
        key = requirement.get("key", "")
        if key in keys and key in seen:
            wrong = "exists in both matchLabelKeys and labelSelector"
            yield field_error.invalid(f"{path}[{keys.index(key)}]", key, wrong)
        seen.add(key)


def spread_errors(constraints: list[JsonObject], path: str) -> Iterator[FieldError]:
    """Judge how pods are spread."""
    again = repeated(map(_key, reversed(constraints)))  # of two, the first is named
    for index, constraint in enumerate(constraints):
        where, (key, action) = f"{path}[{index}]", _key(constraint)
        yield from positive(constraint.get("maxSkew", 0), f"{where}.maxSkew")
        if not key:
            yield field_error.required(f"{where}.topologyKey", "can not be empty")
        if action not in _UNSATISFIABLE:
            yield field_error.not_supported(f"{where}.whenUnsatisfiable", action, _UNSATISFIABLE)
        if len(constraints) - 1 - index in again:
            yield field_error.duplicate(f"{where}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}")
        yield from _domain_errors(constraint, where, action=action)
        yield from _label_key_errors(constraint, where)
        yield from selector_errors(constraint.get("labelSelector"), f"{where}.labelSelector")


def _key(constraint: JsonObject) -> tuple[str, str]:
    return constraint.get("topologyKey", ""), constraint.get("whenUnsatisfiable", "")


def _domain_errors(constraint: JsonObject, path: str, *, action: str) -> Iterator[FieldError]:
    if (least := constraint.get("minDomains")) is not None:
        yield from positive(least, f"{path}.minDomains")
        if action != "DoNotSchedule":
            wrong = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
            yield field_error.invalid(f"{path}.minDomains", least, wrong)
    for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        policy = constraint.get(name)
        if policy is not None and policy not in _INCLUSION:
            yield field_error.not_supported(f"{path}.{name}", policy, _INCLUSION)
