"""Pods run as a service account: the namespace's default one where they name none, with its token mounted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import path_segment
from konverge.cluster.apiserver.strategy import JsonObject

_MIRROR: Final = "kubernetes.io/config.mirror"
_VOLUME: Final = "kube-api-access-"
_MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_SECONDS: Final = 60 * 60 + 7  # the seven seconds tell a token that was mounted by the server
_READABLE_BY_ALL: Final = 0o644


def set_service_account(admission: Admission) -> None:
    """Give a new pod its service account, that account's pull secrets and its token; refuse one without account."""
    if not admission.is_create:
        return
    spec = admission.spec
    if _MIRROR in admission.value["metadata"].get("annotations", {}):
        _check_mirror_pod(admission)
        return
    name = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    account = admission.find(f"core/serviceaccounts/{admission.namespace}/{name}")
    if account is None:
        where, faults = f"{admission.namespace}/{name}", " ".join(path_segment(name))
        why = f"invalid resource name {quoted(name)}: [{faults}]" if faults else f'serviceaccount "{name}" not found'
        raise admission.forbidden(f"error looking up service account {where}: {why}")
    if spec.get("automountServiceAccountToken", account.get("automountServiceAccountToken", True)):
        _mount_token(admission, spec)
    if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
        spec["imagePullSecrets"] = account["imagePullSecrets"]


def _check_mirror_pod(admission: Admission) -> None:
    """A mirror pod is a node's own: the cluster has nothing to give to it."""
    if admission.spec.get("serviceAccountName"):
        raise admission.forbidden("a mirror pod may not reference service accounts")
    for volume in admission.spec.get("volumes", ()):
        if "secret" in volume:
            raise admission.forbidden("a mirror pod may not reference secrets")
        if any("serviceAccountToken" in source for source in volume.get("projected", {}).get("sources") or ()):
            raise admission.forbidden("a mirror pod may not use ServiceAccountToken volume projections")


def _mount_token(admission: Admission, spec: JsonObject) -> None:
    present = next((v["name"] for v in spec.get("volumes", ()) if v["name"].startswith(_VOLUME)), "")
    volume = present or _VOLUME + admission.ids.suffix()
    is_needed = False
    for container in _containers(spec):
        mounts = container.get("volumeMounts", [])
        if all(mount.get("mountPath") != _MOUNT_PATH for mount in mounts):
            mount = {"name": volume, "readOnly": True, "mountPath": _MOUNT_PATH}
            container["volumeMounts"] = [*mounts, mount]
            is_needed = True
    if is_needed and not present:
        spec["volumes"] = [*spec.get("volumes", ()), {"name": volume, "projected": _token_volume()}]


def _containers(spec: JsonObject) -> Iterator[JsonObject]:
    yield from spec.get("initContainers") or ()
    yield from spec.get("containers") or ()


def _token_volume() -> JsonObject:
    namespace = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    return {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": namespace}]}},
        ],
        "defaultMode": _READABLE_BY_ALL,
    }
