"""The rules of single built-in kinds: what a write changes by itself, and what it may not be.

A module per kind, or per family of kinds; `of` finds a kind's rules. A kind that is not listed has none of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.rules.admission_policy import MUTATING_POLICY, VALIDATING_POLICY
from konverge.cluster.apiserver.builtin.rules.admission_policy_binding import MUTATING_BINDING, VALIDATING_BINDING
from konverge.cluster.apiserver.builtin.rules.api_service import API_SERVICE
from konverge.cluster.apiserver.builtin.rules.autoscaler import AUTOSCALER
from konverge.cluster.apiserver.builtin.rules.certificate_request import CERTIFICATE_REQUEST
from konverge.cluster.apiserver.builtin.rules.config_map import CONFIG_MAP
from konverge.cluster.apiserver.builtin.rules.controller_revision import CONTROLLER_REVISION
from konverge.cluster.apiserver.builtin.rules.cron_job import CRON_JOB
from konverge.cluster.apiserver.builtin.rules.csi_driver import CSI_DRIVER
from konverge.cluster.apiserver.builtin.rules.csi_node import CSI_NODE
from konverge.cluster.apiserver.builtin.rules.daemon_set import DAEMON_SET
from konverge.cluster.apiserver.builtin.rules.deployment import DEPLOYMENT, REPLICA_SET
from konverge.cluster.apiserver.builtin.rules.device_offer import DEVICE_CLASS, RESOURCE_SLICE
from konverge.cluster.apiserver.builtin.rules.device_request import RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE
from konverge.cluster.apiserver.builtin.rules.disruption_budget import DISRUPTION_BUDGET
from konverge.cluster.apiserver.builtin.rules.endpoint_slice import ENDPOINT_SLICE
from konverge.cluster.apiserver.builtin.rules.endpoints import ENDPOINTS
from konverge.cluster.apiserver.builtin.rules.event import CORE_EVENT, EVENT
from konverge.cluster.apiserver.builtin.rules.flow_schema import FLOW_SCHEMA
from konverge.cluster.apiserver.builtin.rules.ingress import INGRESS
from konverge.cluster.apiserver.builtin.rules.ingress_class import INGRESS_CLASS
from konverge.cluster.apiserver.builtin.rules.ip_address import IP_ADDRESS
from konverge.cluster.apiserver.builtin.rules.job import JOB
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.lease import LEASE
from konverge.cluster.apiserver.builtin.rules.limit_range import LIMIT_RANGE
from konverge.cluster.apiserver.builtin.rules.namespace import NAMESPACE
from konverge.cluster.apiserver.builtin.rules.network_policy import NETWORK_POLICY
from konverge.cluster.apiserver.builtin.rules.node import NODE
from konverge.cluster.apiserver.builtin.rules.persistent_volume import PERSISTENT_VOLUME
from konverge.cluster.apiserver.builtin.rules.pod import POD
from konverge.cluster.apiserver.builtin.rules.priority_class import PRIORITY_CLASS
from konverge.cluster.apiserver.builtin.rules.priority_level import PRIORITY_LEVEL
from konverge.cluster.apiserver.builtin.rules.replication_controller import POD_TEMPLATE, REPLICATION_CONTROLLER
from konverge.cluster.apiserver.builtin.rules.resource_quota import RESOURCE_QUOTA
from konverge.cluster.apiserver.builtin.rules.role import CLUSTER_ROLE, ROLE
from konverge.cluster.apiserver.builtin.rules.role_binding import CLUSTER_ROLE_BINDING, ROLE_BINDING
from konverge.cluster.apiserver.builtin.rules.runtime_class import RUNTIME_CLASS
from konverge.cluster.apiserver.builtin.rules.secret import SECRET
from konverge.cluster.apiserver.builtin.rules.service import SERVICE
from konverge.cluster.apiserver.builtin.rules.service_account import SERVICE_ACCOUNT
from konverge.cluster.apiserver.builtin.rules.service_range import SERVICE_RANGE
from konverge.cluster.apiserver.builtin.rules.stateful_set import STATEFUL_SET
from konverge.cluster.apiserver.builtin.rules.storage_capacity import STORAGE_CAPACITY
from konverge.cluster.apiserver.builtin.rules.storage_class import STORAGE_CLASS
from konverge.cluster.apiserver.builtin.rules.volume_attachment import VOLUME_ATTACHMENT
from konverge.cluster.apiserver.builtin.rules.volume_attributes_class import VOLUME_ATTRIBUTES_CLASS
from konverge.cluster.apiserver.builtin.rules.volume_claim import VOLUME_CLAIM
from konverge.cluster.apiserver.builtin.rules.webhook_configuration import WEBHOOK_CONFIGURATION

_NONE: Final = KindRules()
_RULES: Final[Mapping[tuple[str, str], KindRules]] = {
    ("", "ConfigMap"): CONFIG_MAP,
    ("", "Endpoints"): ENDPOINTS,
    ("", "Event"): CORE_EVENT,
    ("", "LimitRange"): LIMIT_RANGE,
    ("", "Namespace"): NAMESPACE,
    ("", "Node"): NODE,
    ("", "PersistentVolume"): PERSISTENT_VOLUME,
    ("", "PersistentVolumeClaim"): VOLUME_CLAIM,
    ("", "Pod"): POD,
    ("", "PodTemplate"): POD_TEMPLATE,
    ("", "ReplicationController"): REPLICATION_CONTROLLER,
    ("", "ResourceQuota"): RESOURCE_QUOTA,
    ("", "Secret"): SECRET,
    ("", "Service"): SERVICE,
    ("", "ServiceAccount"): SERVICE_ACCOUNT,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"): MUTATING_POLICY,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"): MUTATING_BINDING,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): WEBHOOK_CONFIGURATION,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): VALIDATING_POLICY,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): VALIDATING_BINDING,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): WEBHOOK_CONFIGURATION,
    ("apiregistration.k8s.io", "APIService"): API_SERVICE,
    ("apps", "ControllerRevision"): CONTROLLER_REVISION,
    ("apps", "DaemonSet"): DAEMON_SET,
    ("apps", "Deployment"): DEPLOYMENT,
    ("apps", "ReplicaSet"): REPLICA_SET,
    ("apps", "StatefulSet"): STATEFUL_SET,
    ("autoscaling", "HorizontalPodAutoscaler"): AUTOSCALER,
    ("batch", "CronJob"): CRON_JOB,
    ("batch", "Job"): JOB,
    ("certificates.k8s.io", "CertificateSigningRequest"): CERTIFICATE_REQUEST,
    ("coordination.k8s.io", "Lease"): LEASE,
    ("discovery.k8s.io", "EndpointSlice"): ENDPOINT_SLICE,
    ("events.k8s.io", "Event"): EVENT,
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): FLOW_SCHEMA,
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"): PRIORITY_LEVEL,
    ("networking.k8s.io", "IPAddress"): IP_ADDRESS,
    ("networking.k8s.io", "Ingress"): INGRESS,
    ("networking.k8s.io", "IngressClass"): INGRESS_CLASS,
    ("networking.k8s.io", "NetworkPolicy"): NETWORK_POLICY,
    ("networking.k8s.io", "ServiceCIDR"): SERVICE_RANGE,
    ("node.k8s.io", "RuntimeClass"): RUNTIME_CLASS,
    ("policy", "PodDisruptionBudget"): DISRUPTION_BUDGET,
    ("rbac.authorization.k8s.io", "ClusterRole"): CLUSTER_ROLE,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): CLUSTER_ROLE_BINDING,
    ("rbac.authorization.k8s.io", "Role"): ROLE,
    ("rbac.authorization.k8s.io", "RoleBinding"): ROLE_BINDING,
    ("resource.k8s.io", "DeviceClass"): DEVICE_CLASS,
    ("resource.k8s.io", "ResourceClaim"): RESOURCE_CLAIM,
    ("resource.k8s.io", "ResourceClaimTemplate"): RESOURCE_CLAIM_TEMPLATE,
    ("resource.k8s.io", "ResourceSlice"): RESOURCE_SLICE,
    ("scheduling.k8s.io", "PriorityClass"): PRIORITY_CLASS,
    ("storage.k8s.io", "CSIDriver"): CSI_DRIVER,
    ("storage.k8s.io", "CSINode"): CSI_NODE,
    ("storage.k8s.io", "CSIStorageCapacity"): STORAGE_CAPACITY,
    ("storage.k8s.io", "StorageClass"): STORAGE_CLASS,
    ("storage.k8s.io", "VolumeAttachment"): VOLUME_ATTACHMENT,
    ("storage.k8s.io", "VolumeAttributesClass"): VOLUME_ATTRIBUTES_CLASS,
}


def of(group: str, kind: str) -> KindRules:
    """Return a kind's rules."""
    return _RULES.get((group, kind), _NONE)
