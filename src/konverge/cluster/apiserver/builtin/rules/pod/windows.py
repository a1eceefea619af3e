"""What a pod on Windows runs as, and what the operating system of a pod excludes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.pod.each_container import each_container
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject

_LARGEST_CREDENTIAL: Final = 64  # KiB
_LONGEST_DOMAIN: Final = 256
_LONGEST_USER: Final = 104
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_NET_BIOS: Final = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DNS_LABEL: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS: Final = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*")
_NO_USER: Final = re.compile(r'["/\\:;|=,+*?<>@\[\]]')
_ONLY_DOTS: Final = re.compile(r"[. ]+")
_SYSTEMS: Final = ("linux", "windows")
# In the order of the real server; what has no dot is the spec's own.
_NOT_FOR_PODS: Final = (
    "securityContext.appArmorProfile",
    "securityContext.seLinuxOptions",
    "hostUsers",
    "hostPID",
    "hostIPC",
    "securityContext.seccompProfile",
    "securityContext.fsGroup",
    "securityContext.fsGroupChangePolicy",
    "securityContext.sysctls",
    "shareProcessNamespace",
    "securityContext.runAsUser",
    "securityContext.runAsGroup",
    "securityContext.supplementalGroups",
    "securityContext.supplementalGroupsPolicy",
    "securityContext.seLinuxChangePolicy",
)
_NOT_SET_WHERE_EMPTY: Final = ("hostPID", "hostIPC", "securityContext.sysctls")
_NOT_FOR_CONTAINERS: Final = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged"),
    *("allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"),
)


def windows_option_errors(context: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the options of a security context."""
    options, path = context.get("windowsOptions") or {}, f"{path}.windowsOptions"
    if (name := options.get("gmsaCredentialSpecName")) is not None:
        at = f"{path}.gmsaCredentialSpecName"
        yield from (field_error.invalid(at, field_error.named(name), wrong) for wrong in dns_subdomain(name))
    if (credential := options.get("gmsaCredentialSpec")) is not None:
        at = f"{path}.gmsaCredentialSpec"
        if not credential:
            yield field_error.invalid(at, field_error.named(credential), "gmsaCredentialSpec cannot be an empty string")
        elif len(credential.encode()) > _LARGEST_CREDENTIAL * 1024:
            wrong = f"gmsaCredentialSpec size must be under {_LARGEST_CREDENTIAL} KiB"
            yield field_error.invalid(at, field_error.named(credential), wrong)
    if (name := options.get("runAsUserName")) is not None:
        yield from (
            field_error.invalid(f"{path}.runAsUserName", field_error.named(name), wrong) for wrong in _user_faults(name)
        )


def _user_faults(name: str) -> Iterator[str]:
    if not name:
        yield "runAsUserName cannot be an empty string"
    elif _CONTROL.search(name):
        yield "runAsUserName cannot contain control characters"
    elif name.count("\\") > 1:
        yield "runAsUserName cannot contain more than one backslash"
    else:
        domain, backslash, user = name.rpartition("\\")
        yield from _domain_faults(domain) if backslash else ()
        yield from _own_name_faults(user)


def _domain_faults(domain: str) -> Iterator[str]:
    if len(domain.encode()) >= _LONGEST_DOMAIN:
        yield f"runAsUserName's Domain length must be under {_LONGEST_DOMAIN} characters"
    if not _NET_BIOS.fullmatch(domain) and not _DNS.fullmatch(domain):
        yield "runAsUserName's Domain doesn't match the NetBios nor the DNS format"


def _own_name_faults(user: str) -> Iterator[str]:
    if not user:
        yield "runAsUserName's User cannot be empty"
    elif len(user.encode()) > _LONGEST_USER:
        yield f"runAsUserName's User length must not be longer than {_LONGEST_USER} characters"
    if _ONLY_DOTS.fullmatch(user):
        yield "runAsUserName's User cannot contain only periods or spaces"
    if _NO_USER.search(user):
        yield "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"


def host_process_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge containers that run as processes of the host: all of them or none, and on its network."""
    whole = _host_process(spec)
    found: list[bool] = []
    for container, where in each_container(spec, path):
        own = _host_process(container)
        if whole is not None and own is not None and whole != own:
            at = f"{where}.securityContext.windowsOptions.hostProcess"
            shown = "true" if whole else "false"
            wrong = f"pod hostProcess value must be identical if both are specified, was {shown}"
            yield field_error.invalid(at, own, wrong)
        found.append(bool(whole if own is None else own))
    if not any(found):
        return
    if not all(found):
        wrong = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        yield field_error.invalid(path, "", wrong)
    if not spec.get("hostNetwork"):
        wrong = "hostNetwork must be true if pod contains any hostProcess containers"
        yield field_error.invalid(f"{path}.hostNetwork", value=False, detail=wrong)


def _host_process(holder: JsonObject) -> bool | None:
    options = (holder.get("securityContext") or {}).get("windowsOptions") or {}
    found: bool | None = options.get("hostProcess")
    return found


def system_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the operating system that a pod names, and what it says that is another one's."""
    name = spec["os"].get("name", "")
    if not name:
        yield field_error.required(f"{path}.os.name")
    elif name not in _SYSTEMS:
        yield field_error.not_supported(f"{path}.os", name, _SYSTEMS)
    else:
        yield from _linux_errors(spec, path) if name == "linux" else _windows_errors(spec, path)


def _linux_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    for holder, where in ((spec, path), *each_container(spec, path)):
        if (holder.get("securityContext") or {}).get("windowsOptions") is not None:
            wrong = "windows options cannot be set for a linux pod"
            yield field_error.forbidden(f"{where}.securityContext.windowsOptions", wrong)


def _windows_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    wrong, context = "cannot be set for a windows pod", spec.get("securityContext") or {}
    for name in _NOT_FOR_PODS:
        value = context.get(name.rpartition(".")[2]) if "." in name else spec.get(name)
        if value or (value is not None and name not in _NOT_SET_WHERE_EMPTY):
            yield field_error.forbidden(f"{path}.{name}", wrong)
    for container, where in each_container(spec, path):
        own = container.get("securityContext") or {}
        for name in _NOT_FOR_CONTAINERS:
            if own.get(name) is not None:
                yield field_error.forbidden(f"{where}.securityContext.{name}", wrong)
