"""Admission that belongs to the server: what Kubernetes' own plugins change in an object, or refuse, by default.

It comes between the reading of a request and the kind's own rules, as the real server's plugins do, in their order.
It looks at other objects (a pod's service account, the default storage class), which a kind's rules never do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.admission.certificates import judge_approver, judge_signer, judge_subject
from konverge.cluster.apiserver.builtin.admission.claim_growth import judge_claim_growth
from konverge.cluster.apiserver.builtin.admission.default_class import set_ingress_class, set_storage_class
from konverge.cluster.apiserver.builtin.admission.limit_defaults import set_limit_defaults
from konverge.cluster.apiserver.builtin.admission.limit_range_name import name_limit_range
from konverge.cluster.apiserver.builtin.admission.node_taint import taint_node
from konverge.cluster.apiserver.builtin.admission.pod_priority import admit_priority_class, set_priority
from konverge.cluster.apiserver.builtin.admission.requester import set_requester
from konverge.cluster.apiserver.builtin.admission.resize_room import judge_node_features, judge_resize_room
from konverge.cluster.apiserver.builtin.admission.runtime_class import apply_runtime_class, judge_overhead
from konverge.cluster.apiserver.builtin.admission.service_account import set_service_account
from konverge.cluster.apiserver.builtin.admission.storage_protection import protect_storage
from konverge.cluster.apiserver.builtin.admission.tolerations import set_tolerations
from konverge.cluster.apiserver.builtin.admission.topology_labels import label_placed_pod

Admit = Callable[[Admission], None]

_PLUGINS: Final[Mapping[tuple[str, str], tuple[Admit, ...]]] = {
    ("", "LimitRange"): (name_limit_range,),
    ("", "Node"): (taint_node,),
    ("", "PersistentVolume"): (protect_storage,),
    ("", "PersistentVolumeClaim"): (set_storage_class, protect_storage),
    ("", "Pod"): (
        set_limit_defaults,
        set_service_account,
        set_priority,
        set_tolerations,
        apply_runtime_class,
        label_placed_pod,
    ),
    ("certificates.k8s.io", "CertificateSigningRequest"): (set_requester,),
    ("networking.k8s.io", "Ingress"): (set_ingress_class,),
    ("scheduling.k8s.io", "PriorityClass"): (admit_priority_class,),
    ("storage.k8s.io", "VolumeAttributesClass"): (protect_storage,),
}
_JUDGES: Final[Mapping[tuple[str, str], tuple[Admit, ...]]] = {
    ("", "PersistentVolumeClaim"): (judge_claim_growth,),
    ("", "Pod"): (judge_overhead, judge_node_features, judge_resize_room),
    ("certificates.k8s.io", "CertificateSigningRequest"): (judge_approver, judge_signer, judge_subject),
}


def of(group: str, kind: str) -> tuple[Admit, ...]:
    """Return the plugins that look at a kind, in order."""
    return _PLUGINS.get((group, kind), ())


def judges_of(group: str, kind: str) -> tuple[Admit, ...]:
    """Return the plugins that look at objects of a kind when its own rules have taken them, and change nothing."""
    return _JUDGES.get((group, kind), ())
