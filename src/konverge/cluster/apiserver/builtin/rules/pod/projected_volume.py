"""Volumes that are made of parts of other objects: each file has one place, and no part reaches out of the volume.

Bundles of trust and certificates of the pod are not here: their features are off, and `disabled_fields` drops them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.pod.container_env import (
    VOLUME_FIELDS,
    field_ref_errors,
    resource_ref_errors,
)
from konverge.cluster.apiserver.builtin.rules.pod.container_mounts import descending_path_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_MODE_TEXT: Final = "must be a number between 0 and 0777 (octal), both inclusive"
_LARGEST_MODE: Final = 0o777
_SHORTEST_TOKEN: Final = 600  # seconds
_LONGEST_TOKEN: Final = 2**32
_TWO_PLACES: Final = "conflicting duplicate paths"


def secret_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a volume of the keys of a Secret."""
    yield from _whole_errors(source, path, name="secretName")


def config_map_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a volume of the keys of a ConfigMap."""
    yield from _whole_errors(source, path, name="name")


def _whole_errors(source: JsonObject, path: str, *, name: str) -> Iterator[FieldError]:
    if not source.get(name):
        yield field_error.required(f"{path}.{name}")
    yield from _mode_errors(source, "defaultMode", path)
    yield from _item_errors(source, path)


def _item_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    for index, item in enumerate(source.get("items") or ()):
        where = f"{path}.items[{index}]"
        if not item.get("key"):
            yield field_error.required(f"{where}.key")
        if not item.get("path"):
            yield field_error.required(f"{where}.path")
        yield from _file_path_errors(item.get("path", ""), f"{where}.path")
        yield from _mode_errors(item, "mode", where)


def _mode_errors(holder: JsonObject, name: str, path: str) -> Iterator[FieldError]:
    mode = holder.get(name)
    if mode is not None and not 0 <= mode <= _LARGEST_MODE:
        yield field_error.invalid(f"{path}.{name}", mode, _MODE_TEXT)


def _file_path_errors(target: str, path: str) -> Iterator[FieldError]:
    yield from descending_path_errors(target, path)
    if target.startswith("..") and not target.startswith("../"):
        yield field_error.invalid(path, target, "must not start with '..'")


def downward_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a volume of what the pod says of itself."""
    yield from _mode_errors(source, "defaultMode", path)
    for item in source.get("items") or ():
        yield from _downward_file_errors(item, path)


def _downward_file_errors(file: JsonObject, path: str) -> Iterator[FieldError]:
    if not file.get("path"):
        yield field_error.required(f"{path}.path")
    yield from _file_path_errors(file.get("path", ""), f"{path}.path")
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if field is not None:
        yield from field_ref_errors(field, f"{path}.fieldRef", allowed=VOLUME_FIELDS)
        if resource is not None:
            wrong = "fieldRef and resourceFieldRef can not be specified simultaneously"
            yield field_error.invalid(path, "resource", wrong)
    elif resource is not None:
        yield from resource_ref_errors(resource, f"{path}.resourceFieldRef", of_volume=True)
    else:
        yield field_error.required(path, "one of fieldRef and resourceFieldRef is required")
    yield from _mode_errors(file, "mode", path)


def projected_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a volume of several sources."""
    yield from _mode_errors(source, "defaultMode", path)
    taken: set[str] = set()
    for index, part in enumerate(source.get("sources") or ()):
        where = f"{path}.sources[{index}]"
        for name in ("secret", "configMap"):
            if (found := part.get(name)) is not None:
                yield from _projected_items_errors(found, f"{where}.{name}", whole=path, taken=taken)
        if (found := part.get("downwardAPI")) is not None:
            yield from _projected_files_errors(found, f"{where}.downwardAPI", whole=path, taken=taken)
        if (found := part.get("serviceAccountToken")) is not None:
            yield from _token_errors(found, f"{where}.serviceAccountToken", whole=path)
        if sum(each is not None for each in part.values()) > 1:
            yield field_error.forbidden(where, "may not specify more than 1 volume type per source")


def _projected_items_errors(source: JsonObject, path: str, *, whole: str, taken: set[str]) -> Iterator[FieldError]:
    if not source.get("name"):
        yield field_error.required(f"{path}.name")
    yield from _item_errors(source, path)
    for item in source.get("items") or ():
        if item.get("path") in taken:
            yield field_error.invalid(whole, source.get("name", ""), _TWO_PLACES)
        taken.add(item.get("path") or "")
    taken.discard("")


def _projected_files_errors(source: JsonObject, path: str, *, whole: str, taken: set[str]) -> Iterator[FieldError]:
    for file in source.get("items") or ():
        yield from _downward_file_errors(file, path)
        if file.get("path") in taken:
            yield field_error.invalid(whole, file["path"], _TWO_PLACES)
        taken.add(file.get("path") or "")
    taken.discard("")


def _token_errors(token: JsonObject, path: str, *, whole: str) -> Iterator[FieldError]:
    seconds = token.get("expirationSeconds", 0)
    if seconds < _SHORTEST_TOKEN:
        wrong = "may not specify a duration less than 10 minutes"
        yield field_error.invalid(f"{path}.expirationSeconds", seconds, wrong)
    if seconds > _LONGEST_TOKEN:
        wrong = "may not specify a duration larger than 2^32 seconds"
        yield field_error.invalid(f"{path}.expirationSeconds", seconds, wrong)
    if not token.get("path"):
        yield field_error.required(f"{whole}.path")
    else:
        yield from _file_path_errors(token["path"], f"{whole}.path")
