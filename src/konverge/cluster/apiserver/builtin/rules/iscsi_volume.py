"""Volumes over iSCSI: names of targets and of who connects in one of three forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    "iqn": re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+"),
    "eui": re.compile(r"eui.[A-Za-z0-9]{16}"),
    "naa": re.compile(r"naa.[A-Za-z0-9]{32}"),
}
_LAST_UNIT: Final = 255


def iscsi_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the source of a volume."""
    name, unit, initiator = source.get("iqn", ""), source.get("lun", 0), source.get("initiatorName")
    if not source.get("targetPortal"):
        yield field_error.required(f"{path}.targetPortal")
    if not name:
        yield field_error.required(f"{path}.iqn")
    else:
        yield from _name_errors(name, f"{path}.iqn")
    if not 0 <= unit <= _LAST_UNIT:
        yield field_error.invalid(f"{path}.lun", unit, f"must be between 0 and {_LAST_UNIT}, inclusive")
    if _needs_secret(source) and source.get("secretRef") is None:
        yield field_error.required(f"{path}.secretRef")
    if initiator is not None:
        yield from _name_errors(initiator, f"{path}.initiatorname")


def _needs_secret(source: JsonObject) -> Any:
    return source.get("chapAuthDiscovery") or source.get("chapAuthSession")


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    form = _FORMS.get(name[:3])
    if form is None:
        yield field_error.invalid(path, name, "must be valid format starting with iqn, eui, or naa")
    elif not form.fullmatch(name):
        yield field_error.invalid(path, name, "must be valid format")
