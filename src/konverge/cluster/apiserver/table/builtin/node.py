"""Kinds of the group node.k8s.io."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, age_of, name_of


def _runtime_class(value: JsonObject) -> Cells:
    return [name_of(value), value.get("handler", ""), age_of(value)]


PRINTERS: Final[dict[str, Printer]] = {"RuntimeClass": _runtime_class}
