"""Storage classes: who provides, when, and where; fixed once made but for what only affects new volumes."""

from __future__ import annotations

from collections import Counter
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import label_name_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_MOST_PARAMETERS: Final = 512
_LARGEST_PARAMETERS: Final = 256 * 1024  # bytes
_RECLAIM: Final = ("Delete", "Retain")
_BINDING: Final = ("Immediate", "WaitForFirstConsumer")
_ENOUGH: Final = 10_000  # faults, after which no more are looked for
_FIXED: Final = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")


def _validate(value: JsonObject) -> list[FieldError]:
    provisioner, reclaim, binding = (value.get(name) for name in ("provisioner", "reclaimPolicy", "volumeBindingMode"))
    errors = provisioner_errors(provisioner or "", "provisioner")
    errors += parameter_errors(value.get("parameters") or {})
    if reclaim and reclaim not in _RECLAIM:
        errors.append(field_error.not_supported("reclaimPolicy", reclaim, _RECLAIM))
    if binding is None:
        errors.append(field_error.required("volumeBindingMode"))
    elif binding not in _BINDING:
        errors.append(field_error.not_supported("volumeBindingMode", binding, _BINDING))
    return errors + _topology_errors(value)


def provisioner_errors(provisioner: str, path: str) -> list[FieldError]:
    """Judge the name of who provides."""
    if not provisioner:
        return [field_error.required(path)]
    name = provisioner.lower()
    return [field_error.invalid(path, name, wrong) for wrong in name_rules.qualified_name(name)]


def parameter_errors(parameters: JsonObject) -> list[FieldError]:
    """Judge what is told to who provides."""
    if len(parameters) > _MOST_PARAMETERS:
        return [field_error.too_long("parameters", _MOST_PARAMETERS)]
    errors = [field_error.invalid("parameters", key, "field can not be empty.") for key in parameters if not key]
    if sum(len(key.encode()) + len(text.encode()) for key, text in parameters.items()) > _LARGEST_PARAMETERS:
        errors.append(field_error.too_long("parameters", _LARGEST_PARAMETERS))
    return errors


def _topology_errors(value: JsonObject) -> list[FieldError]:
    errors: list[FieldError] = []
    terms = value.get("allowedTopologies") or ()
    # The real server compares each with as many empty ones as well.
    seen: Counter[tuple[tuple[str, tuple[str, ...]], ...]] = Counter({(): len(terms)})
    for index, term in enumerate(terms):
        path = f"allowedTopologies[{index}].matchLabelExpressions"
        wanted: dict[str, list[str]] = {}
        for number, requirement in enumerate(term.get("matchLabelExpressions") or ()):
            errors += _requirement_errors(requirement, f"{path}[{number}]", wanted)
            wanted[requirement.get("key", "")] = sorted(set(requirement.get("values") or ()))
        key = tuple(sorted((name, tuple(values)) for name, values in wanted.items()))
        errors += [field_error.duplicate(path, "")] * seen[key]
        seen[key] += 1
        if len(errors) > _ENOUGH:
            break
    return errors


def _requirement_errors(requirement: JsonObject, path: str, others: JsonObject) -> list[FieldError]:
    key, values = requirement.get("key", ""), requirement.get("values") or ()
    again = repeated(values)
    errors = [] if values else [field_error.required(f"{path}.values")]
    errors += [
        field_error.duplicate(f"{path}.values[{index}]", each) for index, each in enumerate(values) if index in again
    ]
    errors += label_name_errors(key, f"{path}.key")
    return [*errors, field_error.duplicate(f"{path}.key", key)] if key in others else errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    # It is judged as a new one as well, its metadata included.
    errors = new_metadata_errors(value["metadata"], _name_rule, namespaced=False) + _validate(value)
    return errors + [
        field_error.invalid(name, value.get(name), "field is immutable")
        for name in _FIXED
        if (value.get(name) or None) != (old.get(name) or None)
    ]


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return name_rules.dns_subdomain(name_rules.before_suffix(name) if is_prefix else name)


STORAGE_CLASS: Final = KindRules(validate=_validate, validate_update=_validate_update)
