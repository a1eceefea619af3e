"""Embedded objects (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata are checked as an object's.

`coerce` runs when a value is read: metadata keeps only the fields that it has. `check_embedded` says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from konverge.cluster.apiserver.builtin.go_value import Unreadable, time_text
from konverge.cluster.apiserver.field_error import FieldError, forbidden, invalid, required
from konverge.cluster.apiserver.name_rules import (
    dns_1035_label,
    dns_label,
    label_value,
    path_segment,
    qualified_name,
)
from konverge.cluster.apiserver.schema.go_value import told
from konverge.cluster.apiserver.schema.structural import Structural

# The fields of metadata with the types that Go names in its messages.
_TYPES: Final = {
    "name": "string",
    "generateName": "string",
    "namespace": "string",
    "selfLink": "string",
    "uid": "types.UID",
    "resourceVersion": "string",
    "generation": "int64",
    "creationTimestamp": "v1.Time",
    "deletionTimestamp": "v1.Time",
    "deletionGracePeriodSeconds": "int64",
    "labels": "map[string]string",
    "annotations": "map[string]string",
    "ownerReferences": "[]v1.OwnerReference",
    "finalizers": "[]string",
    "managedFields": "[]v1.ManagedFieldsEntry",
}
_JSON_NAMES: Final = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}
_GO_KINDS: Final[dict[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "types.UID": lambda value: isinstance(value, str),
    "int64": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "v1.Time": lambda value: isinstance(value, str),
}


class Uncoercible(Exception):
    """An embedded object's metadata cannot be read; `error` says which and why."""

    def __init__(self, error: FieldError) -> None:
        super().__init__(str(error))
        self.error = error


def coerce(value: Any, node: Structural | None, path: str = "", *, is_root: bool = False) -> list[str]:
    """Reduce the metadata of embedded objects to what metadata has; return the paths of what was dropped, sorted.

    Raise `Uncoercible` where something is of another type than metadata's.
    """
    if node is None or not (node.has_embedded or is_root):
        return []
    return sorted(_coerce(value, node, path, is_embedded=is_root or node.is_embedded))


def _coerce(value: Any, node: Structural | None, path: str, *, is_embedded: bool) -> Iterator[str]:
    if node is None or not (node.has_embedded or is_embedded):
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _below(item, node.items, f"{path}[{index}]")
    elif isinstance(value, dict):
        if is_embedded:
            yield from _coerce_meta(value, path)
        for name, item in value.items():
            if name in node.properties:
                yield from _below(item, node.properties[name], _joined(path, name))
            else:
                yield from _below(item, node.additional, f"{path}[{name}]")


def _below(value: Any, node: Structural | None, path: str) -> Iterator[str]:
    if node is not None:
        yield from _coerce(value, node, path, is_embedded=node.is_embedded)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _coerce_meta(value: dict[str, Any], path: str) -> Iterator[str]:
    for name in ("apiVersion", "kind"):
        if name in value and not isinstance(value[name], str):
            raise Uncoercible(invalid(_joined(path, name), value[name], "must be a string"))
    if "metadata" not in value:
        return
    metadata = value["metadata"]
    where = _joined(path, "metadata")
    wrong = metadata_fault(metadata)
    if wrong:
        raise Uncoercible(invalid(where, told(metadata), wrong))
    yield from (f"{where}.{name}" for name in metadata or {} if name not in _TYPES)
    value["metadata"] = {
        name: time_text(item) if _TYPES[name] == "v1.Time" else item
        for name, item in (metadata or {}).items()
        if name in _TYPES and item not in (None, "", {}, [], 0)
    }


def metadata_fault(metadata: Any) -> str:
    """Say in Go's words why a value cannot be read as metadata; empty: it can."""
    if metadata is None:
        return ""
    if not isinstance(metadata, dict):
        return f"json: cannot unmarshal {_JSON_NAMES[type(metadata)]} into Go value of type v1.ObjectMeta"
    for name, item in metadata.items():
        wanted = _TYPES.get(name)
        if wanted is not None and item is not None:
            wrong = _field_fault(name, item, wanted)
            if wrong:
                return wrong
    return ""


def _field_fault(name: str, value: Any, wanted: str) -> str:
    test = _GO_KINDS.get(wanted)
    if test is not None and not test(value):
        return _cannot(value, name, wanted)
    if test is not None:
        return _time_fault(value) if wanted == "v1.Time" else ""
    if wanted.startswith("map"):
        if not isinstance(value, dict):
            return _cannot(value, name, wanted)
        bad = [item for item in value.values() if item is not None and not isinstance(item, str)]
        return _cannot(bad[0], name, "string") if bad else ""
    if not isinstance(value, list):
        return _cannot(value, name, wanted)
    bad = [item for item in value if not isinstance(item, str if wanted == "[]string" else dict)]
    return _cannot(bad[0], name, wanted.removeprefix("[]")) if bad else ""


