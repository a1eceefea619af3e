"""Identity: what makes a pod the one and only of its number: its name, host name, labels and volumes; pure."""

from __future__ import annotations

import copy
import re
from typing import Final

from konverge.cluster.controllers.controller_revision import HASH
from konverge.cluster.controllers.pod_from_template import new_pod
from konverge.models import apps_v1, core_v1

POD_NAME: Final = "statefulset.kubernetes.io/pod-name"
POD_INDEX: Final = "apps.kubernetes.io/pod-index"
_NAME: Final = re.compile(r"(.*)-([0-9]+)", re.DOTALL)
_MOST: Final = 2**31 - 1


def ordinal_of(pod: core_v1.Pod) -> int:
    """Return the number of a pod; -1 if its name has none."""
    match = _NAME.fullmatch(pod.metadata.name or "")
    return int(match[2]) if match and int(match[2]) <= _MOST else -1


def is_member(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod) -> bool:
    """Whether the name of a pod is one of the set's."""
    match = _NAME.fullmatch(pod.metadata.name or "")
    return match is not None and match[1] == stateful_set.metadata.name


def start_of(stateful_set: apps_v1.StatefulSet) -> int:
    """Return the first number."""
    ordinals = stateful_set.spec.ordinals
    return (ordinals.start or 0) if ordinals else 0


def replicas_of(stateful_set: apps_v1.StatefulSet) -> int:
    """Return how many pods there are to be."""
    wanted = stateful_set.spec.replicas
    return 1 if wanted is None else wanted


def is_in_range(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod) -> bool:
    """Whether the set has a place for the number of a pod."""
    return 0 <= ordinal_of(pod) - start_of(stateful_set) < replicas_of(stateful_set)


def revision_of(pod: core_v1.Pod) -> str:
    """Return the name of the revision that a pod is of."""
    return (pod.metadata.labels or {}).get(HASH, "")


def pod_name(stateful_set: apps_v1.StatefulSet, ordinal: int) -> str:
    """Return the name of the pod of a number."""
    return f"{stateful_set.metadata.name}-{ordinal}"


def claim_name(stateful_set: apps_v1.StatefulSet, template: core_v1.PersistentVolumeClaim, ordinal: int) -> str:
    """Return the name of the volume claim that a pod of a number has of a template."""
    return f"{template.metadata.name}-{stateful_set.metadata.name}-{ordinal}"


def pod_of(
    stateful_set: apps_v1.StatefulSet, template: core_v1.PodTemplateSpec, *, revision: str, ordinal: int
) -> core_v1.Pod:
    """Return the pod of a number and a revision, to be created."""
    pod = new_pod(template, stateful_set)
    pod.metadata.name = pod_name(stateful_set, ordinal)
    pod.spec.hostname = pod.metadata.name
    pod.spec.subdomain = stateful_set.spec.service_name or None
    put_identity(pod)
    pod.metadata.labels = {**(pod.metadata.labels or {}), HASH: revision}
    put_volumes(stateful_set, pod)
    return pod


def has_identity(pod: core_v1.Pod) -> bool:
    """Whether a pod of the set bears its name as a label."""
    return (pod.metadata.labels or {}).get(POD_NAME) == pod.metadata.name


def put_identity(pod: core_v1.Pod) -> None:
    """Give a pod its name and number as labels."""
    name = pod.metadata.name or ""
    pod.metadata.labels = {**(pod.metadata.labels or {}), POD_NAME: name, POD_INDEX: str(ordinal_of(pod))}


def has_volumes(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod) -> bool:
    """Whether a pod uses the claims of its number."""
    used = {
        volume.name: volume.persistent_volume_claim.claim_name
        for volume in pod.spec.volumes or ()
        if volume.persistent_volume_claim
    }
    return all(used.get(name) == claim for name, claim in _volume_claims(stateful_set, pod).items())


def put_volumes(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod) -> None:
    """Make a pod use the claims of its number, whatever volumes of their names the template has."""
    claims = _volume_claims(stateful_set, pod)
    own = [
        core_v1.Volume(name=name, persistent_volume_claim=core_v1.PersistentVolumeClaimVolumeSource(claim_name=claim))
        for name, claim in claims.items()
    ]
    others = [copy.copy(volume) for volume in pod.spec.volumes or () if volume.name not in claims]
    pod.spec.volumes = [*own, *others] or None


def _volume_claims(stateful_set: apps_v1.StatefulSet, pod: core_v1.Pod) -> dict[str, str]:
    templates = stateful_set.spec.volume_claim_templates or ()
    ordinal = ordinal_of(pod)
    return {template.metadata.name or "": claim_name(stateful_set, template, ordinal) for template in templates}
