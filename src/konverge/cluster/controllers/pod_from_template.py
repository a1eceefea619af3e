"""A pod as its workload's template has it, owned by the workload; pure."""

from __future__ import annotations

import copy
from typing import Final

import konverge as kv
from konverge.models import core_v1

_LONGEST_NAME: Final = 253


def new_pod(template: core_v1.PodTemplateSpec, owner: kv.Object) -> core_v1.Pod:
    """Return a pod that the server is to name after its owner."""
    meta = template.metadata or kv.ObjectMeta()
    name = owner.metadata.name or ""
    metadata = kv.ObjectMeta(
        generate_name=f"{name}-" if len(name) < _LONGEST_NAME else name,
        namespace=owner.metadata.namespace,
        labels=dict(meta.labels) if meta.labels else None,
        annotations=dict(meta.annotations) if meta.annotations else None,
        finalizers=list(meta.finalizers) if meta.finalizers else None,
        owner_references=[kv.owner_reference(owner, controller=True, block_owner_deletion=True)],
    )
    return core_v1.Pod(metadata=metadata, spec=copy.deepcopy(template.spec or core_v1.PodSpec()))
