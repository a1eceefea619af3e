"""The status of a certificate signing request: decisions that last, and a certificate that is written once."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

DECISIONS: Final = ("Approved", "Denied")
_ALWAYS_TRUE: Final = (*DECISIONS, "Failed")
_STATES: Final = ("False", "True", "Unknown")
_CONDITIONS: Final = "status.conditions"
_CERTIFICATE: Final = "status.certificate"


def request_status_errors(value: JsonObject, old: JsonObject, *, subresource: str) -> Iterator[FieldError]:
    """Judge a status: decisions come by `approval` alone, the certificate by `status` alone."""
    status, before = value.get("status") or {}, old.get("status") or {}
    yield from _condition_errors(status)
    yield from _certificate_errors(status.get("certificate") or "", before.get("certificate") or "")
    for kind in _ALWAYS_TRUE:
        if _count(status, kind) < _count(before, kind):
            yield field_error.forbidden(_CONDITIONS, f"updates may not remove a condition of type {quoted(kind)}")
    for kind in DECISIONS if subresource == "status" else ():
        if _count(status, kind) > _count(before, kind):
            yield field_error.forbidden(_CONDITIONS, f"updates may not add a condition of type {quoted(kind)}")
    if before.get("certificate") and status.get("certificate") != before["certificate"]:
        yield field_error.forbidden(_CERTIFICATE, "updates may not modify existing certificate content")


def _count(status: JsonObject, kind: str) -> int:
    return sum(each.get("type") == kind for each in status.get("conditions") or ())


def _condition_errors(status: JsonObject) -> Iterator[FieldError]:
    seen = list[str]()
    for index, condition in enumerate(status.get("conditions") or ()):
        path, kind = f"{_CONDITIONS}[{index}]", condition.get("type", "")
        if not kind:
            yield field_error.required(f"{path}.type")
        yield from _state_errors(condition.get("status", ""), f"{path}.status", kind=kind)
        if kind in DECISIONS and any(other in seen for other in DECISIONS if other != kind):
            yield field_error.invalid(_CONDITIONS, kind, "Approved and Denied conditions are mutually exclusive")
        if kind in seen:
            yield field_error.duplicate(f"{path}.type", kind)
        seen.append(kind)


def _state_errors(state: str, path: str, *, kind: str) -> Iterator[FieldError]:
    allowed = ("True",) if kind in _ALWAYS_TRUE else _STATES
    if not state:
        yield field_error.required(path)
    elif state not in allowed:
        yield field_error.not_supported(path, state, allowed)


def _certificate_errors(certificate: str, before: str) -> Iterator[FieldError]:
    if not certificate or certificate == before:
        return
    from konverge.certificates import certificates_fault  # noqa: PLC0415 - brings cryptography, which a start need not wait for

    if wrong := certificates_fault(base64.b64decode(certificate)):
        yield field_error.invalid(_CERTIFICATE, "<certificate data>", wrong)
