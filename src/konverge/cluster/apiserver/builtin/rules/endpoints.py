"""Endpoints: addresses that can be reached, and ports; an old list that stays is not judged again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.address import address_errors, endpoint_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.port import port_number
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")


def _validate(value: JsonObject) -> list[FieldError]:
    subsets = enumerate(value.get("subsets") or ())
    return [error for index, subset in subsets for error in _subset_errors(subset, f"subsets[{index}]")]


def _subset_errors(subset: JsonObject, path: str) -> Iterator[FieldError]:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield field_error.required(path, "must specify `addresses` or `notReadyAddresses`")
    for name in ("addresses", "notReadyAddresses"):
        for index, address in enumerate(subset.get(name) or ()):
            yield from _address_errors(address, f"{path}.{name}[{index}]")
    ports = subset.get("ports") or ()
    for index, port in enumerate(ports):
        yield from _port_errors(port, f"{path}.ports[{index}]", needs_name=len(ports) > 1)


def _address_errors(address: JsonObject, path: str) -> Iterator[FieldError]:
    ip, host, node = address.get("ip", ""), address.get("hostname", ""), address.get("nodeName")
    yield from address_errors(ip, f"{path}.ip")
    if host:
        yield from (field_error.invalid(f"{path}.hostname", host, wrong) for wrong in name_rules.dns_label(host))
    if node is not None:
        yield from (field_error.invalid(f"{path}.nodeName", node, wrong) for wrong in name_rules.dns_subdomain(node))
    yield from endpoint_errors(ip, f"{path}.ip")


def _port_errors(port: JsonObject, path: str, *, needs_name: bool) -> Iterator[FieldError]:
    name, number, protocol, app = (port.get(each) for each in ("name", "port", "protocol", "appProtocol"))
    if not name and needs_name:
        yield field_error.required(f"{path}.name")
    elif name:
        yield from (field_error.invalid(f"{path}.name", name, wrong) for wrong in name_rules.dns_label(name))
    yield from (field_error.invalid(f"{path}.port", number or 0, wrong) for wrong in port_number(number or 0))
    if not protocol:
        yield field_error.required(f"{path}.protocol")
    elif protocol not in _PROTOCOLS:
        yield field_error.not_supported(f"{path}.protocol", protocol, _PROTOCOLS)
    if app is not None:
        yield from (field_error.invalid(f"{path}.appProtocol", app, wrong) for wrong in name_rules.qualified_name(app))


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    return [] if json_equal(value.get("subsets"), old.get("subsets")) else _validate(value)


ENDPOINTS: Final = KindRules(validate=_validate, validate_update=_validate_update)
