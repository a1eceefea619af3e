"""Requests for devices, and what else a claim says of them: constraints between them, configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.bounded import list_errors, set_errors
from konverge.cluster.apiserver.builtin.rules.device.configuration import MOST_CONFIGURATIONS, configuration_errors
from konverge.cluster.apiserver.builtin.rules.device.names import full_name_errors, label_errors, subdomain_errors
from konverge.cluster.apiserver.builtin.rules.device.selector import selector_list_errors
from konverge.cluster.apiserver.builtin.rules.device.taint import toleration_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_MOST_REQUESTS: Final = 32
_MOST_CONSTRAINTS: Final = 32
_MOST_SUB_REQUESTS: Final = 8
_MODES: Final = ("All", "ExactCount")
_ONE_WAY: Final = "exactly one of `exactly` or `firstAvailable` is required"
_ONE_ATTRIBUTE: Final = (
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
)
_NO_REQUEST: Final = (
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)

RequestNames = Mapping[str, Sequence[str]]  # the subrequests of each request


def request_names(devices: JsonObject) -> RequestNames:
    """Return what the requests of a claim are called."""
    return {
        request.get("name", ""): [each.get("name", "") for each in request.get("firstAvailable") or ()]
        for request in devices.get("requests") or ()
    }


def claim_errors(devices: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the devices that a claim asks for."""
    names = request_names(devices)
    requests, constraints = devices.get("requests"), devices.get("constraints")
    yield from set_errors(requests, f"{path}.requests", _request_errors, most=_MOST_REQUESTS, key=_name_of)

    def constraint_errors(constraint: JsonObject, where: str) -> Iterator[FieldError]:
        yield from used_request_errors(constraint, where, names=names)
        yield from _attribute_errors(constraint, where)

    def config_errors(config: JsonObject, where: str) -> Iterator[FieldError]:
        yield from used_request_errors(config, where, names=names)
        yield from configuration_errors(config, where)

    yield from list_errors(constraints, f"{path}.constraints", constraint_errors, most=_MOST_CONSTRAINTS)
    yield from list_errors(devices.get("config"), f"{path}.config", config_errors, most=MOST_CONFIGURATIONS)


def _name_of(request: JsonObject) -> str:
    name: str = request.get("name", "")
    return name


def _request_errors(request: JsonObject, path: str) -> Iterator[FieldError]:
    exactly, first = request.get("exactly"), request.get("firstAvailable")
    yield from label_errors(request.get("name", ""), f"{path}.name")
    if exactly is None and not first:
        yield field_error.required(path, _ONE_WAY)
    elif exactly is not None and first:
        yield field_error.invalid(path, None, f"{_ONE_WAY}, but multiple fields are set")
    elif first:
        where = f"{path}.firstAvailable"
        yield from set_errors(first, where, _sub_request_errors, most=_MOST_SUB_REQUESTS, key=_name_of)
    elif exactly is not None:
        yield from _device_errors(exactly, f"{path}.exactly")


def _sub_request_errors(request: JsonObject, path: str) -> Iterator[FieldError]:
    yield from label_errors(request.get("name", ""), f"{path}.name")
    yield from _device_errors(request, path)


def _device_errors(request: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge which devices are asked for, and how many."""
    if not request.get("deviceClassName"):
        yield field_error.required(f"{path}.deviceClassName")
    else:
        yield from subdomain_errors(request["deviceClassName"], f"{path}.deviceClassName")
    yield from selector_list_errors(request.get("selectors"), f"{path}.selectors")
    yield from _count_errors(request.get("allocationMode", ""), request.get("count", 0), path=path)
    for index, toleration in enumerate(request.get("tolerations") or ()):
        yield from toleration_errors(toleration, f"{path}.tolerations[{index}]")


def _count_errors(mode: str, count: int, *, path: str) -> Iterator[FieldError]:
    if mode not in _MODES:
        yield field_error.not_supported(f"{path}.allocationMode", mode, _MODES)
    elif mode == "All":
        if count:
            wrong = "must not be specified when allocationMode is 'All'"
            yield field_error.invalid(f"{path}.count", count, wrong)
    elif count <= 0:
        yield field_error.invalid(f"{path}.count", count, "must be greater than zero")


def _attribute_errors(constraint: JsonObject, path: str) -> Iterator[FieldError]:
    for name in ("matchAttribute", "distinctAttribute"):
        if constraint.get(name) is not None:
            yield from full_name_errors(constraint[name], f"{path}.{name}")
            return
    yield field_error.required(path, _ONE_ATTRIBUTE)


def used_request_errors(holder: JsonObject, path: str, *, names: RequestNames) -> Iterator[FieldError]:
    """Judge the requests that something is about; none are all of them."""

    def judge(name: str, where: str) -> Iterator[FieldError]:
        return request_reference_errors(name, where, names=names)

    yield from set_errors(holder.get("requests"), f"{path}.requests", judge, most=_MOST_REQUESTS)


def request_reference_errors(name: str, path: str, *, names: RequestNames) -> Iterator[FieldError]:
    """Judge the name of a request (`gpu`), or of one of its subrequests (`gpu/large`)."""
    request, slash, sub_request = name.partition("/")
    is_deep = "/" in sub_request
    if not is_deep:
        yield from label_errors(request, path)
        yield from label_errors(sub_request, path) if slash else ()
    if is_deep or request not in names or (slash and sub_request not in names[request]):
        yield field_error.invalid(path, name, _NO_REQUEST)
