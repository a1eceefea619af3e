"""What metadata may be, on a new object and on one that replaces another, in the words of Kubernetes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.apply.manager_name import manager_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"
STANDARD_FINALIZERS: Final = ("kubernetes", ORPHAN, FOREGROUND)  # without a domain; all others need one
_LARGEST_ANNOTATIONS: Final = 256 * 1024
_LONGEST_SUBRESOURCE: Final = 256
_IMMUTABLE: Final = "field is immutable"
_FIXED: Final = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
_TEXTS: Final = {"name", "namespace", "uid"}
_OWNER_FIELDS: Final = ("apiVersion", "kind", "name", "uid")

NameRule = Callable[..., list[str]]  # (name, *, is_prefix: bool) -> what is wrong


def new_metadata_errors(metadata: JsonObject, name_rule: NameRule, *, namespaced: bool) -> list[FieldError]:
    """Judge the metadata of an object, its name included."""
    errors = name_errors(metadata, name_rule)
    errors += _namespace_errors(metadata.get("namespace", ""), namespaced=namespaced)
    if metadata.get("generation", 0) < 0:
        generation = metadata["generation"]
        errors.append(field_error.invalid("metadata.generation", generation, "must be greater than or equal to 0"))
    errors += _map_errors(metadata)
    if owners := metadata.get("ownerReferences"):
        errors += _owner_errors(owners)
    if finalizers := metadata.get("finalizers"):
        errors += _finalizer_errors(finalizers)
    if managed := metadata.get("managedFields"):
        errors += _managed_errors(managed)
    return errors


def changed_metadata_errors(metadata: JsonObject, old: JsonObject) -> list[FieldError]:
    """Judge the metadata of an object that replaces another."""
    errors: list[FieldError] = []
    if "deletionTimestamp" in old:
        errors += _new_finalizer_errors(metadata.get("finalizers", ()), old.get("finalizers", ()))
    if metadata.get("generation", 0) < old.get("generation", 0):
        errors.append(
            field_error.invalid("metadata.generation", metadata.get("generation", 0), "must not be decremented")
        )
    errors += [
        field_error.invalid(f"metadata.{name}", metadata.get(name, "" if name in _TEXTS else None), _IMMUTABLE)
        for name in _FIXED
        if metadata.get(name) != old.get(name)
    ]
    errors += _map_errors(metadata)
    if owners := metadata.get("ownerReferences"):
        errors += _owner_errors(owners)
    if managed := metadata.get("managedFields"):
        errors += _managed_errors(managed)
    return errors


def path_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    """Judge a name by the least that is asked of every one."""
    return name_rules.path_segment(name, is_prefix=is_prefix)


def name_errors(metadata: JsonObject, name_rule: NameRule) -> list[FieldError]:
    """Judge the name, and the beginning of a generated one."""
    errors = []
    if prefix := metadata.get("generateName"):
        wrong = name_rule(prefix, is_prefix=True)
        errors += [field_error.invalid("metadata.generateName", prefix, text) for text in wrong]
    name = metadata.get("name")
    if not name:
        errors.append(field_error.required("metadata.name", "name or generateName is required"))
    else:
        errors += [field_error.invalid("metadata.name", name, text) for text in name_rule(name, is_prefix=False)]
    return errors


def _namespace_errors(namespace: str, *, namespaced: bool) -> list[FieldError]:
    if not namespaced:
        return [field_error.forbidden("metadata.namespace", "not allowed on this type")] if namespace else []
    if not namespace:
        return [field_error.required("metadata.namespace")]
    return [field_error.invalid("metadata.namespace", namespace, text) for text in name_rules.dns_label(namespace)]


def _map_errors(metadata: JsonObject) -> list[FieldError]:
    errors: list[FieldError] = []
    if labels := metadata.get("labels"):
        errors += label_errors(labels, "metadata.labels")
    if annotations := metadata.get("annotations"):
        errors += annotation_errors(annotations)
    return errors


def label_errors(labels: JsonObject, path: str) -> list[FieldError]:
    """Judge a map of labels."""
    errors = []
    for key, value in labels.items():
        errors += [field_error.invalid(path, key, text) for text in name_rules.qualified_name(key)]
        errors += [field_error.invalid(path, value, text) for text in name_rules.label_value(value)]
    return errors


def annotation_errors(annotations: JsonObject, path: str = "metadata.annotations") -> list[FieldError]:
    """Judge a map of annotations."""
    errors = [
        field_error.invalid(path, key, text) for key in annotations for text in name_rules.qualified_name(key.lower())
    ]
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > _LARGEST_ANNOTATIONS:
        errors.append(field_error.too_long(path, _LARGEST_ANNOTATIONS))
    return errors


def _owner_errors(owners: Sequence[JsonObject]) -> list[FieldError]:
    path, errors, controller = "metadata.ownerReferences", list[FieldError](), ""
    for owner in owners:
        errors += _one_owner_errors(owner, path)
        if not owner.get("controller"):
            continue
        name = f"{owner.get('kind', '')}/{owner.get('name', '')}"
        if controller:
            text = (
                'Only one reference can have Controller set to true. Found "true" in references for '
                f"{controller} and {name}"
            )
            errors.append(field_error.invalid(path, _as_go_writes(owners), text))
        controller = controller or name
    return errors


def _one_owner_errors(owner: JsonObject, path: str) -> list[FieldError]:
    api_version = owner.get("apiVersion", "")
    errors = []
    if not api_version.rpartition("/")[2] or api_version.count("/") > 1:
        errors.append(field_error.invalid(f"{path}.apiVersion", api_version, "version must not be empty"))
    errors += [
        field_error.invalid(f"{path}.{name}", "", "must not be empty")
        for name in ("kind", "name", "uid")
        if not owner.get(name)
    ]
    if (api_version, owner.get("kind")) == ("v1", "Event"):
        shown = msgspec.Raw(bytes(_as_go_writes([owner]))[1:-1])
        errors.append(field_error.invalid(path, shown, "/v1, Kind=Event is disallowed from being an owner"))
    return errors


def _as_go_writes(owners: Sequence[JsonObject]) -> msgspec.Raw:
    """Return owner references with their fields in the order of Go's type: the message shows them so."""
    ordered = [{name: owner.get(name, "") for name in _OWNER_FIELDS} | owner for owner in owners]
    return msgspec.Raw(msgspec.json.encode(ordered))


