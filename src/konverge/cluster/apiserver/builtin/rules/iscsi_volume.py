"""Volumes over iSCSI: names of targets and of who connects in one of three forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    "iqn": re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+"),
    "eui": re.compile(r"eui.[A-Za-z0-9]{16}"),
    "naa": re.compile(r"naa.[A-Za-z0-9]{32}"),
}
_FORMS_TEXT: Final = " starting with iqn, eui, or naa"
_LAST_UNIT: Final = 255
_LONGEST_NAME: Final = 64
LONG_NAME: Final = (
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
    "if iscsi.initiatorName is specified."
)


def iscsi_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the source of a pod's volume."""
    if not source.get("targetPortal"):
        yield field_error.required(f"{path}.targetPortal")
    yield from _target_errors(source, path)
    if source.get("initiatorName") is not None:
        yield from _name_errors(source["initiatorName"], f"{path}.initiatorname")


def iscsi_volume_errors(source: JsonObject, path: str, *, volume: str) -> Iterator[FieldError]:
    """Judge the source of a persistent volume with this name; a name of a wrong form is told more briefly."""
    portal, initiator = source.get("targetPortal", ""), source.get("initiatorName")
    if not portal:
        yield field_error.required(f"{path}.targetPortal")
    if initiator is not None and len(f"{volume}:{portal}".encode()) > _LONGEST_NAME:
        yield field_error.invalid(f"{path}.targetportal", portal, LONG_NAME)
    for error in _target_errors(source, path):
        yield replace(error, detail=error.detail.removesuffix(_FORMS_TEXT))
    if source.get("secretRef") is not None and not source["secretRef"].get("name"):
        yield field_error.required(f"{path}.secretRef.name")
    if initiator is not None:
        for error in _name_errors(initiator, f"{path}.initiatorname"):
            yield replace(error, detail=error.detail.removesuffix(_FORMS_TEXT))


def _target_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    name, unit = source.get("iqn", ""), source.get("lun", 0)
    if not name:
        yield field_error.required(f"{path}.iqn")
    else:
        yield from _name_errors(name, f"{path}.iqn")
    if not 0 <= unit <= _LAST_UNIT:
        yield field_error.invalid(f"{path}.lun", unit, f"must be between 0 and {_LAST_UNIT}, inclusive")
    if _needs_secret(source) and source.get("secretRef") is None:
        yield field_error.required(f"{path}.secretRef")


def _needs_secret(source: JsonObject) -> Any:
    return source.get("chapAuthDiscovery") or source.get("chapAuthSession")


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    form = _FORMS.get(name[:3])
    if form is None:
        yield field_error.invalid(path, name, f"must be valid format{_FORMS_TEXT}")
    elif not form.fullmatch(name):
        yield field_error.invalid(path, name, "must be valid format")
