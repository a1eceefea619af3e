"""Kinds of the group certificates.k8s.io."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.age import human_duration
from konverge.cluster.apiserver.table.builtin.parts import (
    NONE,
    Cells,
    Printer,
    age_of,
    below,
    listed,
    name_of,
    or_none,
)


def _signing_request(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    seconds = spec.get("expirationSeconds")
    return [
        name_of(value),
        age_of(value),
        or_none(spec.get("signerName")),
        spec.get("username", ""),
        NONE if seconds is None else human_duration(timedelta(seconds=seconds)),
        _condition(below(value, "status")),
    ]


def _condition(status: JsonObject) -> str:
    kinds = [condition.get("type") for condition in listed(status, "conditions")]
    state = "Denied" if "Denied" in kinds else "Approved" if "Approved" in kinds else "Pending"
    if "Failed" in kinds:
        state += ",Failed"
    return f"{state},Issued" if status.get("certificate") else state


PRINTERS: Final[dict[str, Printer]] = {"CertificateSigningRequest": _signing_request}
