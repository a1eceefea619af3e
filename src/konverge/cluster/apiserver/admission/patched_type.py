"""The type of what a webhook's patch left of an object: it is the one that the webhook was shown, or the write ends."""

from __future__ import annotations

from typing import Any

import msgspec

from konverge.cluster.apiserver.admission.attributes import GroupVersionKind
from konverge.cluster.apiserver.admission.type_header import header_fault
from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.failure import Failure, internal
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.decode import not_registered


def typed(value: Any, kind: GroupVersionKind, *, is_custom: bool) -> JsonObject:
    """Return a patched value with its type named; raises a `Failure` where it is of none, or of another."""
    if wrong := header_fault(value):
        raise internal(wrong)
    found: JsonObject = value
    if is_custom:
        if not value.get("kind"):
            raise internal(f"Object 'Kind' is missing in '{msgspec.json.encode(value).decode()}'")
        return found
    named = {**found, "apiVersion": value.get("apiVersion") or kind.api_version, "kind": value.get("kind") or kind.kind}
    if (named["apiVersion"], named["kind"]) != (kind.api_version, kind.kind):
        raise _foreign(named, kind)
    return named


def _foreign(value: JsonObject, kind: GroupVersionKind) -> Failure:
    """Return what becomes of a write whose object is of another type by now."""
    group, _, version = value["apiVersion"].rpartition("/")
    if catalogue.schema_name(group, version, value["kind"]) is None:
        return internal(not_registered(value))
    package = kind.group.partition(".")[0] or "core"
    return Failure(500, "", f"converting ({version}.{value['kind']}) to ({package}.{kind.kind}): unknown conversion")
