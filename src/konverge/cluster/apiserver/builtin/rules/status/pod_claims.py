"""The claims of devices that were made for a pod: they answer to what its spec asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_label, dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject

_EXTENDED: Final = "status.extendedResourceClaimStatus"
_KEY: Final = ("containerName", "resourceName", "requestName")
_NO_CONTAINER: Final = "must match the name of an entry in spec.initContainers.name or spec.containers.name"
_NO_RESOURCE: Final = (
    "must match the extended resource name of an entry in spec.initContainers.resources.requests or "
    "spec.containers.resources.requests"
)


def claim_status_errors(status: JsonObject, spec: JsonObject) -> Iterator[FieldError]:
    """Judge the claims by name, then the one that stands for all extended resources."""
    yield from _named_errors(status.get("resourceClaimStatuses") or (), spec.get("resourceClaims") or ())
    if (extended := status.get("extendedResourceClaimStatus")) is not None:
        yield from _mapping_errors(extended.get("requestMappings") or (), spec)
        if not (name := extended.get("resourceClaimName", "")):
            yield field_error.required(f"{_EXTENDED}.resourceClaimName")
        else:
            yield from _name_errors(name, f"{_EXTENDED}.resourceClaimName")


def _named_errors(statuses: Sequence[JsonObject], claims: Sequence[JsonObject]) -> Iterator[FieldError]:
    seen, asked = set[str](), [claim.get("name", "") for claim in claims]
    for index, status in enumerate(statuses):
        path, name = f"status.resourceClaimStatuses[{index}]", status.get("name", "")
        if name not in asked:
            wrong = "must match the name of an entry in `spec.resourceClaims`"
            yield field_error.invalid(f"{path}.name", name, wrong)
        if name in seen:
            yield field_error.duplicate(f"{path}.name", name)
        seen.add(name)
        if (made := status.get("resourceClaimName")) is not None:
            yield from _name_errors(made, f"{path}.resourceClaimName")


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    yield from (field_error.invalid(path, name, wrong) for wrong in dns_subdomain(name))


def _mapping_errors(mappings: Sequence[JsonObject], spec: JsonObject) -> Iterator[FieldError]:
    path, seen = f"{_EXTENDED}.requestMappings", set[tuple[str, ...]]()
    containers = {each["name"]: each for name in ("initContainers", "containers") for each in spec.get(name) or ()}
    if not mappings:
        yield field_error.required(path, "at least one request mapping is required")
    for index, mapping in enumerate(mappings):
        where, key = f"{path}[{index}]", tuple(mapping.get(name, "") for name in _KEY)
        container, resource, request = key
        if container not in containers:
            yield field_error.invalid(f"{where}.containerName", container, _NO_CONTAINER)
        elif resource not in ((containers[container].get("resources") or {}).get("requests") or {}):
            yield field_error.invalid(f"{where}.resourceName", resource, _NO_RESOURCE)
        yield from (field_error.invalid(f"{_EXTENDED}.requestName", request, wrong) for wrong in dns_label(request))
        if key in seen:
            yield from (field_error.duplicate(f"{where}.{name}", part) for name, part in zip(_KEY, key, strict=True))
        seen.add(key)
