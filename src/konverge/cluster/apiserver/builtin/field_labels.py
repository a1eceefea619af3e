"""The fields of built-in kinds that a field selector may name, and where each stands in the object.

`metadata.name` and `metadata.namespace` are every kind's and not listed here. An absent number reads as "0", an absent
truth value as "false", an absent text as "". One looks at two fields: `source` of an Event without a source component
is its reporting component.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_POD: Final = (
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
)
_OBJECT_REFERENCE: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")


def _plain(*paths: str) -> dict[str, str]:
    return {path: path for path in paths}


_FIELDS: Final[dict[tuple[str, str], Mapping[str, str]]] = {
    ("", "Pod"): {**_plain(*_POD), "spec.host": "spec.nodeName"},
    ("", "Node"): _plain("spec.unschedulable"),
    ("", "ReplicationController"): _plain("status.replicas"),
    ("", "Namespace"): _plain("status.phase"),
    ("", "Secret"): _plain("type"),
    ("", "Service"): _plain("spec.clusterIP", "spec.type"),
    ("", "Event"): {
        **_plain(*(f"involvedObject.{name}" for name in _OBJECT_REFERENCE)),
        **_plain("reason", "reportingComponent", "type"),
        "source": "source.component",
    },
    ("events.k8s.io", "Event"): {
        **_plain(*(f"regarding.{name}" for name in _OBJECT_REFERENCE)),
        **_plain("reason", "reportingController", "type"),
    },
    ("batch", "Job"): {"status.successful": "status.succeeded"},
    ("certificates.k8s.io", "CertificateSigningRequest"): _plain("spec.signerName"),
    ("resource.k8s.io", "ResourceSlice"): _plain("spec.nodeName", "spec.driver"),
}


def selectable_fields(group: str, kind: str) -> Mapping[str, str]:
    """Return the selectors of a kind, each with the path of what it looks at."""
    return MappingProxyType(dict(_FIELDS.get((group, kind), {})))
