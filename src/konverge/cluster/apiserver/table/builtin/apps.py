"""Kinds of the group apps."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.failure import qualified
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import (
    NONE,
    Cells,
    Printer,
    age_of,
    below,
    containers_of,
    labels_text,
    listed,
    name_of,
    selector_text,
)


def _controller_revision(value: JsonObject) -> Cells:
    return [name_of(value), _controller(value), value.get("revision", 0), age_of(value)]


def _controller(value: JsonObject) -> str:
    owners = listed(value, "metadata", "ownerReferences")
    owner = next((owner for owner in owners if owner.get("controller")), None)
    if owner is None:
        return NONE
    group, slash, _ = owner.get("apiVersion", "").partition("/")
    return f"{qualified(owner.get('kind', ''), group if slash else '').lower()}/{owner.get('name', '')}"


def _daemon_set(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    template = below(spec, "template")
    return [
        name_of(value),
        status.get("desiredNumberScheduled", 0),
        status.get("currentNumberScheduled", 0),
        status.get("numberReady", 0),
        status.get("updatedNumberScheduled", 0),
        status.get("numberAvailable", 0),
        labels_text(below(template, "spec").get("nodeSelector")),
        age_of(value),
        *containers_of(template),
        selector_text(spec.get("selector")),
    ]


def _deployment(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    return [
        name_of(value),
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        status.get("updatedReplicas", 0),
        status.get("availableReplicas", 0),
        age_of(value),
        *containers_of(below(spec, "template")),
        selector_text(spec.get("selector"), nothing="", wrong="<invalid>"),
    ]


def _replica_set(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    return [
        name_of(value),
        spec.get("replicas", 0),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        age_of(value),
        *containers_of(below(spec, "template")),
        selector_text(spec.get("selector")),
    ]


def _stateful_set(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    ready = f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}"
    return [name_of(value), ready, age_of(value), *containers_of(below(spec, "template"))]


PRINTERS: Final[dict[str, Printer]] = {
    "ControllerRevision": _controller_revision,
    "DaemonSet": _daemon_set,
    "Deployment": _deployment,
    "ReplicaSet": _replica_set,
    "StatefulSet": _stateful_set,
}
