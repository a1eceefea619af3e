"""The rules of single built-in kinds: what a write changes by itself, and what it may not be.

A module per kind, or per family of kinds; `of` finds a kind's rules. A kind that is not listed has none of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Final

from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules

_NONE: Final = KindRules()
# Where each is, to be imported when its kind is first written: a server starts with a handful of kinds, and soon.
RULES: Final[Mapping[tuple[str, str], str]] = {
    ("", "ConfigMap"): "config_map.CONFIG_MAP",
    ("", "Endpoints"): "endpoints.ENDPOINTS",
    ("", "Event"): "event.CORE_EVENT",
    ("", "LimitRange"): "limit_range.LIMIT_RANGE",
    ("", "Namespace"): "namespace.NAMESPACE",
    ("", "Node"): "node.NODE",
    ("", "PersistentVolume"): "persistent_volume.PERSISTENT_VOLUME",
    ("", "PersistentVolumeClaim"): "volume_claim.VOLUME_CLAIM",
    ("", "Pod"): "pod.pod.POD",
    ("", "PodTemplate"): "replication_controller.POD_TEMPLATE",
    ("", "ReplicationController"): "replication_controller.REPLICATION_CONTROLLER",
    ("", "ResourceQuota"): "resource_quota.RESOURCE_QUOTA",
    ("", "Secret"): "secret.SECRET",
    ("", "Service"): "service.SERVICE",
    ("", "ServiceAccount"): "service_account.SERVICE_ACCOUNT",
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"): "admission_policy.MUTATING_POLICY",
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"): "admission_policy_binding.MUTATING_BINDING",
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): "webhook_configuration.WEBHOOK_CONFIGURATION",
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): "admission_policy.VALIDATING_POLICY",
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): "admission_policy_binding.VALIDATING_BINDING",
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): "webhook_configuration.WEBHOOK_CONFIGURATION",
    ("apiregistration.k8s.io", "APIService"): "api_service.API_SERVICE",
    ("apps", "ControllerRevision"): "controller_revision.CONTROLLER_REVISION",
    ("apps", "DaemonSet"): "daemon_set.DAEMON_SET",
    ("apps", "Deployment"): "deployment.DEPLOYMENT",
    ("apps", "ReplicaSet"): "deployment.REPLICA_SET",
    ("apps", "StatefulSet"): "stateful_set.STATEFUL_SET",
    ("autoscaling", "HorizontalPodAutoscaler"): "autoscaler.AUTOSCALER",
    ("batch", "CronJob"): "cron_job.CRON_JOB",
    ("batch", "Job"): "job.JOB",
    ("certificates.k8s.io", "CertificateSigningRequest"): "certificate_request.CERTIFICATE_REQUEST",
    ("coordination.k8s.io", "Lease"): "lease.LEASE",
    ("discovery.k8s.io", "EndpointSlice"): "endpoint_slice.ENDPOINT_SLICE",
    ("events.k8s.io", "Event"): "event.EVENT",
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): "flow_schema.FLOW_SCHEMA",
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"): "priority_level.PRIORITY_LEVEL",
    ("networking.k8s.io", "IPAddress"): "ip_address.IP_ADDRESS",
    ("networking.k8s.io", "Ingress"): "ingress.INGRESS",
    ("networking.k8s.io", "IngressClass"): "ingress_class.INGRESS_CLASS",
    ("networking.k8s.io", "NetworkPolicy"): "network_policy.NETWORK_POLICY",
    ("networking.k8s.io", "ServiceCIDR"): "service_range.SERVICE_RANGE",
    ("node.k8s.io", "RuntimeClass"): "runtime_class.RUNTIME_CLASS",
    ("policy", "PodDisruptionBudget"): "disruption_budget.DISRUPTION_BUDGET",
    ("rbac.authorization.k8s.io", "ClusterRole"): "role.CLUSTER_ROLE",
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): "role_binding.CLUSTER_ROLE_BINDING",
    ("rbac.authorization.k8s.io", "Role"): "role.ROLE",
    ("rbac.authorization.k8s.io", "RoleBinding"): "role_binding.ROLE_BINDING",
    ("resource.k8s.io", "DeviceClass"): "device.device_class.DEVICE_CLASS",
    ("resource.k8s.io", "ResourceClaim"): "device.claim.RESOURCE_CLAIM",
    ("resource.k8s.io", "ResourceClaimTemplate"): "device.claim.RESOURCE_CLAIM_TEMPLATE",
    ("resource.k8s.io", "ResourceSlice"): "device.resource_slice.RESOURCE_SLICE",
    ("scheduling.k8s.io", "PriorityClass"): "priority_class.PRIORITY_CLASS",
    ("storage.k8s.io", "CSIDriver"): "csi_driver.CSI_DRIVER",
    ("storage.k8s.io", "CSINode"): "csi_node.CSI_NODE",
    ("storage.k8s.io", "CSIStorageCapacity"): "storage_capacity.STORAGE_CAPACITY",
    ("storage.k8s.io", "StorageClass"): "storage_class.STORAGE_CLASS",
    ("storage.k8s.io", "VolumeAttachment"): "volume_attachment.VOLUME_ATTACHMENT",
    ("storage.k8s.io", "VolumeAttributesClass"): "volume_attributes_class.VOLUME_ATTRIBUTES_CLASS",
}


@cache
def of(group: str, kind: str) -> KindRules:
    """Return a kind's rules."""
    where = RULES.get((group, kind))
    if where is None:
        return _NONE
    module, _, name = where.rpartition(".")
    found: KindRules = getattr(import_module(f"{__name__}.{module}"), name)
    return found
