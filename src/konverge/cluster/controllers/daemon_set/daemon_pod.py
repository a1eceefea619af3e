"""The pod of a daemon set on one node: how it is made, for which node it is, and whether it is up to date; pure."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from konverge.cluster.controllers.controller_revision import HASH
from konverge.cluster.controllers.daemon_set.fit import with_tolerations
from konverge.cluster.controllers.pod_from_template import new_pod
from konverge.cluster.controllers.pod_state import is_terminal
from konverge.models import apps_v1, core_v1

_GENERATION: Final = "deprecated.daemonset.template.generation"
_GENERATION_LABEL: Final = "pod-template-generation"
_NODE_NAME: Final = "metadata.name"
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


def pod_for(daemon_set: apps_v1.DaemonSet, node: str, revision_hash: str) -> core_v1.Pod:
    """Return the pod to create for a node; the scheduler binds it there, by its affinity."""
    pod = new_pod(daemon_set.spec.template, daemon_set)
    labels = {**(pod.metadata.labels or {}), HASH: revision_hash}
    if generation := _generation(daemon_set):
        labels[_GENERATION_LABEL] = generation
    pod.metadata.labels = labels
    pod.spec = with_tolerations(pod.spec)
    pod.spec.affinity = _bound_to(node, pod.spec.affinity)
    return pod


def _bound_to(node: str, affinity: core_v1.Affinity | None) -> core_v1.Affinity:
    """Replace what an affinity requires of a node by its name; the node was found to meet it."""
    made = copy.copy(affinity) if affinity else core_v1.Affinity()
    of_node = copy.copy(made.node_affinity) if made.node_affinity else core_v1.NodeAffinity()
    named = core_v1.NodeSelectorRequirement(key=_NODE_NAME, operator="In", values=[node])
    of_node.required_during_scheduling_ignored_during_execution = core_v1.NodeSelector(
        node_selector_terms=[core_v1.NodeSelectorTerm(match_fields=[named])]
    )
    made.node_affinity = of_node
    return made


def node_of(pod: core_v1.Pod) -> str | None:
    """Return the node that a pod is bound to, or is for."""
    if pod.spec.node_name:
        return pod.spec.node_name
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity else None
    for term in required.node_selector_terms if required else ():
        for field in term.match_fields or ():
            if (field.key, field.operator, len(field.values or ())) == (_NODE_NAME, "In", 1):
                return (field.values or [""])[0]
    return None


def by_node(pods: Iterable[core_v1.Pod]) -> dict[str, list[core_v1.Pod]]:
    """Return the pods of each node, the eldest first; those that have ended and are deleted are history."""
    found: dict[str, list[core_v1.Pod]] = {}
    for pod in sorted(pods, key=_age):
        node = node_of(pod)
        if node is not None and not (is_terminal(pod) and pod.metadata.deletion_timestamp):
            found.setdefault(node, []).append(pod)
    return found


def is_up_to_date(daemon_set: apps_v1.DaemonSet, pod: core_v1.Pod, revision_hash: str) -> bool:
    """Whether a pod has the newest template."""
    labels, generation = pod.metadata.labels or {}, _generation(daemon_set)
    return labels.get(HASH) == revision_hash or (bool(generation) and labels.get(_GENERATION_LABEL) == generation)


def _generation(daemon_set: apps_v1.DaemonSet) -> str:
    """The count of templates that older versions used; only where it is a number."""
    text = (daemon_set.metadata.annotations or {}).get(_GENERATION, "")
    return text if text.isdecimal() else ""


def _age(pod: core_v1.Pod) -> tuple[bool, datetime, str]:
    return not pod.spec.node_name, pod.metadata.creation_timestamp or _NEVER, pod.metadata.name or ""
