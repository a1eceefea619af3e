"""Reset fields: what a write through a resource or subresource cannot set, because its strategy sets it back.

Nobody becomes the owner of such a field by such a write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from konverge.cluster.apiserver.apply.field_set import FieldSet, of_paths

ResetFields = Mapping[str, Mapping[str, FieldSet]]  # by subresource ("" is the resource itself), then by API version

_STATUS: Final = of_paths(("status",))
_SPEC: Final = of_paths(("spec",))
_SPEC_AND_METADATA: Final = of_paths(("metadata",), ("spec",))

# Kinds whose status is a subresource that leaves all metadata alone, and those whose one may change some of it.
_STRICT: Final = (
    "APIService DeviceTaintRule FlowSchema PodGroup PriorityLevelConfiguration ResourceClaim "
    "ResourcePoolStatusRequest ServiceCIDR StorageVersion StorageVersionMigration ValidatingAdmissionPolicy "
    "VolumeAttachment"
)
_LENIENT: Final = (
    "CronJob CustomResourceDefinition DaemonSet HorizontalPodAutoscaler Ingress Job Node PersistentVolume "
    "PersistentVolumeClaim PodDisruptionBudget ReplicaSet ReplicationController ResourceQuota Service StatefulSet"
)
_BUILTIN: Final[Mapping[str, Mapping[str, FieldSet]]] = {
    **{kind: {"": _STATUS, "status": _SPEC_AND_METADATA} for kind in _STRICT.split()},
    **{kind: {"": _STATUS, "status": _SPEC} for kind in _LENIENT.split()},
    "CertificateSigningRequest": {
        "": of_paths(("spec",), ("status",)),
        "status": of_paths(("spec",), ("status", "conditions")),
        "approval": of_paths(("spec",), ("status", "certificate")),
    },
    "Deployment": {"": _STATUS, "status": of_paths(("spec",), ("metadata", "labels"))},
    "Namespace": {"": _STATUS, "status": _SPEC, "finalize": _STATUS},
    "Pod": {
        "": _STATUS,
        "status": of_paths(("spec",), ("metadata", "deletionTimestamp"), ("metadata", "ownerReferences")),
    },
    "PodCertificateRequest": {"status": _SPEC},
}


def builtin_reset_fields(kind: str, api_versions: Iterable[str]) -> ResetFields:
    """Return those of a built-in kind in all versions that serve it."""
    versions = tuple(api_versions)
    return {name: dict.fromkeys(versions, fields) for name, fields in _BUILTIN.get(kind, {}).items()}


def custom_reset_fields(api_version: str, with_status: Iterable[str]) -> ResetFields:
    """Return those of a custom resource in one version, given the API versions that have a status subresource."""
    versions = tuple(with_status)
    main = {api_version: _STATUS} if api_version in versions else {}
    return {"": main, "status": dict.fromkeys(versions, _SPEC_AND_METADATA)}
