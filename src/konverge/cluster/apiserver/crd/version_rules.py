"""What a version of a CRD may say beside its schema: subresources, printer columns, selectable fields, deprecation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from konverge.cluster.apiserver.crd.field_path import PathError, follow
from konverge.cluster.apiserver.field_error import FieldError, duplicate, invalid, required, too_many

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_MOST_SELECTABLE = 8
_LONGEST_WARNING = 256


def deprecation_faults(version: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    """Say what is wrong with `deprecationWarning`."""
    warning = version.get("deprecationWarning")
    if warning is None:
        return
    if not version.get("deprecated"):
        yield invalid(path, warning, "can only be set for deprecated versions")
        return
    if len(warning.encode()) > _LONGEST_WARNING:
        yield invalid(path, warning, "must be <= 256 characters long")
    if not warning:
        yield invalid(path, warning, "must not be an empty string")
    for index, char in enumerate(warning):
        if not char.isprintable():
            at = len(warning[:index].encode())
            text = f"must only contain printable UTF-8 characters; non-printable character found at index {at}"
            yield invalid(path, warning, text)
            break


def json_path_faults(value: str, path: str) -> list[FieldError]:
    """Say what is wrong with a simple JSON path."""
    return [] if value.startswith(".") else [invalid(path, value, "must be a simple json path starting with .")]


def subresource_faults(subresources: Mapping[str, Any] | None, path: str) -> Iterator[FieldError]:
    """Say what is wrong with the paths of the scale subresource."""
    scale = (subresources or {}).get("scale")
    if scale is None:
        return
    for field, root in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        value, where = scale.get(field) or "", f"{path}.scale.{field}"
        if not value:
            yield required(where)
        elif wrong := json_path_faults(value, where):
            yield from wrong
        elif not value.startswith(root):
            yield invalid(where, value, f"should be a json path under {root[:-1]}")
    selector, where = scale.get("labelSelectorPath") or "", f"{path}.scale.labelSelectorPath"
    if selector and (wrong := json_path_faults(selector, where)):
        yield from wrong
    elif selector and not selector.startswith((".spec.", ".status.")):
        yield invalid(where, selector, "should be a json path under either .spec or .status")


def column_faults(columns: Sequence[Mapping[str, Any]] | None, path: str) -> Iterator[FieldError]:
    """Say what is wrong with printer columns."""
    for index, column in enumerate(columns or ()):
        yield from _column_faults(column, f"{path}[{index}]")


def _column_faults(column: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    if not column.get("name"):
        yield required(f"{path}.name")
    kind, types = column.get("type") or "", f"must be one of {','.join(_COLUMN_TYPES)}"
    if not kind:
        yield required(f"{path}.type", types)
    elif kind not in _COLUMN_TYPES:
        yield invalid(f"{path}.type", kind, types)
    form = column.get("format") or ""
    if form and form not in _COLUMN_FORMATS:
        yield invalid(f"{path}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
    if not column.get("jsonPath"):
        yield required(f"{path}.JSONPath")
    else:
        yield from json_path_faults(column["jsonPath"], f"{path}.JSONPath")


def selectable_faults(
    fields: Sequence[Mapping[str, Any]], schema: Mapping[str, Any], path: str, *, allows_many: bool = False
) -> Iterator[FieldError]:
    """Say what is wrong with selectable fields."""
    seen: set[str] = set()
    for index, field in enumerate(fields):
        where, value = f"{path}[{index}].jsonPath", field.get("jsonPath") or ""
        if not value:
            yield required(where)
            continue
        try:
            printed, found = follow(value, schema, allows_brackets=False)
        except PathError as error:
            yield invalid(where, value, f"is an invalid path: {error}")
            continue
        if printed.partition(".")[0] == "metadata":
            yield invalid(where, value, "must not point to fields in metadata")
        if (found or {}).get("type") not in ("string", "boolean", "integer"):
            text = "must point to a field of type string, boolean or integer. "
            text += "Enum string fields and strings with formats are allowed."
            yield invalid(where, value, text)
        if printed in seen:
            yield duplicate(where, value)
        else:
            seen.add(printed)
    if len(seen) > _MOST_SELECTABLE and not allows_many:
        yield too_many(path, len(seen), _MOST_SELECTABLE)
