"""Secrets: what each type must contain. No error shows any of the contents."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

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
from konverge.cluster.apiserver.writing.go_json import go_kind, syntax_error

_ACCOUNT: Final = "kubernetes.io/service-account.name"


def _missing(value: JsonObject, *keys: str) -> list[FieldError]:
    data = value.get("data", {})
    return [field_error.required(f"data[{key}]") for key in keys if key not in data]


def _account_errors(value: JsonObject) -> list[FieldError]:
    if value["metadata"].get("annotations", {}).get(_ACCOUNT):
        return []
    return [field_error.required(f"metadata.annotations[{_ACCOUNT}]")]


def _json_errors(value: JsonObject, key: str) -> list[FieldError]:
    if missing := _missing(value, key):
        return missing
    content = base64.b64decode(value["data"][key]).decode("utf-8", "replace")
    wrong = syntax_error(content)
    if not wrong and not isinstance(found := msgspec.json.decode(content), dict | None):
        wrong = f"json: cannot unmarshal {go_kind(found)} into Go value of type map[string]interface {{}}"
    return [field_error.invalid(f"data[{key}]", "<secret contents redacted>", wrong)] if wrong else []


def _login_errors(value: JsonObject) -> list[FieldError]:
    missing = _missing(value, "username", "password")
    return missing if len(missing) > 1 else []


def _ssh_errors(value: JsonObject) -> list[FieldError]:
    key = "ssh-privatekey"
    return [] if value.get("data", {}).get(key) else [field_error.required(f"data[{key}]")]


_TYPES: Final[Mapping[str, Callable[[JsonObject], list[FieldError]]]] = {
    "kubernetes.io/service-account-token": _account_errors,
    "kubernetes.io/dockercfg": lambda value: _json_errors(value, ".dockercfg"),
    "kubernetes.io/dockerconfigjson": lambda value: _json_errors(value, ".dockerconfigjson"),
    "kubernetes.io/basic-auth": _login_errors,
    "kubernetes.io/ssh-auth": _ssh_errors,
    "kubernetes.io/tls": lambda value: _missing(value, "tls.crt", "tls.key"),
}


def _validate(value: JsonObject) -> list[FieldError]:
    data = value.get("data", {})
    errors = key_errors(data, "data")
    if size_of_bytes(data) > LARGEST:
        errors.append(field_error.too_long("data", LARGEST))
    judge = _TYPES.get(value.get("type", ""))
    return errors + judge(value) if judge else errors


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if not value.get("type") and not subresource:
        value["type"] = old.get("type", "Opaque")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors = []
    if value.get("type") != old.get("type"):
        errors.append(field_error.invalid("type", value.get("type"), "field is immutable"))
    return errors + immutable_errors(value, old, "data") + metadata_again(value) + _validate(value)


SECRET: Final = KindRules(prepare_for_update=_prepare_for_update, validate=_validate, validate_update=_validate_update)
