"""Config maps: what their keys may be, how large they may be, and that an immutable one stays as it is."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.config_data import (
    LARGEST,
    immutable_errors,
    key_errors,
    metadata_again,
    size_of_bytes,
)
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_TWICE: Final = "duplicate of key present in binaryData"


def _validate(value: JsonObject) -> list[FieldError]:
    data, binary = value.get("data", {}), value.get("binaryData", {})
    errors = key_errors(data, "data")
    errors += [field_error.invalid(f"data[{key}]", key, _TWICE) for key in data if key in binary]
    errors += key_errors(binary, "binaryData")
    if sum(len(text.encode()) for text in data.values()) + size_of_bytes(binary) > LARGEST:
        errors.append(field_error.too_long("[]", LARGEST))
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    return immutable_errors(value, old, "data", "binaryData") + metadata_again(value) + _validate(value)


CONFIG_MAP: Final = KindRules(validate=_validate, validate_update=_validate_update)
