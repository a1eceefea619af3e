"""The resize of a pod: cpu and memory of containers and of the pod change while it runs, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.pod.annotations import MIRROR, NOWHERE
from konverge.cluster.apiserver.builtin.rules.pod.quality import quality_of_service
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_SORTS: Final = ("containers", "initContainers")
_RESIZED: Final = ("cpu", "memory")
_PARTS: Final = ("limits", "requests")
_ONLY: Final = "only cpu and memory resources are mutable"
_ONLY_INIT: Final = "only cpu and memory resources for init or sidecar containers are mutable"
_ONLY_WHOLE: Final = "only cpu and memory resources are mutable at pod-level"


def resized(spec: JsonObject, old: JsonObject) -> JsonObject:
    """Return the old spec with the resources of the new one; the new one as it is, where its containers are others."""
    if any(len(spec.get(sort) or ()) != len(old.get(sort) or ()) for sort in _SORTS):
        return spec
    kept = {name: value for name, value in old.items() if name != "resources"}
    if "resources" in spec:
        kept["resources"] = spec["resources"]
    for sort in _SORTS:
        if spec.get(sort):
            kept[sort] = _resized_containers(spec[sort], old[sort])
    return kept


def _resized_containers(containers: list[JsonObject], old: list[JsonObject]) -> list[JsonObject]:
    if any(new["name"] != before["name"] for new, before in zip(containers, old, strict=True)):
        return containers  # validation says that this is not for a resize
    names = ("resources", "resizePolicy")
    return [
        {**{name: value for name, value in before.items() if name not in names}, **_taken(new, names)}
        for new, before in zip(containers, old, strict=True)
    ]


def _taken(value: JsonObject, names: tuple[str, ...]) -> JsonObject:
    return {name: value[name] for name in names if name in value}


def refused_errors(old: JsonObject) -> list[FieldError]:
    """Judge the pod itself: what is wrong with these is all that is told."""
    if MIRROR in (old["metadata"].get("annotations") or {}):
        return [field_error.forbidden(NOWHERE, "static pods cannot be resized")]
    if (old["spec"].get("os") or {}).get("name") == "windows":
        return [field_error.forbidden(NOWHERE, "windows pods cannot be resized")]
    return []


def resize_errors(pod: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge a pod that differs from the old one in resources."""
    spec, before, status = pod["spec"], old["spec"], old.get("status") or {}
    if (status.get("qosClass") or quality_of_service(old)) != quality_of_service(pod):
        wrong = "Pod QOS Class may not change as a result of resizing"
        yield field_error.invalid("spec", status.get("qosClass", ""), wrong)
    if not _is_supported(status):
        yield field_error.forbidden("spec", "Pod running on node without support for resize")
    if _has_amounts(spec) or _has_amounts(before):
        yield from _whole_errors(spec.get("resources"), before.get("resources"))
    if status.get("nodeAllocatableResourceClaimStatuses"):
        wrong = "pods with node allocatable resource claims cannot be resized"
        yield field_error.forbidden("spec", wrong)
    errors = list(_order_errors(spec, before))
    yield from errors or _container_errors(spec, before)


def _is_supported(status: JsonObject) -> bool:
    """Whether the first container that runs shows its resources; where none runs, nobody knows."""
    running = [each for each in status.get("containerStatuses") or () if (each.get("state") or {}).get("running")]
    return not running or running[0].get("resources") is not None


def _has_amounts(spec: JsonObject) -> bool:
    return any((spec.get("resources") or {}).get(part) for part in _PARTS)


def _whole_errors(resources: JsonObject | None, old: JsonObject | None) -> Iterator[FieldError]:
    if old is not None:
        if resources is None:
            yield field_error.forbidden("spec.resources", "pod-level resources cannot be removed")
            return
        for part in ("requests", "limits"):
            if _has_lost(resources, old, part):
                wrong = f"pod-level resource {part} cannot be removed"
                yield field_error.forbidden(f"spec.resources.{part}", wrong)
    given = dict(resources or {})
    masked = {**given, **{part: _masked(given.get(part), (old or {}).get(part)) for part in _PARTS}}
    if not _is_same(masked, old or {}):
        yield field_error.forbidden("spec", _ONLY_WHOLE)


def _has_lost(resources: JsonObject, old: JsonObject, part: str) -> bool:
    return any(name not in (resources.get(part) or {}) for name in old.get(part) or ())


def _masked(amounts: JsonObject | None, old: JsonObject | None) -> JsonObject:
    """Return amounts with the old ones of what may change."""
    others = {name: amount for name, amount in (amounts or {}).items() if name not in _RESIZED}
    return others | {name: amount for name, amount in (old or {}).items() if name in _RESIZED}


def _is_same(resources: JsonObject, old: JsonObject) -> bool:
    same_claims = (resources.get("claims") or []) == (old.get("claims") or [])
    return same_claims and all(_amounts(resources, part) == _amounts(old, part) for part in _PARTS)


def _amounts(resources: JsonObject, part: str) -> dict[str, Quantity]:
    return {name: Quantity(amount) for name, amount in (resources.get(part) or {}).items()}


def _order_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    for sort in _SORTS:
        names = [[each["name"] for each in whole.get(sort) or ()] for whole in (spec, old)]
        if len(names[0]) != len(names[1]):
            yield field_error.forbidden(f"spec.{sort}", f"{sort} may not be added or removed on resize")
            continue
        for index, (name, before) in enumerate(zip(*names, strict=True)):
            if name != before:
                wrong = f"{sort} may not be renamed or reordered on resize"
                yield field_error.forbidden(f"spec.{sort}[{index}].name", wrong)


def _container_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    for sort in reversed(_SORTS):
        for index, (new, before) in enumerate(_pairs(spec, old, sort)):
            yield from _lost_errors(new, before, f"spec.{sort}[{index}].resources")
    for new, before in _pairs(spec, old, "containers"):
        if not _is_only_resized(new, before):
            yield field_error.forbidden("spec", _ONLY)
    for index, (new, before) in enumerate(_pairs(spec, old, "initContainers")):
        if not _is_only_resized(new, before):
            yield field_error.forbidden(f"spec.initContainers[{index}]", _ONLY_INIT)


def _pairs(spec: JsonObject, old: JsonObject, sort: str) -> Iterator[tuple[JsonObject, JsonObject]]:
    return zip(spec.get(sort) or (), old.get(sort) or (), strict=True)


def _lost_errors(new: JsonObject, old: JsonObject, path: str) -> Iterator[FieldError]:
    resources, before = new.get("resources") or {}, old.get("resources") or {}
    for part in ("requests", "limits"):
        if _has_lost(resources, before, part):
            yield field_error.forbidden(f"{path}.{part}", f"resource {part} cannot be removed")


def _is_only_resized(new: JsonObject, old: JsonObject) -> bool:
    """Whether but for cpu and memory a container is as it was; one that uses claims never is, to the real server."""
    resources, before = new.get("resources") or {}, old.get("resources") or {}
    masked: dict[str, Any] = {part: _masked(resources.get(part), before.get(part)) for part in _PARTS}
    return _is_same(masked, before) and (new.get("resizePolicy") or []) == (old.get("resizePolicy") or [])
