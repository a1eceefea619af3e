"""What is wrong with an access review, in the real server's words."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import label_value, qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_TOGETHER: Final = "cannot be specified in combination with resourceAttributes"
_NEITHER: Final = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
_ATTRIBUTES: Final = "spec.resourceAttributes"
# The order in which Go prints metadata, and an entry of its managedFields.
_METADATA: Final = (
    *("name", "generateName", "namespace", "resourceVersion", "generation", "labels", "annotations"),
    *("ownerReferences", "finalizers", "managedFields"),
)
_ENTRY: Final = ("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource")


def review_errors(value: JsonObject, *, has_subject: bool, is_local: bool = False) -> list[FieldError]:
    """Judge an access review."""
    spec = value.get("spec") or {}
    errors = _exactly_one(spec)
    if has_subject and not spec.get("user") and not spec.get("groups"):
        errors.append(field_error.invalid("spec.user", "", "at least one of user or group must be specified"))
    for name in ("fieldSelector", "labelSelector"):
        errors += _selector_errors((spec.get("resourceAttributes") or {}).get(name), name)
    errors += _metadata_errors(value["metadata"], is_local=is_local)
    return errors + _local_errors(spec, value["metadata"]) if is_local else errors


def _exactly_one(spec: JsonObject) -> list[FieldError]:
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and other is not None:
        return [field_error.invalid("spec.nonResourceAttributes", _go_form(other), _TOGETHER)]
    if resource is None and other is None:
        return [field_error.invalid(_ATTRIBUTES, None, _NEITHER)]
    return []


def _go_form(attributes: JsonObject) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode({"Path": attributes.get("path", ""), "Verb": attributes.get("verb", "")}))


def _metadata_errors(metadata: JsonObject, *, is_local: bool) -> list[FieldError]:
    allowed = ("managedFields", "namespace") if is_local else ("managedFields",)
    if not any(metadata[name] for name in metadata if name not in allowed):
        return []
    shown = {name: metadata[name] for name in _METADATA if metadata.get(name)}
    if "managedFields" in shown:
        shown["managedFields"] = [_ordered(entry) for entry in shown["managedFields"]]
    detail = "must be empty except for namespace" if is_local else "must be empty"
    return [field_error.invalid("metadata", msgspec.Raw(msgspec.json.encode(shown)), detail)]


def _ordered(entry: JsonObject) -> JsonObject:
    fields = msgspec.Raw(msgspec.json.encode(entry["fieldsV1"], order="sorted"))
    return {name: fields if name == "fieldsV1" else entry[name] for name in _ENTRY if name in entry}


def _local_errors(spec: JsonObject, metadata: JsonObject) -> list[FieldError]:
    errors = []
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and resource.get("namespace", "") != metadata.get("namespace", ""):
        namespace = resource.get("namespace", "")
        errors.append(field_error.invalid(f"{_ATTRIBUTES}.namespace", namespace, "must match metadata.namespace"))
    if other is not None:
        what = "disallowed on this kind of request"
        errors.append(field_error.invalid("spec.nonResourceAttributes", _go_form(other), what))
    return errors


def _selector_errors(selector: JsonObject | None, name: str) -> list[FieldError]:
    if selector is None:
        return []
    path = f"{_ATTRIBUTES}.{name}"
    text, requirements = selector.get("rawSelector", ""), selector.get("requirements") or []
    errors = []
    if text and requirements:
        twice = "may not specified at the same time as requirements"
        errors.append(field_error.invalid(f"{path}.rawSelector", text, twice))
    if not text and not requirements:
        needed = f"when {path} is specified, requirements or rawSelector is required"
        errors.append(field_error.required(f"{path}.requirements", needed))
    judge = _label_errors if name == "labelSelector" else _field_errors
    for index, requirement in enumerate(requirements):
        errors += judge(requirement, f"{path}.requirements[{index}]")
    return errors


def _field_errors(requirement: JsonObject, path: str) -> list[FieldError]:
    absent = [] if requirement.get("key") else [field_error.required(f"{path}.key", "must be specified")]
    return absent + _value_errors(requirement, path)


def _label_errors(requirement: JsonObject, path: str) -> list[FieldError]:
    key = requirement.get("key", "")
    errors = _value_errors(requirement, path)
    errors += [field_error.invalid(f"{path}.key", key, wrong) for wrong in qualified_name(key)]
    for index, value in enumerate(requirement.get("values") or ()):
        errors += [field_error.invalid(f"{path}.values[{index}]", value, wrong) for wrong in label_value(value)]
    return errors


def _value_errors(requirement: JsonObject, path: str) -> list[FieldError]:
    operator: Any = requirement.get("operator")
    values = requirement.get("values")
    if operator in ("In", "NotIn") and not values:
        needed = "must be specified when `operator` is 'In' or 'NotIn'"
        return [field_error.required(f"{path}.values", needed)]
    if operator in ("Exists", "DoesNotExist") and values:
        wrong = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [field_error.forbidden(f"{path}.values", wrong)]
    return []
