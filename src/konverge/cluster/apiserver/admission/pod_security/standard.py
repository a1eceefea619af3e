"""Which checks a standard has: a table, as the standards grew from version to version."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from konverge.cluster.apiserver.admission.pod_security import baseline, restricted
from konverge.cluster.apiserver.admission.pod_security.policy import Standard
from konverge.cluster.apiserver.admission.pod_security.restricted import unless_own_users, unless_windows
from konverge.cluster.apiserver.admission.pod_security.violation import Check, Violation
from konverge.cluster.apiserver.strategy import JsonObject

_SE_LINUX: Final = ("", "container_t", "container_init_t", "container_kvm_t")
_SYSCTLS: Final = (
    *("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies"),
    *("net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"),
)
_SYSCTLS_27: Final = (*_SYSCTLS, "net.ipv4.ip_local_reserved_ports")
_SYSCTLS_29: Final = (
    *(*_SYSCTLS_27, "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"),
    "net.ipv4.tcp_keepalive_probes",
)
_SYSCTLS_32: Final = (*_SYSCTLS_29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")


class _Row(msgspec.Struct, frozen=True):
    """A check by its name, since a minor version; a later row of the same name takes its place."""

    name: str
    since: int
    check: Check
    instead_of: str = ""  # the check of the baseline that it makes needless


# In the order in which violations are told.
_BASELINE: Final = (
    _Row("appArmorProfile", 0, baseline.app_armor),
    _Row("capabilities_baseline", 0, baseline.capabilities),
    _Row("hostNamespaces", 0, baseline.host_namespaces),
    _Row("hostPathVolumes", 0, baseline.host_paths),
    _Row("hostPorts", 0, baseline.host_ports),
    _Row("hostProbesAndHostLifecycle", 34, baseline.probe_hosts),
    _Row("privileged", 0, baseline.privileged),
    _Row("procMount", 0, baseline.proc_mount),
    _Row("procMount", 35, baseline.proc_mount_1_35),
    _Row("seLinuxOptions", 0, baseline.se_linux(_SE_LINUX)),
    _Row("seLinuxOptions", 31, baseline.se_linux((*_SE_LINUX, "container_engine_t"))),
    _Row("seccompProfile_baseline", 0, baseline.seccomp_1_0),
    _Row("seccompProfile_baseline", 19, baseline.seccomp),
    _Row("sysctls", 0, baseline.sysctls(_SYSCTLS)),
    _Row("sysctls", 27, baseline.sysctls(_SYSCTLS_27)),
    _Row("sysctls", 29, baseline.sysctls(_SYSCTLS_29)),
    _Row("sysctls", 32, baseline.sysctls(_SYSCTLS_32)),
    _Row("windowsHostProcess", 0, baseline.host_process),
)
_RESTRICTED: Final = (
    _Row("allowPrivilegeEscalation", 8, restricted.escalation),
    _Row("allowPrivilegeEscalation", 25, unless_windows(restricted.escalation)),
    _Row("capabilities_restricted", 22, restricted.capabilities, "capabilities_baseline"),
    _Row("capabilities_restricted", 25, unless_windows(restricted.capabilities), "capabilities_baseline"),
    _Row("procMount_restricted", 35, baseline.proc_mount, "procMount"),
    _Row("restrictedVolumes", 0, restricted.volumes, "hostPathVolumes"),
    _Row("runAsNonRoot", 0, restricted.non_root),
    _Row("runAsNonRoot", 35, unless_own_users(restricted.non_root)),
    _Row("runAsUser", 23, restricted.user),
    _Row("runAsUser", 35, unless_own_users(restricted.user)),
    _Row("seccompProfile_restricted", 19, restricted.seccomp_set, "seccompProfile_baseline"),
    _Row("seccompProfile_restricted", 25, unless_windows(restricted.seccomp_set), "seccompProfile_baseline"),
)


def violations(standard: Standard, metadata: JsonObject, spec: JsonObject) -> list[Violation]:
    """Return what a pod does that a standard forbids."""
    found = (check(metadata, spec) for check in _checks(standard))
    return [violation for violation in found if violation is not None]


@lru_cache(maxsize=64)
def _checks(standard: Standard) -> tuple[Check, ...]:
    if standard.allows_all:
        return ()
    own = _of_version(_BASELINE, standard.minor)
    if standard.level == "restricted":
        stricter = _of_version(_RESTRICTED, standard.minor)
        needless = {row.instead_of for row in stricter.values()}
        own = {name: row for name, row in own.items() if name not in needless} | stricter
    return tuple(row.check for row in own.values())


def _of_version(rows: tuple[_Row, ...], minor: int) -> dict[str, _Row]:
    return {row.name: row for row in rows if row.since <= minor}
