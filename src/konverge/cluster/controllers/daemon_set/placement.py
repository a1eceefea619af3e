"""Placement: one pod on each node that the daemon set fits, and none on the others; pure.

What has ended is deleted, to be made anew in the next run; so is what is too much. While a rollout surges, a node may
have two: an old one that works, and a new one that does not yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

import msgspec

from konverge.api.int_or_string import scaled_value
from konverge.cluster.controllers.controller_revision import HASH
from konverge.cluster.controllers.daemon_set.daemon_pod import by_node
from konverge.cluster.controllers.daemon_set.fit import Fit, fit_of
from konverge.cluster.controllers.pod_state import is_available, is_ready
from konverge.models import apps_v1, core_v1


class Landscape(msgspec.Struct, frozen=True, kw_only=True):
    """A daemon set among the nodes."""

    daemon_set: apps_v1.DaemonSet
    revision_hash: str  # of the newest template
    pods: Mapping[str, list[core_v1.Pod]]  # of each node, the eldest first
    fits: Mapping[str, Fit]  # of each node there is, by name
    now: datetime

    @classmethod
    def of(
        cls,
        daemon_set: apps_v1.DaemonSet,
        revision_hash: str,
        *,
        pods: Iterable[core_v1.Pod],
        nodes: Iterable[core_v1.Node],
        now: datetime,
    ) -> Landscape:
        """Return it, as pods and nodes are now."""
        fits = {node.metadata.name or "": fit_of(daemon_set, node) for node in nodes}
        return cls(daemon_set=daemon_set, revision_hash=revision_hash, pods=by_node(pods), fits=fits, now=now)

    @property
    def wanted(self) -> int:
        """On how many nodes a pod is to run."""
        return sum(fit.begins for fit in self.fits.values())

    def is_available(self, pod: core_v1.Pod) -> bool:
        """Whether a pod has been ready for long enough."""
        return is_available(pod, self.daemon_set.spec.min_ready_seconds or 0, self.now)


class Work(msgspec.Struct):
    """What is to be done."""

    create_on: list[str] = msgspec.field(default_factory=list)  # names of nodes
    delete: list[core_v1.Pod] = msgspec.field(default_factory=list)
    failed: list[core_v1.Pod] = msgspec.field(default_factory=list)  # of those, the ones that failed
    succeeded: list[core_v1.Pod] = msgspec.field(default_factory=list)  # … and the ones that ended well

    def __bool__(self) -> bool:
        return bool(self.create_on or self.delete)


def placement(landscape: Landscape, *, is_held_back: Callable[[core_v1.Pod], bool]) -> Work:
    """Decide which pods come and go; `is_held_back` says which failed pod is not replaced yet."""
    work = Work()
    for node, fit in landscape.fits.items():
        pods = [pod for pod in landscape.pods.get(node, ()) if not pod.metadata.deletion_timestamp]
        if not fit.stays:
            work.delete += pods
        elif fit.begins and not landscape.pods.get(node):
            work.create_on.append(node)
        else:
            running = _without_ended(pods, work, is_held_back)
            _tidy(landscape, node, running, work)
    work.delete += _lost(landscape)
    return work


def _without_ended(
    pods: list[core_v1.Pod], work: Work, is_held_back: Callable[[core_v1.Pod], bool]
) -> list[core_v1.Pod]:
    """Delete what has ended; return the rest."""
    failed = [pod for pod in pods if pod.status.phase == "Failed" and not is_held_back(pod)]
    succeeded = [pod for pod in pods if pod.status.phase == "Succeeded"]
    work.failed += failed
    work.succeeded += succeeded
    work.delete += [*failed, *succeeded]
    return [pod for pod in pods if pod.status.phase not in {"Failed", "Succeeded"}]


def _tidy(landscape: Landscape, node: str, running: list[core_v1.Pod], work: Work) -> None:
    """Delete what is too much on a node; while surging, make what is missing beside a pod that is on its way out."""
    if not surges(landscape.daemon_set):
        work.delete += running[1:]
    elif not running:
        work.create_on += [node] if landscape.fits[node].begins else []
    elif len(running) > 1:
        work.delete += _surplus(landscape, running)


def surges(daemon_set: apps_v1.DaemonSet) -> bool:
    """Whether a rollout may have two pods on a node."""
    strategy = daemon_set.spec.update_strategy
    rolling = strategy.rolling_update if strategy and strategy.type == "RollingUpdate" else None
    return rolling is not None and scaled_value(rolling.max_surge or 0, 1, round_up=True) > 0


def _surplus(landscape: Landscape, running: list[core_v1.Pod]) -> list[core_v1.Pod]:
    """All but the eldest new and the eldest old pod; of these two the old one, if it is of no more use."""
    new = [pod for pod in running if (pod.metadata.labels or {}).get(HASH) == landscape.revision_hash]
    old = [pod for pod in running if (pod.metadata.labels or {}).get(HASH) != landscape.revision_hash]
    replaced = bool(new and old) and (not is_ready(old[0]) or landscape.is_available(new[0]))
    return [*new[1:], *(old if replaced else old[1:])]


def _lost(landscape: Landscape) -> list[core_v1.Pod]:
    """The pods that wait for a node that is no more: nobody else would ever delete them."""
    gone = [pods for node, pods in landscape.pods.items() if node not in landscape.fits]
    return [pod for pods in gone for pod in pods if not pod.spec.node_name and not pod.metadata.deletion_timestamp]
