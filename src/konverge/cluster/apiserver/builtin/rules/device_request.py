"""Requests for devices, of claims and of their templates: what stands in them, and that a claim never changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_FIXED: Final = "field is immutable"
_MOST_REQUESTS: Final = 32


def _claim_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    devices = spec.get("devices") or {}
    requests, where = devices.get("requests") or [], f"{path}.devices"
    if len(requests) > _MOST_REQUESTS:
        yield field_error.too_many(f"{where}.requests", len(requests), _MOST_REQUESTS)
    for index, request in enumerate(requests):
        yield from _request_errors(request, f"{where}.requests[{index}]")
        if any(request.get("name") == other.get("name") for other in requests[:index]):
            yield field_error.duplicate(f"{where}.requests[{index}].name", request.get("name", ""))
    yield from config_errors(devices.get("config") or [], f"{where}.config")


def _request_errors(request: JsonObject, path: str) -> Iterator[FieldError]:
    exactly, first = request.get("exactly"), request.get("firstAvailable") or []
    yield from _name_errors(request.get("name", ""), f"{path}.name")
    if exactly is None and not first:
        yield field_error.required(path, "exactly one of `exactly` or `firstAvailable` is required")
    elif exactly is not None and first:
        wrong = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"
        yield field_error.invalid(path, field_error.OMIT, wrong)
    if exactly is not None:
        yield from _device_errors(exactly, f"{path}.exactly")
    for index, each in enumerate(first):
        yield from _name_errors(each.get("name", ""), f"{path}.firstAvailable[{index}].name")
        yield from _device_errors(each, f"{path}.firstAvailable[{index}]")


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    if not name:
        yield field_error.required(path)
    else:
        yield from (field_error.invalid(path, name, wrong) for wrong in name_rules.dns_label(name))


def _device_errors(device: JsonObject, path: str) -> Iterator[FieldError]:
    kind, mode, count = (device.get(name) for name in ("deviceClassName", "allocationMode", "count"))
    if not kind:
        yield field_error.required(f"{path}.deviceClassName")
    else:
        where = f"{path}.deviceClassName"
        yield from (field_error.invalid(where, kind, wrong) for wrong in name_rules.dns_subdomain(kind))
    if mode == "All":
        if count:
            wrong = "must not be specified when allocationMode is 'All'"
            yield field_error.invalid(f"{path}.count", count, wrong)
    elif mode != "ExactCount":
        yield field_error.not_supported(f"{path}.allocationMode", mode or "", ("All", "ExactCount"))
    elif (count or 0) <= 0:
        yield field_error.invalid(f"{path}.count", count or 0, "must be greater than zero")
    yield from selector_list_errors(device.get("selectors") or [], f"{path}.selectors")


def selector_list_errors(selectors: list[JsonObject], path: str) -> Iterator[FieldError]:
    """Judge selectors of devices: each has an expression."""
    for index, selector in enumerate(selectors):
        if selector.get("cel") is None:
            yield field_error.required(f"{path}[{index}].cel")
        elif not selector["cel"].get("expression"):
            yield field_error.required(f"{path}[{index}].cel.expression")


def config_errors(configs: list[JsonObject], path: str) -> Iterator[FieldError]:
    """Judge what is told to drivers."""
    for index, config in enumerate(configs):
        opaque, where = config.get("opaque"), f"{path}[{index}].opaque"
        if opaque is None:
            yield field_error.required(where)
            continue
        yield from driver_name_errors(opaque.get("driver", ""), f"{where}.driver")
        parameters = opaque.get("parameters")
        if parameters is None:
            yield field_error.required(f"{where}.parameters")
        elif not isinstance(parameters, dict):
            yield field_error.invalid(f"{where}.parameters", "<value omitted>", "must be a valid JSON object")


def _validate_claim(value: JsonObject) -> list[FieldError]:
    return list(_claim_errors(value.get("spec") or {}, "spec"))


def _claim_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource or json_equal(value.get("spec"), old.get("spec")):
        return []
    return [*_validate_claim(value), field_error.invalid("spec", field_error.OMIT, _FIXED)]


def _validate_template(value: JsonObject) -> list[FieldError]:
    return list(_claim_errors((value.get("spec") or {}).get("spec") or {}, "spec.spec"))


def _template_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    if json_equal(value.get("spec"), old.get("spec")):
        return []
    return [*_validate_template(value), field_error.invalid("spec", field_error.OMIT, _FIXED)]


RESOURCE_CLAIM: Final = KindRules(validate=_validate_claim, validate_update=_claim_update)
RESOURCE_CLAIM_TEMPLATE: Final = KindRules(validate=_validate_template, validate_update=_template_update)
