"""The ports of a service: each has a number, several have names, and none is there twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.port import PROTOCOLS, port_errors, port_number
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

_PATH: Final = "spec.ports"
_NOT_OF_NODES: Final = "may not be used when `type` is 'ClusterIP'"


def port_list_errors(ports: Sequence[JsonObject]) -> list[FieldError]:
    """Judge each port."""
    errors: list[FieldError] = []
    again = repeated(port.get("name", "") for port in ports)
    for index, port in enumerate(ports):
        path, name = f"{_PATH}[{index}]", port.get("name", "")
        errors += _name_errors(name, f"{path}.name", is_needed=len(ports) > 1, is_taken=index in again)
        errors += _number_errors(port, path)
    return errors


def _name_errors(name: str, path: str, *, is_needed: bool, is_taken: bool) -> list[FieldError]:
    if not name:
        return [field_error.required(path)] if is_needed else []
    errors = [field_error.invalid(path, name, wrong) for wrong in name_rules.dns_label(name)]
    return [*errors, field_error.duplicate(path, name)] if is_taken else errors


def _number_errors(port: JsonObject, path: str) -> list[FieldError]:
    number, protocol = port.get("port", 0), port.get("protocol", "")
    errors = [field_error.invalid(f"{path}.port", number, wrong) for wrong in port_number(number)]
    if not protocol:
        errors.append(field_error.required(f"{path}.protocol"))
    elif protocol not in PROTOCOLS:
        errors.append(field_error.not_supported(f"{path}.protocol", protocol, PROTOCOLS))
    errors += port_errors(port.get("targetPort", 0), f"{path}.targetPort")
    if (spoken := port.get("appProtocol")) is not None:
        wrongs = name_rules.qualified_name(spoken)
        errors += [field_error.invalid(f"{path}.appProtocol", spoken, wrong) for wrong in wrongs]
    return errors


def repeated_port_errors(spec: JsonObject) -> list[FieldError]:
    """Judge the ports beside each other, those of nodes first."""
    ports = spec.get("ports") or ()
    errors = []
    if spec.get("type") == "ClusterIP":
        errors += [
            field_error.forbidden(f"{_PATH}[{index}].nodePort", _NOT_OF_NODES)
            for index, port in enumerate(ports)
            if port.get("nodePort")
        ]
    again = repeated((port.get("protocol", ""), port.get("nodePort", 0)) for port in ports)
    errors += [
        field_error.duplicate(f"{_PATH}[{index}].nodePort", port["nodePort"])
        for index, port in enumerate(ports)
        if index in again and port.get("nodePort")
    ]
    return errors + _repeated_numbers(ports)


def _repeated_numbers(ports: Sequence[JsonObject]) -> list[FieldError]:
    pairs = [(port.get("protocol", ""), port.get("port", 0)) for port in ports]
    return [field_error.duplicate(f"{_PATH}[{index}]", _shown(*pairs[index])) for index in sorted(repeated(pairs))]


def _shown(protocol: str, number: int) -> msgspec.Raw:
    # The real server shows its own form of a port, with every field that is empty, in its order.
    port = {"Name": "", "Protocol": protocol, "AppProtocol": None, "Port": number, "TargetPort": 0, "NodePort": 0}
    return msgspec.Raw(msgspec.json.encode(port))
