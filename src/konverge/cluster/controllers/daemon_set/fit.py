"""Fit: whether a daemon set has a pod on a node: to begin one there, and to leave one there that runs; pure."""

from __future__ import annotations

import copy
from typing import Final

import msgspec

from konverge.cluster.node_fit import selects, tolerates
from konverge.models import apps_v1, core_v1

# A daemon stays with a node that has problems: it may be what finds them out.
_EVICTING: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_REFUSING: Final = (
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/unschedulable",
)
_WITHOUT_NETWORK: Final = "node.kubernetes.io/network-unavailable"


class Fit(msgspec.Struct, frozen=True):
    """Whether a pod belongs on a node."""

    begins: bool  # where there is none, one is made
    stays: bool  # where there is one, it is left


def fit_of(daemon_set: apps_v1.DaemonSet, node: core_v1.Node) -> Fit:
    """Return whether a daemon set has a pod on a node."""
    template = daemon_set.spec.template
    spec = with_tolerations(template.spec or core_v1.PodSpec())
    pod = core_v1.Pod(spec=spec)
    if spec.node_name not in {None, "", node.metadata.name} or not selects(pod, node):
        return Fit(begins=False, stays=False)
    hostile = [taint.effect for taint in node.spec.taints or () if not tolerates(pod, taint)]
    return Fit(begins=not {"NoSchedule", "NoExecute"} & {*hostile}, stays="NoExecute" not in hostile)


def with_tolerations(spec: core_v1.PodSpec) -> core_v1.PodSpec:
    """Return a copy of a pod's spec that tolerates what every daemon does."""
    made = copy.deepcopy(spec)
    keys = (*_REFUSING, *((_WITHOUT_NETWORK,) if spec.host_network else ()))
    for effect, words in (("NoExecute", _EVICTING), ("NoSchedule", keys)):
        for key in words:
            made.tolerations = _with(
                made.tolerations or [], core_v1.Toleration(key=key, operator="Exists", effect=effect)
            )
    return made


def _with(tolerations: list[core_v1.Toleration], wanted: core_v1.Toleration) -> list[core_v1.Toleration]:
    """Put one in the place of one for the same taint, or at the end."""
    place = next((at for at, there in enumerate(tolerations) if _taint(there) == _taint(wanted)), None)
    return [*tolerations, wanted] if place is None else [*tolerations[:place], wanted, *tolerations[place + 1 :]]


def _taint(toleration: core_v1.Toleration) -> tuple[str | None, ...]:
    return toleration.key, toleration.effect, toleration.operator, toleration.value or None