def _time_fault(value: str) -> str:
    try:
        time_text(value)
    except Unreadable as wrong:
        return str(wrong)
    return ""


def _cannot(value: Any, name: str, wanted: str) -> str:
    return f"json: cannot unmarshal {_JSON_NAMES[type(value)]} into Go struct field ObjectMeta.{name} of type {wanted}"


def check_embedded(value: Any, node: Structural | None, path: str = "", *, is_root: bool = False) -> list[FieldError]:
    """Say what is wrong with the apiVersion, kind and metadata of embedded objects."""
    if node is None or not (node.has_embedded or is_root):
        return []
    errors: list[FieldError] = []
    if isinstance(value, list):
        for index, item in enumerate(value):
            errors += check_embedded(item, node.items, f"{path}[{index}]")
    elif isinstance(value, dict):
        if is_root or node.is_embedded:
            errors += _meta_faults(value, path)
        for name, item in value.items():
            if name in node.properties:
                errors += check_embedded(item, node.properties[name], _joined(path, name))
            else:
                errors += check_embedded(item, node.additional, f"{path}[{name}]")
    return errors


def _meta_faults(value: dict[str, Any], path: str) -> Iterator[FieldError]:
    for name in ("apiVersion", "kind"):
        if name not in value:
            yield required(_joined(path, name))
    for name, item in value.items():
        if name == "apiVersion":
            yield from _version_faults(item, _joined(path, name))
        elif name == "kind":
            yield from _kind_faults(item, _joined(path, name))
        elif name == "metadata":
            yield from _metadata_faults(item, _joined(path, name))


def _version_faults(value: Any, path: str) -> Iterator[FieldError]:
    if not isinstance(value, str):
        yield invalid(path, value, "must be a string")
    elif not value:
        yield invalid(path, value, "must not be empty")
    elif value.count("/") > 1:
        yield invalid(path, value, f"unexpected GroupVersion string: {value}")


def _kind_faults(value: Any, path: str) -> Iterator[FieldError]:
    if not isinstance(value, str):
        yield invalid(path, value, "must be a string")
    elif not value:
        yield invalid(path, value, "must not be empty")
    elif wrong := dns_1035_label(value.lower()):
        yield invalid(path, value, "may have mixed case, but should otherwise match: " + ",".join(wrong))


def _metadata_faults(metadata: Any, path: str) -> Iterator[FieldError]:
    wrong = metadata_fault(metadata)
    if wrong:
        yield invalid(path, told(metadata), wrong)
        return
    metadata = metadata or {}
    if prefix := metadata.get("generateName"):
        for text in path_segment(prefix, is_prefix=True):
            yield invalid(f"{path}.generateName", prefix, text)
    for text in path_segment(metadata.get("name") or "fakename"):
        yield invalid(f"{path}.name", metadata["name"], text)
    if namespace := metadata.get("namespace"):
        for text in dns_label(namespace):
            yield invalid(f"{path}.namespace", namespace, text)
    if (metadata.get("generation") or 0) < 0:
        yield invalid(f"{path}.generation", metadata["generation"], "must be greater than or equal to 0")
    yield from _label_faults(metadata, path)


def _label_faults(metadata: dict[str, Any], path: str) -> Iterator[FieldError]:
    for key, value in (metadata.get("labels") or {}).items():
        for text in qualified_name(key):
            yield invalid(f"{path}.labels", key, text)
        for text in label_value(value or ""):
            yield invalid(f"{path}.labels", value, text)
    for key in metadata.get("annotations") or {}:
        for text in qualified_name(key.lower()):
            yield invalid(f"{path}.annotations", key, text)
    for name in metadata.get("finalizers") or []:
        for text in qualified_name(name):
            yield invalid(f"{path}.finalizers", name, text)
    yield from _owner_faults(metadata.get("ownerReferences") or [], f"{path}.ownerReferences")


def _owner_faults(owners: list[dict[str, Any]], path: str) -> Iterator[FieldError]:
    for owner in owners:
        if not owner.get("apiVersion"):
            yield invalid(f"{path}.apiVersion", "", "version must not be empty")
        for name in ("kind", "name", "uid"):
            if not owner.get(name):
                yield invalid(f"{path}.{name}", "", "must not be empty")
    controllers = [f"{owner.get('kind')}/{owner.get('name')}" for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        yield forbidden(path, f"Only one reference can have Controller set to true: {' and '.join(controllers)}")