def _finalizer_errors(finalizers: Sequence[str]) -> list[FieldError]:
    path = "metadata.finalizers"
    errors = [
        field_error.invalid(path, finalizer, text)
        for finalizer in finalizers
        for text in name_rules.qualified_name(finalizer)
    ]
    if ORPHAN in finalizers and FOREGROUND in finalizers:
        text = f"finalizer {ORPHAN} and {FOREGROUND} cannot be both set"
        errors.append(field_error.invalid(path, list(finalizers), text))
    return errors


def _new_finalizer_errors(finalizers: Sequence[str], old: Sequence[str]) -> list[FieldError]:
    added = sorted({name for name in finalizers if name not in old})
    if not added:
        return []
    shown = ", ".join(quoted(name) for name in added)
    text = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{shown}}}"
    return [field_error.forbidden("metadata.finalizers", text)]


def _managed_errors(entries: Sequence[JsonObject]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, entry in enumerate(entries):
        path = f"metadata.managedFields[{index}]"
        operation: Any = entry.get("operation", "")
        if operation not in ("Apply", "Update"):
            errors.append(field_error.invalid(f"{path}.operation", operation, "must be `Apply` or `Update`"))
        if entry.get("fieldsType", "FieldsV1") != "FieldsV1":
            errors.append(field_error.invalid(f"{path}.fieldsType", entry["fieldsType"], "must be `FieldsV1`"))
        errors += manager_errors(entry.get("manager", ""), f"{path}.manager")
        if len(entry.get("subresource", "").encode()) > _LONGEST_SUBRESOURCE:
            errors.append(field_error.too_long(f"{path}.subresource", _LONGEST_SUBRESOURCE))
    return errors
