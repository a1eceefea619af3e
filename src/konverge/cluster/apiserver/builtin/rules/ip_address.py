"""IPAddresses: each is one address of a service, and says whose it is. Their names are judged as addresses."""

from __future__ import annotations

from typing import Final

import msgspec

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_PARENT: Final = "spec.parentRef"


def _validate(value: JsonObject) -> list[FieldError]:
    parent = (value.get("spec") or {}).get("parentRef")
    if parent is None:
        return [field_error.required(_PARENT)]
    group = parent.get("group") or ""
    errors = [field_error.invalid(f"{_PARENT}.group", group, each) for each in _group_faults(group)]
    for name in ("resource", "name"):
        errors += _segment_errors(parent.get(name) or "", f"{_PARENT}.{name}", is_required=True)
    return errors + _segment_errors(parent.get("namespace") or "", f"{_PARENT}.namespace")


def _group_faults(group: str) -> list[str]:
    return name_rules.dns_subdomain(group) if group else []


def _segment_errors(text: str, path: str, *, is_required: bool = False) -> list[FieldError]:
    if not text:
        return [field_error.required(path)] if is_required else []
    return [field_error.invalid(path, text, each) for each in name_rules.path_segment(text)]


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors = _validate(value)
    parent = (value.get("spec") or {}).get("parentRef")
    if parent != (old.get("spec") or {}).get("parentRef"):
        errors.append(field_error.invalid(_PARENT, _internal(parent), "field is immutable"))
    return errors


def _internal(parent: JsonObject | None) -> msgspec.Raw | None:
    """Return a parent as the internal type spells it."""
    if parent is None:
        return None
    return in_go_order({name.title(): parent.get(name) or "" for name in ("group", "resource", "namespace", "name")})


IP_ADDRESS: Final = KindRules(validate=_validate, validate_update=_validate_update)
