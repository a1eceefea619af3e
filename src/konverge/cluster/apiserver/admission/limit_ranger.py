"""LimitRanger: what pods and claims may ask for in a namespace.

The plugin's other half, which fills in defaults, is `builtin.admission.limit_defaults`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from konverge.api.quantity import Quantity
from konverge.api.quota import amounts
from konverge.api.quota.amounts import Amounts
from konverge.api.quota.pod_amounts import pod_amounts
from konverge.cluster.apiserver.access.attempt import aggregated
from konverge.cluster.apiserver.admission.attributes import Attributes, Operation
from konverge.cluster.apiserver.admission.kept import Kept
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

_PREFIX: Final = "/core/limitranges/"
_POD: Final = ("", "v1", "Pod")
_CLAIM: Final = ("", "v1", "PersistentVolumeClaim")
_LARGEST_IN_THOUSANDTHS: Final = (2**63 - 1) // 1000


class LimitRanger:
    """The validating half of the plugin LimitRanger."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._is_any = Kept(lambda: bool(storage.range(_PREFIX, limit=1).items), ("", "limitranges"))

    @property
    def is_active(self) -> bool:
        """Whether there is any limit range."""
        return self._is_any.value

    def changed(self, resource: Resource) -> None:
        """Take note of a write."""
        self._is_any.changed(resource)

    async def validate(self, attributes: Attributes) -> None:
        """Refuse what asks for less or more than a limit range allows."""
        value, old = attributes.value, attributes.old
        if value is None or not _concerns(attributes) or "deletionTimestamp" in ((old or {}).get("metadata") or {}):
            return
        judge = _pod_errors if attributes.kind == _POD else _claim_errors
        for stored in self._storage.range(f"{_PREFIX}{attributes.namespace}/").items:
            limits = (msgspec.json.decode(stored.value).get("spec") or {}).get("limits") or ()
            if wrong := [each for limit in limits for each in judge(limit, value)]:
                raise attributes.forbidden(aggregated(wrong))


def _concerns(attributes: Attributes) -> bool:
    """Whether limits are about a write: a new pod, a pod that is resized, a claim."""
    if attributes.subresource:
        is_update = attributes.operation is Operation.UPDATE
        return attributes.subresource == "resize" and attributes.kind == _POD and is_update
    if attributes.kind == _POD:
        return attributes.operation is Operation.CREATE
    return attributes.kind == _CLAIM and attributes.operation in (Operation.CREATE, Operation.UPDATE)


def _pod_errors(limit: Mapping[str, Any], pod: JsonObject) -> Iterator[str]:
    spec = pod.get("spec") or {}
    if limit.get("type") == "Container":
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
            resources = container.get("resources") or {}
            requests, limits = (amounts.read(resources.get(which)) for which in ("requests", "limits"))
            yield from _errors(limit, requests, limits)
    elif limit.get("type") == "Pod":
        requests, limits = (pod_amounts(pod, which, with_status=False) for which in ("requests", "limits"))
        yield from _errors(limit, requests, limits)


def _claim_errors(limit: Mapping[str, Any], claim: JsonObject) -> Iterator[str]:
    if limit.get("type") != "PersistentVolumeClaim":
        return
    requests = amounts.read(((claim.get("spec") or {}).get("resources") or {}).get("requests"))
    for name, least in _bounds(limit, "min"):
        yield from _below(name, least, "PersistentVolumeClaim", {"request": requests.get(name), "limit": None})
    for name, most in _bounds(limit, "max"):
        yield from _above(name, most, "PersistentVolumeClaim", {"request": requests.get(name)})


def _errors(limit: Mapping[str, Any], requests: Amounts, limits: Amounts) -> Iterator[str]:
    kind = limit["type"]
    for name, least in _bounds(limit, "min"):
        yield from _below(name, least, kind, {"request": requests.get(name), "limit": limits.get(name)})
    for name, most in _bounds(limit, "max"):
        yield from _above(name, most, kind, {"limit": limits.get(name), "request": requests.get(name)})
    for name, ratio in _bounds(limit, "maxLimitRequestRatio"):
        yield from _ratio(name, ratio, kind, requests.get(name), limits.get(name))


def _bounds(limit: Mapping[str, Any], which: str) -> list[tuple[str, Quantity]]:
    return sorted(amounts.read(limit.get(which)).items())


_Given = Mapping[str, Quantity | None]  # the first must be there


def _below(name: str, least: Quantity, kind: str, given: _Given) -> Iterator[str]:
    return _bounded(f"minimum {name} usage per {kind} is {least}", least, given, lambda found, bound: found < bound)


def _above(name: str, most: Quantity, kind: str, given: _Given) -> Iterator[str]:
    return _bounded(f"maximum {name} usage per {kind} is {most}", most, given, lambda found, bound: found > bound)


def _bounded(text: str, bound: Quantity, given: _Given, is_wrong: Callable[[int, int], bool]) -> Iterator[str]:
    """Yield the first thing that is wrong with the amounts given."""
    first = next(iter(given))
    if given[first] is None:
        yield f"{text}.  No {first} is specified"
        return
    values = _comparable([bound, *(amount or Quantity(0) for amount in given.values())])
    for (which, amount), value in zip(given.items(), values[1:], strict=True):
        if amount is not None and is_wrong(value, values[0]):
            yield f"{text}, but {which} is {amount}"
            return


def _comparable(quantities: list[Quantity]) -> list[int]:
    """Return amounts as whole numbers: of thousandths, where none is too large for that."""
    values = [each.value() for each in quantities]
    if all(value <= _LARGEST_IN_THOUSANDTHS for value in values):
        return [each.milli_value() for each in quantities]
    return values


def _ratio(name: str, most: Quantity, kind: str, request: Quantity | None, limit: Quantity | None) -> Iterator[str]:
    text = f"{name} max limit to request ratio per {kind} is {most}"
    if not request:
        yield f"{text}, but no request is specified or request is 0"
    elif not limit:
        yield f"{text}, but no limit is specified or limit is 0"
    else:
        of_request, of_limit, _ = _comparable([request, limit, most])
        ratio = of_limit / of_request
        if ratio * 1000 > most.milli_value():
            yield f"{text}, but provided ratio is {ratio:f}"
