"""Security contexts of pods and containers: users, profiles, and settings that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.number_rules import id_errors
from konverge.cluster.apiserver.builtin.rules.pod.app_armor import app_armor_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_mounts import descending_path_errors
from konverge.cluster.apiserver.builtin.rules.pod.sysctls import sysctl_errors
from konverge.cluster.apiserver.builtin.rules.pod.windows import windows_option_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_PROC_MOUNTS: Final = ("Default", "Unmasked")
_GROUP_CHANGES: Final = ("Always", "OnRootMismatch")
_GROUP_POLICIES: Final = ("Merge", "Strict")
_LABEL_CHANGES: Final = ("Recursive",)  # the other one's feature is off


def container_security_errors(context: JsonObject, path: str, *, has_host_users: bool) -> Iterator[FieldError]:
    """Judge the security context of a container."""
    for name in ("runAsUser", "runAsGroup"):
        yield from id_errors(context.get(name), f"{path}.{name}")
    mount = context.get("procMount")
    if mount is not None and mount not in _PROC_MOUNTS:
        yield field_error.not_supported(f"{path}.procMount", mount, _PROC_MOUNTS)
    if has_host_users and mount == "Unmasked":
        wrong = "`hostUsers` must be false to use `Unmasked`"
        yield field_error.invalid(f"{path}.procMount", mount, wrong)
    yield from _seccomp_errors(context, path)
    if context.get("allowPrivilegeEscalation") is False:
        yield from _escalation_errors(context, path)
    if context.get("windowsOptions"):
        yield from windows_option_errors(context, path)
    yield from app_armor_errors(context, path)


def _escalation_errors(context: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a context that allows no more privileges."""
    shown = internal_text("core.SecurityContext", context)
    if context.get("privileged"):
        wrong = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield field_error.invalid(path, shown, wrong)
    for name in (context.get("capabilities") or {}).get("add") or ():
        if name == "CAP_SYS_ADMIN":
            wrong = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield field_error.invalid(path, shown, wrong)


def pod_security_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the security context of a pod."""
    context, path = spec.get("securityContext") or {}, f"{path}.securityContext"
    for name in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from id_errors(context.get(name), f"{path}.{name}")
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        yield from id_errors(group, f"{path}.supplementalGroups[{index}]")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        wrong = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield field_error.invalid(f"{path}.shareProcessNamespace", value=True, detail=wrong)
    yield from sysctl_errors(spec, f"{path}.sysctls")
    yield from _choice_errors(context, "fsGroupChangePolicy", path, choices=_GROUP_CHANGES)
    yield from _seccomp_errors(context, path)
    if context.get("windowsOptions"):
        yield from windows_option_errors(context, path)
    yield from app_armor_errors(context, path)
    yield from _choice_errors(context, "supplementalGroupsPolicy", path, choices=_GROUP_POLICIES)
    change = context.get("seLinuxChangePolicy")
    if change is not None and change not in _LABEL_CHANGES:
        yield field_error.not_supported(f"{path}.seLinuxChangePolicy", change, _LABEL_CHANGES)


def _choice_errors(context: JsonObject, name: str, path: str, *, choices: tuple[str, ...]) -> Iterator[FieldError]:
    value = context.get(name)
    if value is not None and value not in choices:
        yield field_error.not_supported(f"{path}.{name}", value, choices)


def _seccomp_errors(context: JsonObject, path: str) -> Iterator[FieldError]:
    profile = context.get("seccompProfile")
    if profile is None:
        return
    path, kind, local = f"{path}.seccompProfile", profile.get("type", ""), profile.get("localhostProfile")
    if not kind:
        yield field_error.required(f"{path}.type", "type is required when seccompProfile is set")
    elif kind not in _PROFILES:
        yield field_error.not_supported(f"{path}.type", kind, _PROFILES)
    if kind != "Localhost":
        if local is not None:
            wrong = "can only be set when seccomp type is Localhost"
            shown = {"Type": kind, "LocalhostProfile": local}
            yield field_error.invalid(f"{path}.localhostProfile", in_go_order(shown), wrong)
    elif local is None:
        yield field_error.required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
    else:
        yield from descending_path_errors(local, f"{path}.localhostProfile")
