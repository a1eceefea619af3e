"""The checks of the baseline level: what would give a pod more than an ordinary process has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from konverge.cluster.apiserver.admission.pod_security.violation import (
    Violation,
    containers_of,
    counted,
    named,
    quoted,
    security,
    setters,
)
from konverge.cluster.apiserver.go_text import quoted as go_quote
from konverge.cluster.apiserver.strategy import JsonObject

_CAPABILITIES: Final = frozenset(
    {
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
        *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    }
)
_APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
_PROFILES: Final = ("RuntimeDefault", "Localhost")
_HOSTS: Final = ("hostNetwork", "hostPID", "hostIPC")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS: Final = ("postStart", "preStop")


def app_armor(metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """Only profiles of the runtime or of the node."""

    def profile(context: JsonObject) -> str | None:
        found: str = (context.get("appArmorProfile") or {}).get("type", "")
        return found if context.get("appArmorProfile") is not None and found not in _PROFILES else None

    who = setters(spec, lambda context: profile(context) is not None)
    found = {profile(security(each)) for each in (spec, *containers_of(spec))} - {None}
    annotations = sorted(
        f"{key}={go_quote(value)}"
        for key, value in (metadata.get("annotations") or {}).items()
        if key.startswith(_APP_ARMOR) and value not in ("", "runtime/default") and not value.startswith("localhost/")
    )
    if annotations:
        who.append(counted(len(annotations), "annotation", "annotations"))
    if not who:
        return None
    values = [*sorted(str(each) for each in found), *annotations]
    reason = counted(len(values), "forbidden AppArmor profile", "forbidden AppArmor profiles")
    return Violation(reason, f"{' and '.join(who)} must not set AppArmor profile type to {quoted(values)}")


def capabilities(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """None beyond the usual ones."""
    added = {each["name"]: _added(each) - _CAPABILITIES for each in containers_of(spec)}
    bad = [name for name, found in added.items() if found]
    if not bad:
        return None
    which = quoted(sorted(set().union(*added.values())))
    return Violation(
        "non-default capabilities", f"{named(bad)} must not include {which} in securityContext.capabilities.add"
    )


def _added(container: JsonObject) -> frozenset[str]:
    return frozenset((security(container).get("capabilities") or {}).get("add") or ())


def host_namespaces(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """None of the node's."""
    found = [f"{name}=true" for name in _HOSTS if spec.get(name)]
    return Violation("host namespaces", ", ".join(found)) if found else None


