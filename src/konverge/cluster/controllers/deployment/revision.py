"""Revisions: which ReplicaSet a Deployment's template asks for, and what the annotations of both remember; pure."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Final

import konverge as kv
from konverge.cluster.controllers.deployment.sizes import max_surge, size_of, wanted
from konverge.cluster.controllers.template import same_template
from konverge.cluster.controllers.template_hash import template_hash
from konverge.models import apps_v1, core_v1

HASH_LABEL: Final = "pod-template-hash"
REVISION: Final = "deployment.kubernetes.io/revision"
HISTORY: Final = "deployment.kubernetes.io/revision-history"
DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
MOST: Final = "deployment.kubernetes.io/max-replicas"
ROLLBACK: Final = "deprecated.deployment.rollback.to"
_OWN: Final = (REVISION, HISTORY, DESIRED, MOST, ROLLBACK, "kubectl.kubernetes.io/last-applied-configuration")
_LONGEST_HISTORY: Final = 2000  # characters
_LONGEST_NAME: Final = 253


def by_age(replica_sets: Iterable[apps_v1.ReplicaSet]) -> list[apps_v1.ReplicaSet]:
    """Return ReplicaSets from the oldest to the newest."""
    return sorted(replica_sets, key=lambda each: (each.metadata.creation_timestamp, each.metadata.name))


def find_new(deployment: apps_v1.Deployment, replica_sets: Iterable[apps_v1.ReplicaSet]) -> apps_v1.ReplicaSet | None:
    """Return the ReplicaSet that has the Deployment's template; of several, the oldest."""
    template = deployment.spec.template
    return next((each for each in by_age(replica_sets) if same_template(template, each.spec.template)), None)


def new_replica_set(deployment: apps_v1.Deployment) -> apps_v1.ReplicaSet:
    """Return the ReplicaSet of the Deployment's template, named after the template's hash and still without pods."""
    digest = template_hash(deployment.spec.template, deployment.status.collision_count)
    template = copy.deepcopy(deployment.spec.template)
    meta = template.metadata = template.metadata or kv.ObjectMeta()
    meta.labels = {**(meta.labels or {}), HASH_LABEL: digest}
    selector = copy.deepcopy(deployment.spec.selector)
    selector.match_labels = {**(selector.match_labels or {}), HASH_LABEL: digest}
    room = _LONGEST_NAME - 1 - len(digest)
    return apps_v1.ReplicaSet(
        metadata=kv.ObjectMeta(
            name=f"{(deployment.metadata.name or '')[:room]}-{digest}",
            namespace=deployment.metadata.namespace,
            labels=dict(meta.labels),
            owner_references=[kv.owner_reference(deployment, controller=True, block_owner_deletion=True)],
        ),
        spec=apps_v1.ReplicaSetSpec(
            replicas=0,
            min_ready_seconds=deployment.spec.min_ready_seconds,
            selector=selector,
            template=template,
        ),
    )


# --- what annotations remember ---


def revision_of(obj: kv.Object) -> int:
    """Return the revision that an object says it has; 0 if it says none, or nonsense."""
    return _number((obj.metadata.annotations or {}).get(REVISION))


def _number(text: str | None) -> int:
    try:
        return int(text or 0)
    except ValueError:
        return 0


def next_revision(old: Iterable[apps_v1.ReplicaSet]) -> int:
    """Return the revision of what comes after these."""
    return max(map(revision_of, old), default=0) + 1


def last_revision(replica_sets: Iterable[apps_v1.ReplicaSet]) -> int:
    """Return the revision before the current one; 0 if there is none."""
    known = sorted(map(revision_of, replica_sets), reverse=True)
    return known[1] if len(known) > 1 else 0


def annotate_new(deployment: apps_v1.Deployment, replica_set: apps_v1.ReplicaSet, revision: int) -> None:
    """Give the new ReplicaSet the Deployment's annotations and a revision; one it had before goes into its history."""
    given = deployment.metadata.annotations or {}
    copied = {key: value for key, value in given.items() if key not in _OWN}
    annotations = {**(replica_set.metadata.annotations or {}), **copied}
    before = annotations.get(REVISION)
    if _number(before) < revision:
        annotations[REVISION] = str(revision)
        if before is not None:
            annotations[HISTORY] = _longer_history(annotations.get(HISTORY, ""), before)
    replica_set.metadata.annotations = annotations


def _longer_history(history: str, revision: str) -> str:
    known = [*(history.split(",") if history else ()), revision]
    while len(",".join(known)) > _LONGEST_HISTORY and len(known) > 1:
        known.pop(0)
    return ",".join(known)


def annotate_size(deployment: apps_v1.Deployment, replica_set: apps_v1.ReplicaSet) -> None:
    """Write down what the Deployment's size was, so that a later change of it can be told from a rollout."""
    desired = wanted(deployment)
    sizes = {DESIRED: str(desired), MOST: str(desired + max_surge(deployment))}
    replica_set.metadata.annotations = {**(replica_set.metadata.annotations or {}), **sizes}


def remembered(replica_set: apps_v1.ReplicaSet, annotation: str) -> int | None:
    """Return a size that was written down."""
    text = (replica_set.metadata.annotations or {}).get(annotation, "")
    return int(text) if text.isascii() and text.isdigit() else None


def is_resized(deployment: apps_v1.Deployment, replica_sets: Iterable[apps_v1.ReplicaSet]) -> bool:
    """Whether the Deployment's size was changed since it was written down."""
    sizes = (remembered(each, DESIRED) for each in replica_sets if size_of(each) > 0)
    return any(size is not None and size != wanted(deployment) for size in sizes)


def rollback_target(deployment: apps_v1.Deployment) -> int | None:
    """Return the revision that is asked for by the old annotation (0: the last one); None if none is."""
    text = (deployment.metadata.annotations or {}).get(ROLLBACK, "")
    return int(text) if text.lstrip("-").isdigit() else None


def take_template(deployment: apps_v1.Deployment, replica_set: apps_v1.ReplicaSet) -> None:
    """Make a Deployment what it was when it had this ReplicaSet: its template and its annotations."""
    template = copy.deepcopy(replica_set.spec.template) or core_v1.PodTemplateSpec()
    if template.metadata is not None and template.metadata.labels:
        template.metadata.labels.pop(HASH_LABEL, None)
    deployment.spec.template = template
    own = {key: value for key, value in (deployment.metadata.annotations or {}).items() if key in _OWN}
    theirs = {key: value for key, value in (replica_set.metadata.annotations or {}).items() if key not in _OWN}
    deployment.metadata.annotations = {**own, **theirs}


def surplus(deployment: apps_v1.Deployment, old: Sequence[apps_v1.ReplicaSet]) -> list[apps_v1.ReplicaSet]:
    """Return the old ReplicaSets that are beyond what is kept for going back, and hold no pods."""
    limit = deployment.spec.revision_history_limit
    if limit is None or limit == 2**31 - 1:
        return []
    alive = [each for each in old if not each.metadata.deletion_timestamp]
    count = len(alive) - limit
    oldest = sorted(by_age(alive), key=revision_of)[: max(count, 0)]
    return [each for each in oldest if _is_empty(each)]


def _is_empty(replica_set: apps_v1.ReplicaSet) -> bool:
    seen = replica_set.status.observed_generation or 0
    return (
        not replica_set.status.replicas and size_of(replica_set) == 0 and (replica_set.metadata.generation or 0) <= seen
    )
