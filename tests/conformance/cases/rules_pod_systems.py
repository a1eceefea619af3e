"""Rules of pods by their operating system: what Windows takes, and what one of them excludes."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("pod-systems")
PATH: Final = "/api/v1/namespaces/{ns}/pods"
_CONTAINER: Final[dict[str, Any]] = {"name": "a", "image": "i"}


def _specs(s: Script, *specs: dict[str, Any]) -> None:
    """Send a pod for each, on trial."""
    for spec in specs:
        body = {"metadata": {"name": "a"}, "spec": {"containers": [_CONTAINER], **spec}}
        s.post(PATH, {"apiVersion": "v1", "kind": "Pod", **body}, dryRun="All")


def _contexts(s: Script, *contexts: dict[str, Any], **spec: Any) -> None:
    """Send a pod for each, whose container has it."""
    for context in contexts:
        _specs(s, {"containers": [{**_CONTAINER, "securityContext": context}], **spec})


@case("names")
def _(s: Script) -> None:
    _specs(s, {"os": {}}, {"os": {"name": "plan9"}}, {"os": {"name": "linux"}}, {"os": {"name": "windows"}})


@case("users on Windows")
def _(s: Script) -> None:
    names = (
        *("", "user", "DOMAIN\\user", "a.b-c.example\\user", "a\\b\\c", "user\u0007", "\\user", "domain\\", ".d\\user"),
        *("d" * 256 + "\\user", "d" * 16 + "\\user", "_" * 16 + "\\u", "u" * 105, "u" * 104, ". .", "user@x", "a/b"),
        *("d\\us[er]", "d\\...", "ContainerAdministrator", "NT AUTHORITY\\SYSTEM", "ü" * 53),
    )
    _contexts(s, *({"windowsOptions": {"runAsUserName": name}} for name in names))
    _specs(s, {"securityContext": {"windowsOptions": {"runAsUserName": "a:b"}}})


@case("credentials on Windows")
def _(s: Script) -> None:
    _contexts(
        s,
        {"windowsOptions": {}},
        {"windowsOptions": {"gmsaCredentialSpecName": "A_"}},
        {"windowsOptions": {"gmsaCredentialSpecName": "a.b"}},
        {"windowsOptions": {"gmsaCredentialSpec": ""}},
        {"windowsOptions": {"gmsaCredentialSpec": "x" * 65537}},
        {"windowsOptions": {"gmsaCredentialSpec": "x"}},
    )


@case("processes of the host")
def _(s: Script) -> None:
    yes, no = {"windowsOptions": {"hostProcess": True}}, {"windowsOptions": {"hostProcess": False}}
    _contexts(s, yes, no)
    _contexts(s, yes, hostNetwork=True)
    _contexts(s, yes, no, {}, hostNetwork=True, securityContext=yes)
    _contexts(s, yes, no, hostNetwork=True, securityContext=no)
    other = {"initContainers": [{"name": "b", "image": "i", "securityContext": {}}]}
    _contexts(s, yes, **other)
    _contexts(s, yes, securityContext=yes, hostNetwork=True, **other)


@case("what Linux excludes")
def _(s: Script) -> None:
    options: dict[str, Any] = {"windowsOptions": {}}
    other = {"initContainers": [{"name": "b", "image": "i", "securityContext": options}]}
    _contexts(s, options, securityContext=options, os={"name": "linux"}, **other)
    _contexts(s, {"privileged": True, "runAsUser": 1}, os={"name": "linux"})


@case("what Windows excludes of a pod")
def _(s: Script) -> None:
    windows: dict[str, Any] = {"os": {"name": "windows"}}
    contexts: tuple[dict[str, Any], ...] = (
        {"appArmorProfile": {"type": "Unconfined"}, "seLinuxOptions": {}},
        {"seccompProfile": {"type": "Unconfined"}, "fsGroup": 0, "fsGroupChangePolicy": "Always"},
        {"sysctls": []},
        {"sysctls": [{"name": "a.b", "value": "c"}], "runAsUser": 0, "runAsGroup": 1},
        {"supplementalGroups": [1], "supplementalGroupsPolicy": "Merge", "seLinuxChangePolicy": "Recursive"},
        {"runAsNonRoot": True, "windowsOptions": {"runAsUserName": "u"}},
    )
    for context in contexts:
        _specs(s, {**windows, "securityContext": context})
    _specs(
        s,
        {**windows, "hostUsers": True, "hostPID": True, "hostIPC": True, "shareProcessNamespace": False},
        {**windows, "hostPID": False, "hostIPC": False, "hostNetwork": True},
        {**windows, "resources": {}},
        {**windows, "resources": {"limits": {"x": "-1"}}},
    )


@case("what Windows excludes of containers")
def _(s: Script) -> None:
    for context in (
        {"appArmorProfile": {"type": "Unconfined"}, "seLinuxOptions": {}, "capabilities": {}},
        {"seccompProfile": {"type": "Unconfined"}, "readOnlyRootFilesystem": False, "privileged": False},
        {"allowPrivilegeEscalation": True, "procMount": "Default", "runAsUser": 0, "runAsGroup": 1},
        {"runAsNonRoot": True},
    ):
        _contexts(s, context, os={"name": "windows"})


@case("relabelling")
def _(s: Script) -> None:
    policies = ("Recursive", "MountOption", "")
    _specs(s, *({"securityContext": {"seLinuxChangePolicy": policy}} for policy in policies))


@case("contexts that contradict themselves")
def _(s: Script) -> None:
    _contexts(
        s,
        {"allowPrivilegeEscalation": False, "privileged": True},
        {"allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_SYS_ADMIN", "CAP_SYS_ADMIN"]}},
        {
            "allowPrivilegeEscalation": False,
            "privileged": True,
            "capabilities": {"add": ["CAP_SYS_ADMIN"], "drop": ["<&>"]},
            "seLinuxOptions": {"level": "l"},
            "windowsOptions": {"runAsUserName": "u"},
            "runAsUser": 1,
            "runAsNonRoot": True,
            "procMount": "Default",
            "seccompProfile": {"type": "Localhost", "localhostProfile": "p"},
            "appArmorProfile": {"type": "Unconfined"},
        },
    )
