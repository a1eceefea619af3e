"""Endpoint slices: addresses of one type, which stays, and ports with names of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.address import address_errors, endpoint_errors, is_ipv6, read_address
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.port import PROTOCOLS
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_TYPES: Final = ("FQDN", "IPv4", "IPv6")
_MOST_ENDPOINTS: Final = 1000
_MOST_ADDRESSES: Final = 100
_MOST_PORTS: Final = 20000
_MOST_HINTS: Final = 8


def _prepare_for_create(value: JsonObject) -> None:
    for endpoint in value.get("endpoints") or ():
        endpoint.pop("deprecatedTopology", None)  # an old field, which nobody can write any more


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:  # noqa: ARG001 - as every kind's
    _prepare_for_create(value)


def _validate(value: JsonObject) -> list[FieldError]:
    kind = value.get("addressType", "")
    errors = []
    if not kind:
        errors.append(field_error.required("addressType"))
    elif kind not in _TYPES:
        errors.append(field_error.not_supported("addressType", kind, _TYPES))
    errors += _port_errors(value.get("ports") or ())
    endpoints = value.get("endpoints") or ()
    if len(endpoints) > _MOST_ENDPOINTS:
        return [*errors, field_error.too_many("endpoints", len(endpoints), _MOST_ENDPOINTS)]
    for index, endpoint in enumerate(endpoints):
        errors += _endpoint_errors(endpoint, kind, f"endpoints[{index}]")
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors = _validate(value)
    kind = value.get("addressType", "")
    if kind != old.get("addressType", ""):
        errors.append(field_error.invalid("addressType", kind, "field is immutable"))
    return errors


def _port_errors(ports: Sequence[JsonObject]) -> Iterator[FieldError]:
    if len(ports) > _MOST_PORTS:
        yield field_error.too_many("ports", len(ports), _MOST_PORTS)
        return
    seen: dict[str, None] = {}
    for index, port in enumerate(ports):
        path, name, protocol = f"ports[{index}]", port.get("name") or "", port.get("protocol")
        if name:
            yield from _invalid(f"{path}.name", name, name_rules.dns_label)
        if name in seen:
            yield field_error.duplicate(f"{path}.name", name)
        seen[name] = None
        if protocol is None:
            yield field_error.required(f"{path}.protocol")
        elif protocol not in PROTOCOLS:
            yield field_error.not_supported(f"{path}.protocol", protocol, PROTOCOLS)
        if (spoken := port.get("appProtocol")) is not None:
            yield from _invalid(f"{path}.appProtocol", spoken, name_rules.qualified_name)


def _invalid(path: str, text: str, rule: Callable[[str], list[str]]) -> Iterator[FieldError]:
    return (field_error.invalid(path, text, wrong) for wrong in rule(text))


def _endpoint_errors(endpoint: JsonObject, kind: str, path: str) -> Iterator[FieldError]:
    addresses = endpoint.get("addresses") or ()
    if not addresses:
        yield field_error.required(f"{path}.addresses", "must contain at least 1 address")
    elif len(addresses) > _MOST_ADDRESSES:
        yield field_error.too_many(f"{path}.addresses", len(addresses), _MOST_ADDRESSES)
    for index, text in enumerate(addresses):
        yield from _address_errors(text, kind, f"{path}.addresses", index=index)
    if (node := endpoint.get("nodeName")) is not None:
        yield from _invalid(f"{path}.nodeName", node, name_rules.dns_subdomain)
    if (host := endpoint.get("hostname")) is not None:
        yield from _invalid(f"{path}.hostname", host, name_rules.dns_label)
    yield from _hint_errors(endpoint.get("hints") or {}, f"{path}.hints")


def _address_errors(text: str, kind: str, path: str, *, index: int) -> Iterator[FieldError]:
    where = f"{path}[{index}]"
    if kind == "FQDN":
        yield from _domain_errors(text, where)
    if kind not in ("IPv4", "IPv6"):
        return
    if wrong := address_errors(text, where) or (_form_errors(text, where) if kind == "IPv6" else []):
        yield from wrong
        return
    if is_ipv6(text) != (kind == "IPv6"):
        yield field_error.invalid(path, text, f"must be an {kind} address")
    yield from endpoint_errors(text, where)


def _form_errors(text: str, path: str) -> list[FieldError]:
    best = str(read_address(text))
    return [] if best == text else [field_error.invalid(path, text, f'must be in canonical form ("{best}")')]


def _domain_errors(text: str, path: str) -> Iterator[FieldError]:
    name = text.removesuffix(".")
    if not text:
        yield field_error.required(path)
    elif wrong := name_rules.dns_subdomain(name):
        yield field_error.invalid(path, name, ",".join(wrong))
    elif "." not in name:
        few = "should be a domain with at least two segments separated by dots"
        yield field_error.invalid(path, name, few)
    else:
        faults = ((label, name_rules.dns_label(label)) for label in name.split("."))
        found = next(((label, wrong) for label, wrong in faults if wrong), None)
        if found is not None:
            yield field_error.invalid(path, found[0], ",".join(found[1]))


def _hint_errors(hints: JsonObject, path: str) -> Iterator[FieldError]:
    for field, rule in (("forZones", name_rules.label_value), ("forNodes", name_rules.dns_subdomain)):
        names = [each.get("name", "") for each in hints.get(field) or ()]
        if len(names) > _MOST_HINTS:
            yield field_error.too_many(f"{path}.{field}", len(names), _MOST_HINTS)
            return
        for index, name in enumerate(names):
            where = f"{path}.{field}[{index}].name"
            if name in names[:index]:
                yield field_error.duplicate(where, name)
            yield from _invalid(where, name, rule)


ENDPOINT_SLICE: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
