"""Network policies: each peer is selected or a range of addresses, and each port a number, a range or a name."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import Network, range_errors, read_range
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.builtin.rules.port import port_errors, port_number
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_TYPES: Final = ("Ingress", "Egress")
_DIRECTIONS: Final = (("ingress", "from"), ("egress", "to"))


def _validate(value: JsonObject) -> list[FieldError]:
    return _spec_errors(value["spec"])


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    return _spec_errors(value["spec"], kept=list(_ranges(old["spec"])))


def _ranges(spec: JsonObject) -> Iterator[str]:
    for direction, side in _DIRECTIONS:
        for rule in spec.get(direction) or ():
            for block in (peer.get("ipBlock") for peer in rule.get(side) or ()):
                if block is not None:
                    yield block.get("cidr", "")
                    yield from block.get("except") or ()


def _spec_errors(spec: JsonObject, *, kept: Container[str] = ()) -> list[FieldError]:
    errors = selector_errors(spec.get("podSelector"), "spec.podSelector")
    for direction, side in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            path = f"spec.{direction}[{index}]"
            for number, port in enumerate(rule.get("ports") or ()):
                errors += _port_errors(port, f"{path}.ports[{number}]")
            for number, peer in enumerate(rule.get(side) or ()):
                errors += _peer_errors(peer, f"{path}.{side}[{number}]", kept=kept)
    return errors + _type_errors(spec.get("policyTypes") or ())


def _type_errors(types: Sequence[str]) -> list[FieldError]:
    path = "spec.policyTypes"
    if len(types) > len(_TYPES):
        return [field_error.invalid(path, types, "may not specify more than two policyTypes")]
    return [
        field_error.not_supported(f"{path}[{index}]", name, _TYPES)
        for index, name in enumerate(types)
        if name not in _TYPES
    ]


def _port_errors(each: JsonObject, path: str) -> list[FieldError]:
    protocol, port, last = each.get("protocol"), each.get("port"), each.get("endPort")
    errors = []
    if protocol is not None and protocol not in _PROTOCOLS:
        errors.append(field_error.not_supported(f"{path}.protocol", protocol, _PROTOCOLS))
    if last is not None and port is None:
        errors.append(field_error.invalid(f"{path}.endPort", last, "may not be specified when `port` is not specified"))
    if isinstance(port, str) and last is not None:
        errors.append(field_error.invalid(f"{path}.endPort", last, "may not be specified when `port` is non-numeric"))
    if port is not None:
        errors += port_errors(port, f"{path}.port")
    return errors + _last_errors(port, last, f"{path}.endPort") if isinstance(port, int) else errors


def _last_errors(port: int, last: int | None, path: str) -> list[FieldError]:
    if last is None:
        return []
    wrong = "must be greater than or equal to `port`"
    errors = [field_error.invalid(path, port, wrong)] if last < port else []  # it shows the first port there
    return errors + [field_error.invalid(path, last, text) for text in port_number(last)]


def _peer_errors(peer: JsonObject, path: str, *, kept: Container[str]) -> list[FieldError]:
    errors = []
    for name in ("podSelector", "namespaceSelector"):
        errors += selector_errors(peer.get(name), f"{path}.{name}")
    block = peer.get("ipBlock")
    if block is not None:
        errors += _block_errors(block, f"{path}.ipBlock", kept)
    others = [name for name in ("podSelector", "namespaceSelector") if peer.get(name) is not None]
    if block is None and not others:
        errors.append(field_error.required(path, "must specify a peer"))
    if block is not None and others:
        errors.append(field_error.forbidden(path, "may not specify both ipBlock and another peer"))
    return errors


def _block_errors(block: JsonObject, path: str, kept: Container[str]) -> list[FieldError]:
    if not block.get("cidr"):
        return [field_error.required(f"{path}.cidr")]
    errors = range_errors(block["cidr"], f"{path}.cidr", kept)
    if (whole := read_range(block["cidr"])) is None:
        return errors
    for index, text in enumerate(block.get("except") or ()):
        errors += range_errors(text, f"{path}.except[{index}]", kept)
        if (part := read_range(text)) is not None and not _is_part(part, whole):
            errors.append(field_error.invalid(f"{path}.except[{index}]", text, "must be a strict subset of `cidr`"))
    return errors


def _is_part(part: Network, whole: Network) -> bool:
    return part.network_address in whole and part.prefixlen > whole.prefixlen


NETWORK_POLICY: Final = KindRules(validate=_validate, validate_update=_validate_update)
