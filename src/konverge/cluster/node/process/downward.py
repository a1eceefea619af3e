"""The downward API: what a pod tells its containers of itself, by fields and by resources; pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

import msgspec

from konverge.api.quantity import Quantity
from konverge.cluster.node.process.pod_sources import ConfigProblem
from konverge.models import core_v1

_SUBSCRIPT: Final = re.compile(r"(metadata\.(?:annotations|labels))\['(.*)'\]", re.DOTALL)
_CONTROL: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


class Whereabouts(msgspec.Struct, frozen=True, kw_only=True):
    """What a pod may ask of its place before its status says it."""

    node: str
    host_ip: str
    pod_ip: str
    allocatable: Mapping[str, str]  # of the node: what a container without a limit may use


def field_value(pod: core_v1.Pod, path: str, where: Whereabouts) -> str:
    """Return what a field of a pod says to its containers."""
    meta = pod.metadata
    if (match := _SUBSCRIPT.fullmatch(path)) is not None:
        mapping = meta.annotations if match[1].endswith("annotations") else meta.labels
        return (mapping or {}).get(match[2], "")
    values = {
        "metadata.name": meta.name,
        "metadata.namespace": meta.namespace,
        "metadata.uid": meta.uid,
        "metadata.labels": _lines(meta.labels),
        "metadata.annotations": _lines(meta.annotations),
        "spec.nodeName": where.node,
        "spec.serviceAccountName": pod.spec.service_account_name or "default",
        "status.hostIP": where.host_ip,
        "status.hostIPs": where.host_ip,
        "status.podIP": where.pod_ip,
        "status.podIPs": where.pod_ip,
    }
    if path not in values:
        raise ConfigProblem(f"unsupported fieldPath: {path}")
    return values[path] or ""


def _lines(mapping: Mapping[str, str] | None) -> str:
    return "\n".join(f"{key}={_quoted(value)}" for key, value in sorted((mapping or {}).items()))


def _quoted(text: str) -> str:
    """A value as Go quotes it, as far as labels and ordinary annotations go."""
    return '"' + "".join(_CONTROL.get(char, char) for char in text) + '"'


def resource_value(pod: core_v1.Pod, selector: core_v1.ResourceFieldSelector, own: str, where: Whereabouts) -> str:
    """Return what a container may use or asks for, in units of the divisor and rounded up; `own`: who asks."""
    name = selector.container_name or own
    everyone = (*(pod.spec.init_containers or ()), *pod.spec.containers)
    container = next((each for each in everyone if each.name == name), None)
    if container is None:
        raise ConfigProblem(f"container {name} not found")
    kind, _, resource = selector.resource.partition(".")
    if kind not in ("limits", "requests") or not resource:
        raise ConfigProblem(f"unsupported container resource : {selector.resource}")
    amount = Quantity(_amount(container, kind, resource, where))
    divisor = Quantity(str(selector.divisor or "1"))
    return str(math.ceil(amount.decimal / (divisor.decimal or 1)))


def _amount(container: core_v1.Container, kind: str, resource: str, where: Whereabouts) -> str:
    resources = container.resources or core_v1.ResourceRequirements()
    asked = (resources.limits if kind == "limits" else resources.requests) or {}
    if resource in asked:
        return str(asked[resource])
    return where.allocatable.get(resource, "0") if kind == "limits" else "0"
