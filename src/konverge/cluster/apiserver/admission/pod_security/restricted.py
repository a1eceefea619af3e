"""The checks of the restricted level: what a pod must give up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from konverge.cluster.apiserver.admission.pod_security.baseline import bad_seccomp, has_own_users, seccomp
from konverge.cluster.apiserver.admission.pod_security.violation import (
    Check,
    Violation,
    containers_of,
    counted,
    named,
    quoted,
    security,
    setters,
)
from konverge.cluster.apiserver.strategy import JsonObject

_VOLUMES: Final = (
    *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected"),
    "secret",
)
_OTHER_VOLUMES: Final = (
    *("hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd"),
    *("flexVolume", "cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk"),
    *("photonPersistentDisk", "portworxVolume", "scaleIO", "storageos"),
)


def unless_windows(check: Check) -> Check:
    """Leave out pods of Windows, which has none of this."""
    return lambda metadata, spec: None if (spec.get("os") or {}).get("name") == "windows" else check(metadata, spec)


def unless_own_users(check: Check) -> Check:
    """Leave out pods with users of their own."""
    return lambda metadata, spec: None if has_own_users(spec) else check(metadata, spec)


def escalation(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """No container may get more rights than its parent."""
    bad = [each["name"] for each in containers_of(spec) if security(each).get("allowPrivilegeEscalation") is not False]
    words = f"{named(bad)} must set securityContext.allowPrivilegeEscalation=false"
    return Violation("allowPrivilegeEscalation != false", words) if bad else None


def capabilities(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """All are dropped; one may be added."""
    found = {each["name"]: security(each).get("capabilities") or {} for each in containers_of(spec)}
    keeping = [name for name, each in found.items() if "ALL" not in (each.get("drop") or ())]
    added = {name: set(each.get("add") or ()) - {"NET_BIND_SERVICE"} for name, each in found.items()}
    adding = [name for name, which in added.items() if which]
    details = [f'{named(keeping)} must set securityContext.capabilities.drop=["ALL"]'] if keeping else []
    if adding:
        which = quoted(sorted(set().union(*added.values())))
        details.append(f"{named(adding)} must not include {which} in securityContext.capabilities.add")
    return Violation("unrestricted capabilities", "; ".join(details)) if details else None


def volumes(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """Only volumes that are the cluster's own."""
    bad = [each for each in spec.get("volumes") or () if not any(each.get(kind) is not None for kind in _VOLUMES)]
    if not bad:
        return None
    kinds = sorted({next((kind for kind in _OTHER_VOLUMES if each.get(kind) is not None), "unknown") for each in bad})
    words = f"{counted(len(bad), 'volume', 'volumes')} {quoted(each['name'] for each in bad)}"
    what = counted(len(kinds), "restricted volume type", "restricted volume types")
    return Violation("restricted volume types", f"{words} {counted(len(bad), 'uses', 'use')} {what} {quoted(kinds)}")


def non_root(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """Every container says that it does not run as root."""
    who = setters(spec, lambda context: context.get("runAsNonRoot") is False)
    if who:
        return _not_non_root(f"{' and '.join(who)} must not set securityContext.runAsNonRoot=false")
    silent = _silent(spec, lambda context: context.get("runAsNonRoot") is not None)
    if security(spec).get("runAsNonRoot") or not silent:
        return None
    return _not_non_root(f"pod or {named(silent)} must set securityContext.runAsNonRoot=true")


def _not_non_root(words: str) -> Violation:
    return Violation("runAsNonRoot != true", words)


def _silent(spec: JsonObject, speaks: Callable[[JsonObject], bool]) -> list[str]:
    """Return the containers that leave something to their pod."""
    return [each["name"] for each in containers_of(spec) if not speaks(security(each))]


def user(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """Nobody asks for root."""
    who = setters(spec, lambda context: context.get("runAsUser") == 0)
    return Violation("runAsUser=0", f"{' and '.join(who)} must not set runAsUser=0") if who else None


def seccomp_set(metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """A profile is set, and an allowed one."""
    wrong = seccomp(metadata, spec)
    if wrong is not None:
        return wrong
    context = security(spec)
    silent = _silent(spec, lambda own: own.get("seccompProfile") is not None)
    if not silent or (context.get("seccompProfile") is not None and not bad_seccomp(context)):
        return None
    words = f'pod or {named(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return Violation("seccompProfile", words)
