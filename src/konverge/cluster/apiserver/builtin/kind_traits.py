"""What each built-in kind does differently when it is written: one table, read from Kubernetes' own strategies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from konverge.cluster.apiserver.propagation import Propagation


class NameRule(StrEnum):
    """What the names of a kind may be."""

    SUBDOMAIN = "subdomain"
    LABEL = "label"
    PATH_SEGMENT = "path segment"
    ADDRESS = "address"


class StatusMetadata(StrEnum):
    """What of the metadata a write to the status may change."""

    ALL = "all"
    NOTHING = "nothing"
    NOT_LABELS = "all but labels"
    NOT_OWNERS = "all but owners"


@dataclass(frozen=True, slots=True, kw_only=True)
class KindTraits:
    """One kind's line."""

    creates_on_update: bool = False
    allows_unconditional_update: bool = True
    counted: tuple[str, ...] = ()  # paths whose change counts the generation; `*`: all but metadata; empty: none
    keeps_status: bool = True  # a plain write leaves the status alone: drops it on create, keeps the old one on update
    drops_status: bool = True  # a create cannot set the status
    status_metadata: StatusMetadata = StatusMetadata.ALL
    propagation: Propagation = Propagation.DELETE
    returns_deleted: bool = False  # a DELETE answers with the object instead of a Status
    name_rule: NameRule = NameRule.SUBDOMAIN
    judges_metadata: bool = True  # its own rules look at metadata, too: before those of all kinds, or once more


_SPEC: Final = ("spec",)
_PLAIN: Final = KindTraits()
_RBAC: Final = KindTraits(creates_on_update=True, name_rule=NameRule.PATH_SEGMENT)
_STRICT_STATUS: Final = StatusMetadata.NOTHING
_POLICY: Final = KindTraits(allows_unconditional_update=False, counted=_SPEC)
_WEBHOOKS: Final = KindTraits(allows_unconditional_update=False, counted=("webhooks",))
_FLOW: Final = KindTraits(counted=_SPEC, status_metadata=_STRICT_STATUS)
_WORKLOAD: Final = KindTraits(counted=_SPEC)
_RETURNED: Final = KindTraits(returns_deleted=True)

_KINDS: Final[Mapping[tuple[str, str], KindTraits]] = {
    ("", "Endpoints"): KindTraits(creates_on_update=True),
    ("", "Event"): KindTraits(
        creates_on_update=True,
        propagation=Propagation.UNSUPPORTED,
        name_rule=NameRule.PATH_SEGMENT,
        judges_metadata=False,
    ),
    ("", "LimitRange"): KindTraits(creates_on_update=True),
    ("", "Namespace"): KindTraits(returns_deleted=True, name_rule=NameRule.LABEL),
    ("", "Node"): KindTraits(drops_status=False),
    ("", "PersistentVolume"): _RETURNED,
    ("", "PersistentVolumeClaim"): _RETURNED,
    ("", "Pod"): KindTraits(counted=_SPEC, status_metadata=StatusMetadata.NOT_OWNERS, returns_deleted=True),
    ("", "PodTemplate"): KindTraits(counted=("template",), returns_deleted=True),
    ("", "ReplicationController"): KindTraits(counted=_SPEC, propagation=Propagation.ORPHAN),
    ("", "ResourceQuota"): _RETURNED,
    ("", "Service"): KindTraits(creates_on_update=True, returns_deleted=True, name_rule=NameRule.LABEL),
    ("", "ServiceAccount"): _RETURNED,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"): _POLICY,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"): _POLICY,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): _WEBHOOKS,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): KindTraits(
        allows_unconditional_update=False, counted=_SPEC, status_metadata=_STRICT_STATUS
    ),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): _POLICY,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): _WEBHOOKS,
    ("apiregistration.k8s.io", "APIService"): KindTraits(
        allows_unconditional_update=False, status_metadata=_STRICT_STATUS
    ),
    ("apps", "DaemonSet"): _WORKLOAD,
    ("apps", "Deployment"): KindTraits(
        counted=("spec", "metadata.annotations"), status_metadata=StatusMetadata.NOT_LABELS
    ),
    ("apps", "ReplicaSet"): _WORKLOAD,
    ("apps", "StatefulSet"): KindTraits(counted=_SPEC, name_rule=NameRule.LABEL),
    ("batch", "CronJob"): _WORKLOAD,
    ("batch", "Job"): KindTraits(counted=_SPEC, propagation=Propagation.ORPHAN),
    ("certificates.k8s.io", "CertificateSigningRequest"): KindTraits(name_rule=NameRule.PATH_SEGMENT),
    ("coordination.k8s.io", "Lease"): KindTraits(creates_on_update=True, allows_unconditional_update=False),
    ("discovery.k8s.io", "EndpointSlice"): KindTraits(counted=("*", "metadata.labels")),
    ("events.k8s.io", "Event"): KindTraits(
        creates_on_update=True, propagation=Propagation.UNSUPPORTED, name_rule=NameRule.PATH_SEGMENT
    ),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): _FLOW,
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"): _FLOW,
    ("networking.k8s.io", "IPAddress"): KindTraits(name_rule=NameRule.ADDRESS),
    ("networking.k8s.io", "Ingress"): _WORKLOAD,
    ("networking.k8s.io", "IngressClass"): _WORKLOAD,
    ("networking.k8s.io", "NetworkPolicy"): _WORKLOAD,
    ("networking.k8s.io", "ServiceCIDR"): KindTraits(status_metadata=_STRICT_STATUS),
    ("node.k8s.io", "RuntimeClass"): KindTraits(creates_on_update=True, allows_unconditional_update=False),
    ("policy", "PodDisruptionBudget"): KindTraits(
        counted=_SPEC, allows_unconditional_update=False, judges_metadata=False
    ),
    ("rbac.authorization.k8s.io", "ClusterRole"): _RBAC,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _RBAC,
    ("rbac.authorization.k8s.io", "Role"): _RBAC,
    ("rbac.authorization.k8s.io", "RoleBinding"): _RBAC,
    ("resource.k8s.io", "DeviceClass"): KindTraits(counted=_SPEC, returns_deleted=True),
    ("resource.k8s.io", "ResourceClaim"): KindTraits(returns_deleted=True, status_metadata=_STRICT_STATUS),
    ("resource.k8s.io", "ResourceClaimTemplate"): _RETURNED,
    ("resource.k8s.io", "ResourceSlice"): KindTraits(counted=_SPEC, returns_deleted=True),
    ("storage.k8s.io", "CSIDriver"): KindTraits(allows_unconditional_update=False, counted=_SPEC, returns_deleted=True),
    ("storage.k8s.io", "CSINode"): KindTraits(allows_unconditional_update=False, returns_deleted=True),
    ("storage.k8s.io", "CSIStorageCapacity"): KindTraits(allows_unconditional_update=False),
    ("storage.k8s.io", "StorageClass"): _RETURNED,
    ("storage.k8s.io", "VolumeAttachment"): KindTraits(
        allows_unconditional_update=False, returns_deleted=True, status_metadata=_STRICT_STATUS
    ),
    ("storage.k8s.io", "VolumeAttributesClass"): _RETURNED,
}
# It counts changes, but a new one starts at nothing.
STARTS_UNCOUNTED: Final = frozenset({("storage.k8s.io", "CSIDriver")})


def kind_traits(group: str, kind: str) -> KindTraits:
    """Return a kind's line."""
    return _KINDS.get((group, kind), _PLAIN)
