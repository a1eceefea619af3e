"""Kinds of the group discovery.k8s.io."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import UNSET, Cells, Printer, age_of, listed, name_of, shortened


def _endpoint_slice(value: JsonObject) -> Cells:
    addresses = [address for found in listed(value, "endpoints") for address in listed(found, "addresses")]
    ports = [_port(port) for port in listed(value, "ports")]
    shown = (shortened(ports) or UNSET, shortened(addresses) or UNSET)
    return [name_of(value), value.get("addressType", ""), *shown, age_of(value)]


def _port(port: JsonObject) -> str:
    if port.get("port") is not None:
        return str(port["port"])
    name = port.get("name")
    return "*" if name is None else str(name)


PRINTERS: Final[dict[str, Printer]] = {"EndpointSlice": _endpoint_slice}
