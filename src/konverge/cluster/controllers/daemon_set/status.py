"""The status of a daemon set: on how many nodes it is to run, does, should not, and works; pure."""

from __future__ import annotations

from konverge.cluster.controllers.daemon_set.daemon_pod import is_up_to_date
from konverge.cluster.controllers.daemon_set.placement import Landscape
from konverge.cluster.controllers.pod_state import is_ready
from konverge.models import apps_v1


def status_of(landscape: Landscape) -> apps_v1.DaemonSetStatus:
    """Return the status; of several pods on a node the eldest counts."""
    daemon_set = landscape.daemon_set
    wanted = [node for node, fit in landscape.fits.items() if fit.begins]
    unwanted = [node for node, fit in landscape.fits.items() if not fit.begins]
    eldest = [landscape.pods[node][0] for node in wanted if landscape.pods.get(node)]
    ready = [pod for pod in eldest if is_ready(pod)]
    available = sum(landscape.is_available(pod) for pod in ready)
    return apps_v1.DaemonSetStatus(
        observed_generation=daemon_set.metadata.generation,
        desired_number_scheduled=len(wanted),
        current_number_scheduled=len(eldest),
        number_misscheduled=sum(bool(landscape.pods.get(node)) for node in unwanted),
        number_ready=len(ready),
        number_available=available or None,
        number_unavailable=len(wanted) - available or None,
        updated_number_scheduled=sum(is_up_to_date(daemon_set, pod, landscape.revision_hash) for pod in eldest) or None,
        collision_count=daemon_set.status.collision_count,
        conditions=daemon_set.status.conditions,
    )
