"""Kinds of the group coordination.k8s.io."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, age_of, below, name_of


def _lease(value: JsonObject) -> Cells:
    return [name_of(value), below(value, "spec").get("holderIdentity") or "", age_of(value)]


PRINTERS: Final[dict[str, Printer]] = {"Lease": _lease}