def host_paths(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """No folder of the node."""
    found = [volume["name"] for volume in spec.get("volumes") or () if volume.get("hostPath") is not None]
    word = counted(len(found), "volume", "volumes")
    return Violation("hostPath volumes", f"{word} {quoted(found)}") if found else None


def host_ports(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """No port of the node."""
    ports = {
        each["name"]: {str(port["hostPort"]) for port in each.get("ports") or () if port.get("hostPort")}
        for each in containers_of(spec)
    }
    bad, found = [name for name, used in ports.items() if used], sorted(set().union(*ports.values()))
    if not bad:
        return None
    words = f"{counted(len(bad), 'uses', 'use')} {counted(len(found), 'hostPort', 'hostPorts')}"
    return Violation("hostPort", f"{named(bad)} {words} {', '.join(found)}")


def probe_hosts(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """No probe and no hook that goes elsewhere."""
    hosts = {each["name"]: set(_hosts(each)) for each in containers_of(spec)}
    bad, found = sorted(name for name, used in hosts.items() if used), sorted(set().union(*hosts.values()))
    if not bad:
        return None
    what = counted(len(found), "probe or lifecycle host", "probe or lifecycle hosts")
    return Violation(
        "probe or lifecycle host", f"{named(bad)} {counted(len(bad), 'uses', 'use')} {what} {quoted(found)}"
    )


def _hosts(container: JsonObject) -> list[str]:
    lifecycle = container.get("lifecycle") or {}
    actions = [container.get(name) or {} for name in _PROBES] + [lifecycle.get(name) or {} for name in _HOOKS]
    found = [(action.get(way) or {}).get("host") for action in actions for way in ("httpGet", "tcpSocket")]
    return [host for host in found if host]


def privileged(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """No container that may do everything."""
    bad = [each["name"] for each in containers_of(spec) if security(each).get("privileged")]
    return Violation("privileged", f"{named(bad)} must not set securityContext.privileged=true") if bad else None


def proc_mount(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """Nothing of /proc that is hidden by default."""
    mounts = {each["name"]: security(each).get("procMount") for each in containers_of(spec)}
    bad = [name for name, mount in mounts.items() if mount not in (None, "Default")]
    if not bad:
        return None
    which = quoted(sorted({str(mounts[name]) for name in bad}))
    return Violation("procMount", f"{named(bad)} must not set securityContext.procMount to {which}")


def proc_mount_1_35(metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """As before, but for pods with users of their own."""
    return None if has_own_users(spec) else proc_mount(metadata, spec)


def has_own_users(spec: JsonObject) -> bool:
    """Whether root in the pod is nobody on the node."""
    return spec.get("hostUsers") is False


def se_linux(allowed: Collection[str]) -> Callable[[JsonObject, JsonObject], Violation | None]:
    """Only types for containers; neither user nor role."""

    def check(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
        options = [security(each).get("seLinuxOptions") or {} for each in (spec, *containers_of(spec))]

        def is_bad(context: JsonObject) -> bool:
            found = context.get("seLinuxOptions") or {}
            return found.get("type", "") not in allowed or bool(found.get("user")) or bool(found.get("role"))

        who = setters(spec, is_bad)
        if not who:
            return None
        types = sorted({each["type"] for each in options if each.get("type", "") not in allowed})
        data = [f"{counted(len(types), 'type', 'types')} {quoted(types)}"] if types else []
        data += [f"{name} may not be set" for name in ("user", "role") if any(each.get(name) for each in options)]
        words = f"{' and '.join(who)} set forbidden securityContext.seLinuxOptions: {'; '.join(data)}"
        return Violation("seLinuxOptions", words)

    return check


def seccomp_1_0(metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """Only profiles of the runtime or of the node, by annotations."""
    annotations = metadata.get("annotations") or {}
    keys = [_SECCOMP_POD, *(_SECCOMP_CONTAINER + each["name"] for each in containers_of(spec))]
    found = sorted(
        {f"{key}={go_quote(annotations[key])}" for key in keys if key in annotations and _is_bad(annotations[key])}
    )
    word = counted(len(found), "annotation", "annotations")
    return Violation("seccompProfile", f"forbidden {word} {', '.join(found)}") if found else None


def _is_bad(annotation: str) -> bool:
    return annotation not in ("runtime/default", "docker/default") and not annotation.startswith("localhost/")


def seccomp(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """Only profiles of the runtime or of the node."""
    who = setters(spec, bad_seccomp)
    if not who:
        return None
    contexts = [security(each) for each in (spec, *containers_of(spec))]
    values = sorted({str(context["seccompProfile"].get("type", "")) for context in contexts if bad_seccomp(context)})
    words = f"{' and '.join(who)} must not set securityContext.seccompProfile.type to {quoted(values)}"
    return Violation("seccompProfile", words)


def bad_seccomp(context: JsonObject) -> bool:
    """Whether a security context has a profile that is not allowed."""
    profile = context.get("seccompProfile")
    return profile is not None and profile.get("type") not in _PROFILES


def sysctls(allowed: Collection[str]) -> Callable[[JsonObject, JsonObject], Violation | None]:
    """Only settings of the kernel that are a pod's own."""

    def check(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
        found = [each["name"] for each in security(spec).get("sysctls") or () if each["name"] not in allowed]
        return Violation("forbidden sysctls", ", ".join(found)) if found else None

    return check


def host_process(_metadata: JsonObject, spec: JsonObject) -> Violation | None:
    """No process of a Windows node."""
    who = setters(spec, lambda context: bool((context.get("windowsOptions") or {}).get("hostProcess")))
    words = f"{' and '.join(who)} must not set securityContext.windowsOptions.hostProcess=true"
    return Violation("hostProcess", words) if who else None
