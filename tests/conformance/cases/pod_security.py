"""Pod Security Standards, by the labels of a namespace."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

case = Cases("pod security")
NAMESPACE = "/api/v1/namespaces/{ns}"
PODS = f"{NAMESPACE}/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/{ns}/deployments"
HOST = {"hostNetwork": True, "hostPID": True}
SAFE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
DRY = {"dryRun": "All"}


def _labelled(s: Script, **labels: str) -> None:
    """Label the namespace; an account comes first, without which there are no pods."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    s.post(f"{NAMESPACE}/serviceaccounts", account)
    named = {f"pod-security.kubernetes.io/{name.replace('_', '-')}": value for name, value in labels.items()}
    s.patch(NAMESPACE, {"metadata": {"labels": named}})


def _taken_up(s: Script) -> None:
    """Wait until the real server knows of the labels: by a pod that no level but one allows."""
    s.until(PODS, method="POST", body=_pod("probe", **HOST), query=DRY, status=403, holding="PodSecurity")


def _pod(name: str, *containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    inside = [{"name": f"c{number}", "image": "i", **each} for number, each in enumerate(containers or ({},))]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": inside, **spec}}


def _secured(**context: Any) -> dict[str, Any]:
    return {"securityContext": {**SAFE, **context}}


@case("at the baseline")
def _(s: Script) -> None:
    _labelled(s, enforce="baseline")
    _taken_up(s)
    for context in (
        {"capabilities": {"add": ["SYS_ADMIN", "CHOWN", "NET_RAW"]}},
        {"privileged": True},
        {"procMount": "Unmasked"},
        {"seLinuxOptions": {"type": "spc_t", "user": "u", "role": "r"}},
        {"seccompProfile": {"type": "Unconfined"}},
        {"appArmorProfile": {"type": "Unconfined"}},
    ):
        s.post(
            PODS, _pod("a", {"securityContext": context}, {"securityContext": context}, hostUsers=True), dryRun="All"
        )
        s.post(PODS, _pod("a", {"securityContext": context}, {}), dryRun="All")
    s.post(PODS, _pod("a", **HOST, hostIPC=True), dryRun="All")
    s.post(PODS, _pod("a", volumes=[{"name": "v", "hostPath": {"path": "/x"}}]), dryRun="All")
    s.post(PODS, _pod("a", {"ports": [{"containerPort": 1, "hostPort": 1}]}), dryRun="All")
    s.post(PODS, _pod("a", {"livenessProbe": {"httpGet": {"port": 1, "host": "h"}}}), dryRun="All")
    s.post(PODS, _pod("a", {"lifecycle": {"preStop": {"httpGet": {"port": 1, "host": "g"}}}}), dryRun="All")
    s.post(PODS, _pod("a", securityContext={"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}]}), dryRun="All")
    s.post(PODS, _pod("a", securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}), dryRun="All")
    s.post(PODS, _pod("a", securityContext={"seccompProfile": {"type": "Unconfined"}}), dryRun="All")
    s.post(PODS, _pod("a"))


@case("when it is restricted")
def _(s: Script) -> None:
    _labelled(s, enforce="restricted")
    _taken_up(s)
    s.post(PODS, _pod("a"), dryRun="All")
    s.post(PODS, _pod("a", {}, {}), dryRun="All")
    for context in (
        {"allowPrivilegeEscalation": True},
        {"capabilities": {"drop": ["ALL"], "add": ["CHOWN", "NET_BIND_SERVICE"]}},
        {"capabilities": {"drop": ["CHOWN"]}},
        {"runAsNonRoot": False},
        {"runAsUser": 0},
        {"seccompProfile": {"type": "Unconfined"}},
    ):
        s.post(PODS, _pod("a", _secured(**context)), dryRun="All")
    s.post(PODS, _pod("a", _secured(), volumes=[{"name": "v", "hostPath": {"path": "/x"}}]), dryRun="All")
    s.post(PODS, _pod("a", _secured(), volumes=[{"name": "v", "nfs": {"server": "s", "path": "/x"}}]), dryRun="All")
    s.post(PODS, _pod("a", _secured(), volumes=[{"name": "v", "emptyDir": {}}]), dryRun="All")
    s.post(PODS, _pod("a", {}, os={"name": "windows"}), dryRun="All")
    pod_wide = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    alone = {"securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}
    s.post(PODS, _pod("a", alone, securityContext=pod_wide), dryRun="All")
    s.post(
        PODS, _pod("a", alone, hostUsers=False, securityContext={"seccompProfile": {"type": "Localhost"}}), dryRun="All"
    )
    s.post(PODS, _pod("a", _secured()))


@case("of an older version")
def _(s: Script) -> None:
    _labelled(s, enforce="restricted", enforce_version="v1.18")
    _taken_up(s)
    s.post(PODS, _pod("a"), dryRun="All")
    s.post(PODS, _pod("a", {"livenessProbe": {"httpGet": {"port": 1, "host": "h"}}}), dryRun="All")
    s.post(
        PODS, _pod("a", {"securityContext": {"allowPrivilegeEscalation": False, "runAsNonRoot": True}}), dryRun="All"
    )


@case("as a warning alone")
def _(s: Script) -> None:
    _labelled(s, warn="restricted", warn_version="v1.30")
    s.until(PODS, method="POST", body=_pod("probe", **HOST), query=DRY, status=201)
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": _pod("x", {}, **HOST)["spec"]},
        },
    }
    s.post(DEPLOYMENTS, deployment, dryRun="All")


@case("of pods that are there already")
def _(s: Script) -> None:
    _labelled(s)
    for name in ("b", "a", "c"):
        s.post(PODS, _pod(name))
    s.post(PODS, _pod("host", **HOST))
    label = "pod-security.kubernetes.io/enforce"
    s.patch(NAMESPACE, {"metadata": {"labels": {label: "restricted"}}}, dryRun="All")
    s.patch(NAMESPACE, {"metadata": {"labels": {label: "baseline"}}}, dryRun="All")
    s.patch(NAMESPACE, {"metadata": {"labels": {label: "privileged"}}}, dryRun="All")
    s.patch(NAMESPACE, {"metadata": {"labels": {label: "strict", f"{label}-version": "1.2"}}})
    s.patch(NAMESPACE, {"metadata": {"labels": {"pod-security.kubernetes.io/warn": "x"}}})
