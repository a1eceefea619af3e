"""The scale subresource: replicas and selector of any kind that has them, as one autoscaling/v1 Scale."""

from __future__ import annotations

from typing import Any, Final

from konverge.api.label_selector import LabelSelector
from konverge.cluster.apiserver.failure import internal
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject

_METADATA: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_of(resource: Resource, value: JsonObject, *, needs_replicas: bool = True) -> JsonObject:
    """Return the Scale of an object; of a resource that has one."""
    if resource.scale is None:
        raise ValueError(f"{resource.plural} have no scale")
    metadata = value.get("metadata") or {}
    replicas = at(value, resource.scale.spec_replicas)
    if replicas is None and resource.is_custom and needs_replicas:
        path = f".{resource.scale.spec_replicas}"
        raise internal(f"the spec replicas field {quoted(path)} does not exist")
    status: JsonObject = {"replicas": at(value, resource.scale.status_replicas) or 0}
    selector = selector_text(at(value, resource.scale.label_selector)) if resource.scale.label_selector else ""
    if selector:
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _METADATA if metadata.get(name)},
        "spec": {"replicas": replicas} if replicas else {},
        "status": status,
    }


def at(value: Any, path: str) -> Any:
    """Return what stands at a path of plain names, or None."""
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def selector_text(selector: Any) -> str:
    """Return a selector as text: a custom resource's is one, built-in kinds have a LabelSelector or a map."""
    if not selector or isinstance(selector, str):
        return selector or ""
    if selector.keys() & {"matchLabels", "matchExpressions"}:
        return str(LabelSelector.from_spec(selector))
    return str(LabelSelector.from_labels(selector))
