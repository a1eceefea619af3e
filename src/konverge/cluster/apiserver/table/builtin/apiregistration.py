"""Kinds of the group apiregistration.k8s.io."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, age_of, below, listed, name_of


def _api_service(value: JsonObject) -> Cells:
    service = below(value, "spec").get("service")
    shown = "Local" if service is None else f"{service.get('namespace', '')}/{service.get('name', '')}"
    return [name_of(value), shown, _available(value), age_of(value)]


def _available(value: JsonObject) -> str:
    conditions = listed(value, "status", "conditions")
    found = next((condition for condition in conditions if condition.get("type") == "Available"), None)
    if found is None:
        return "Unknown"
    status: str = found.get("status", "")
    return f"{status} ({found['reason']})" if status != "True" and found.get("reason") else status


PRINTERS: Final[dict[str, Printer]] = {"APIService": _api_service}
