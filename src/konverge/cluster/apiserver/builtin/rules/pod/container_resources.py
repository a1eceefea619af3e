"""What a container asks for and may use: names that exist, amounts that are none below zero, requests within limits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_REMEMBERED: Final = 1024  # amounts come again and again
_OF_CONTAINERS: Final = ("cpu", "memory", "ephemeral-storage")
_COUNTED: Final = (
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
)
_STANDARD: Final = {
    *_OF_CONTAINERS,
    *_COUNTED,
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "storage",
    "requests.storage",
}
_HUGE: Final = "hugepages-"
_THOUSAND: Final = 1000


@lru_cache(_REMEMBERED)
def _amount(text: str | int) -> Quantity:
    return Quantity(text)


def resource_errors(resources: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the limits and the requests of a container."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, value in limits.items():
        yield from _one_errors(name, _amount(value), f"{path}.limits[{name}]")
    for name, value in requests.items():
        amount = _amount(value)
        yield from _one_errors(name, amount, f"{path}.requests[{name}]")
        yield from _within_errors(name, amount, path, limit=_amount(limits[name]) if name in limits else None)
    given = (*limits, *requests)
    if any(name.startswith(_HUGE) for name in given) and not any(name in ("cpu", "memory") for name in given):
        yield field_error.forbidden(path, "HugePages require cpu or memory")


def _within_errors(name: str, amount: Quantity, path: str, *, limit: Quantity | None) -> Iterator[FieldError]:
    may_exceed = _is_native(name) and not name.startswith(_HUGE)
    if limit is None:
        if not may_exceed:
            yield field_error.required(f"{path}.limits", "Limit must be set for non overcommitable resources")
    elif not may_exceed and amount != limit:
        yield field_error.invalid(f"{path}.requests", str(amount), f"must be equal to {name} limit of {limit}")
    elif amount > limit:
        wrong = f"must be less than or equal to {name} limit of {limit}"
        yield field_error.invalid(f"{path}.requests", str(amount), wrong)


def _one_errors(name: str, amount: Quantity, path: str) -> Iterator[FieldError]:
    if name not in _OF_CONTAINERS:
        yield from _name_errors(name, path)
    if amount < 0:
        yield field_error.invalid(path, str(amount), "must be greater than or equal to 0")
    if (name in _COUNTED or _is_extended(name)) and amount.milli_value() % _THOUSAND:
        yield field_error.invalid(path, str(amount), "must be an integer")


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    wrong = qualified_name(name)
    yield from (field_error.invalid(path, name, text) for text in wrong)
    if "/" not in name:
        if not wrong and name not in _STANDARD and not name.startswith((_HUGE, f"requests.{_HUGE}")):
            yield field_error.invalid(path, name, "must be a standard resource type or fully qualified")
        if not name.startswith(_HUGE):
            yield field_error.invalid(path, name, "must be a standard resource for containers")
    elif not _is_native(name) and not _is_extended(name):
        yield field_error.invalid(path, name, "doesn't follow extended resource name standard")


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_extended(name: str) -> bool:
    return not _is_native(name) and not name.startswith("requests.") and not qualified_name(f"requests.{name}")
