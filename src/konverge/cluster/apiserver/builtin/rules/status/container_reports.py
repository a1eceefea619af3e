"""What a kubelet reports of a container beyond its state: its user, and the health of devices it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.number_rules import id_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_LISTS: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_GIVEN: Final = "allocatedResourcesStatus"
_CLAIM: Final = "claim:"
_HEALTH: Final = ("Healthy", "Unhealthy", "Unknown")
_LONGEST_MESSAGE: Final = 1024


def report_errors(status: JsonObject, spec: JsonObject) -> Iterator[FieldError]:
    """Judge the users of all containers, then the devices."""
    system = (spec.get("os") or {}).get("name", "linux")
    for name in _LISTS:
        for path, container in _each(status, name):
            if container.get("user") is not None:
                yield from _user_errors(container["user"].get("linux"), f"{path}.user.linux", system=system)
    for name, containers in zip(_LISTS, ("containers", "initContainers"), strict=False):
        for path, container in _each(status, name):
            yield from _device_errors(container, path, spec.get(containers) or ())
    for path, container in _each(status, _LISTS[-1]):
        if container.get(_GIVEN):
            yield field_error.forbidden(f"{path}.{_GIVEN}", "must not be specified in container status")


def _each(status: JsonObject, name: str) -> Iterator[tuple[str, JsonObject]]:
    for index, container in enumerate(status.get(name) or ()):
        yield f"status.{name}[{index}]", container


def _user_errors(user: JsonObject | None, path: str, *, system: str) -> Iterator[FieldError]:
    if user is None:
        return
    if system == "windows":
        yield field_error.forbidden(path, "cannot be set for a windows pod")
    elif system == "linux":
        yield from id_errors(user.get("uid", 0), f"{path}.uid")
        yield from id_errors(user.get("gid", 0), f"{path}.gid")
        for index, group in enumerate(user.get("supplementalGroups") or ()):
            yield from id_errors(group, f"{path}.supplementalGroups[{index}]")


def _device_errors(status: JsonObject, path: str, containers: Sequence[JsonObject]) -> Iterator[FieldError]:
    container = next((each for each in containers if each.get("name") == status.get("name", "")), None)
    for index, given in enumerate(status.get(_GIVEN) or ()):
        where, name = f"{path}.{_GIVEN}[{index}]", given.get("name", "")
        if container is not None and (wrong := _name_fault(name, container.get("resources") or {})):
            yield field_error.invalid(f"{where}.name", name, wrong)
        yield from _health_errors(given.get("resources") or (), f"{where}.resources")


def _name_fault(name: str, resources: JsonObject) -> str:
    """Say what is wrong with the name of what a container was given; empty where it asked for it."""
    if not name.startswith(_CLAIM):
        is_asked = name in (resources.get("requests") or {})
        return "" if is_asked else "must match one of the container's resource requests"
    claims = ("/".join(filter(None, (each["name"], each.get("request")))) for each in resources.get("claims") or ())
    if name.removeprefix(_CLAIM) in claims:
        return ""
    form = "in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
    return f"must match one of the container's resource claims {form}"


def _health_errors(resources: Sequence[JsonObject], path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, resource in enumerate(resources):
        where, health, message = f"{path}[{index}]", resource.get("health", ""), resource.get("message")
        if health not in _HEALTH:
            yield field_error.not_supported(f"{where}.health", health, _HEALTH)
        if message == "":
            yield field_error.required(f"{where}.message", "must be non-empty if specified")
        elif message is not None and len(message.encode()) > _LONGEST_MESSAGE:
            yield field_error.too_long(f"{where}.message", _LONGEST_MESSAGE)
        if (identity := resource.get("resourceID", "")) in seen:
            yield field_error.duplicate(f"{where}.resourceID", identity)
        seen.add(identity)
