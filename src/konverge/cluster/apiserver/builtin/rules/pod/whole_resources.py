"""What a pod as a whole asks for and may use: at least what its containers ask for together, at most what it may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.api.quota.pod_amounts import container_amounts, is_pod_level
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.pod_claims import used_claim_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_resources import resource_errors
from konverge.cluster.apiserver.builtin.rules.resource_name import resource_errors as resource_name_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_HUGE: Final = "hugepages-"
_NAMES: Final = ("cpu", _HUGE, "memory")


def whole_resource_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the resources of a pod."""
    resources, path = spec["resources"], f"{path}.resources"
    if (spec.get("os") or {}).get("name") == "windows":
        yield field_error.forbidden(path, "may not be set for a windows pod")
        return
    if resources.get("claims"):
        yield field_error.forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level")
    yield from resource_errors(resources, path, name_errors=_name_errors)
    claims = spec.get("resourceClaims") or []
    yield from used_claim_errors(resources.get("claims") or [], f"{path}.claims", claims=claims)
    yield from _request_errors(spec, path)
    yield from _limit_errors(spec, path)


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    errors = list(resource_name_errors(name, path))
    yield from errors
    if not errors and not is_pod_level(name):
        yield field_error.not_supported(path, name, _NAMES)


def _request_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    own = spec["resources"].get("requests") or {}
    for name, together in container_amounts(spec, "requests").items():
        if name in own and together > Quantity(own[name]):
            wrong = f"must be greater than or equal to aggregate container requests of {together}"
            yield field_error.invalid(f"{path}.requests[{name}]", str(Quantity(own[name])), wrong)


def _limit_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge limits: of huge pages there is no more than is limited, of all else each container has at most that."""
    own = {name: Quantity(amount) for name, amount in (spec["resources"].get("limits") or {}).items()}
    for name, together in container_amounts(spec, "limits").items():
        if name.startswith(_HUGE) and name in own and together > own[name]:
            wrong = f"must be greater than or equal to aggregate container limits of {together}"
            yield field_error.invalid(f"{path}.limits[{name}]", str(own[name]), wrong)
    for index, container in enumerate(spec.get("containers") or ()):
        for name, amount in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in own and Quantity(amount) > own[name]:
                wrong = f"must be less than or equal to pod limits of {own[name]}"
                yield field_error.invalid(f"{path}.containers[{index}][{name}].limits", str(Quantity(amount)), wrong)
