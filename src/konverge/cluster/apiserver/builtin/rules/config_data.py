"""What config maps and secrets have in common: data by key, limited in size, and immutable where they say so."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

LARGEST: Final = 1024 * 1024  # bytes of all values
_IMMUTABLE: Final = "field is immutable when `immutable` is set"


def key_errors(data: JsonObject, path: str) -> list[FieldError]:
    """Judge the keys of some data."""
    return [field_error.invalid(f"{path}[{key}]", key, text) for key in data for text in name_rules.config_key(key)]


def size_of_bytes(data: JsonObject) -> int:
    """Return the size of values that are written as base64."""
    return sum(len(text) // 4 * 3 - text.count("=") for text in data.values())


def immutable_errors(value: JsonObject, old: JsonObject, *names: str) -> list[FieldError]:
    """Judge what changed of an object that said that nothing would."""
    if not old.get("immutable"):
        return []
    errors = [] if value.get("immutable") else [field_error.forbidden("immutable", _IMMUTABLE)]
    return errors + [
        field_error.forbidden(name, _IMMUTABLE) for name in names if value.get(name, {}) != old.get(name, {})
    ]


def metadata_again(value: JsonObject) -> list[FieldError]:
    """Judge the metadata as that of a new object: these kinds do so on every update, and tell each fault once more."""
    return new_metadata_errors(value["metadata"], _name_rule, namespaced=True)


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return name_rules.dns_subdomain(name_rules.before_suffix(name) if is_prefix else name)
