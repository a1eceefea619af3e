"""Rules of the annotations of pods: some are of old, and fields say the same today."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.builtin_objects import POD

case = Cases("pod-annotations")
PATH: Final = "/api/v1/namespaces/{ns}/pods"
_TEMPLATES: Final = "/api/v1/namespaces/{ns}/podtemplates"
_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP: Final = "container.seccomp.security.alpha.kubernetes.io/"
_POD_SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"
_TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/tolerations"
_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_MIRROR: Final = "kubernetes.io/config.mirror"


def _pod(annotations: dict[str, str], **spec: Any) -> dict[str, Any]:
    metadata = {"name": "a", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**POD, **spec}}


def _try(s: Script, annotations: dict[str, str], **spec: Any) -> None:
    """Send a pod, and a template of it, on trial."""
    s.post(PATH, _pod(annotations, **spec), dryRun="All")
    template = {"metadata": {"annotations": annotations}, "spec": {**POD, **spec}}
    body = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "a"}, "template": template}
    s.post(_TEMPLATES, body, dryRun="All")


def _with(context: dict[str, Any]) -> dict[str, Any]:
    return {"containers": [{"name": "a", "image": "i", "securityContext": context}]}


@case("AppArmor")
def _(s: Script) -> None:
    for text in ("unconfined", "runtime/default", "localhost/p", "localhost/", "localhost/ p", "x", ""):
        _try(s, {_ARMOR + "a": text})
    _try(s, {_ARMOR + "b": "unconfined"})
    _try(s, {_ARMOR + "a": "localhost/" + "p" * 4096})
    _try(s, {_ARMOR + "a": "unconfined"}, os={"name": "windows"})
    init = [{"name": "b", "image": "i"}]
    _try(s, {_ARMOR + "a": "unconfined", _ARMOR + "b": "localhost/p"}, initContainers=init)
    _try(s, {_ARMOR + "a": "unconfined"}, **_with({"runAsUser": 1}))


@case("AppArmor by annotation and field")
def _(s: Script) -> None:
    profiles: tuple[dict[str, Any], ...] = (
        {"type": "Unconfined"},
        {"type": "RuntimeDefault"},
        {"type": "Localhost", "localhostProfile": "p"},
        {"type": "Localhost", "localhostProfile": "q"},
        {"type": "x"},
    )
    for profile in profiles:
        for text in ("unconfined", "localhost/p"):
            _try(s, {_ARMOR + "a": text}, **_with({"appArmorProfile": profile}))
            _try(s, {_ARMOR + "a": text}, securityContext={"appArmorProfile": profile})
    s.post(PATH, _pod({_ARMOR + "a": "localhost/p"}))
    s.get(f"{PATH}/a")


@case("AppArmor fields")
def _(s: Script) -> None:
    for local in ("", " p", "p" * 4096, " " + "p" * 4095):
        _try(s, {}, securityContext={"appArmorProfile": {"type": "Localhost", "localhostProfile": local}})
    _try(s, {}, securityContext={"appArmorProfile": {"type": "Localhost"}})
    _try(s, {}, securityContext={"appArmorProfile": {"type": "Unconfined", "localhostProfile": "p"}})


@case("seccomp")
def _(s: Script) -> None:
    for text in ("unconfined", "runtime/default", "docker/default", "localhost/p", "localhost//p", "localhost/..", "x"):
        _try(s, {_POD_SECCOMP: text})
        _try(s, {_SECCOMP + "a": text})
    profiles: tuple[dict[str, Any], ...] = (
        {"type": "Unconfined"},
        {"type": "RuntimeDefault"},
        {"type": "Localhost", "localhostProfile": "p"},
        {"type": "Localhost", "localhostProfile": "q"},
    )
    for profile in profiles:
        for text in ("unconfined", "docker/default", "localhost/p"):
            _try(s, {_POD_SECCOMP: text, _SECCOMP + "a": text}, securityContext={"seccompProfile": profile})
            _try(s, {_SECCOMP + "a": text}, **_with({"seccompProfile": profile}))


@case("tolerations")
def _(s: Script) -> None:
    for text in (
        *("", "[]", "null", "{}", "x", "[", "[1]", "[null]", "[{}]", '[{"key": 1}]', '[{"Operator": true}]', "3"),
        *('[{"tolerationSeconds": "1"}]', '[{"tolerationSeconds": 1.5}]', '[{"effect": {}}]', '[{"other": 1}]', '"x"'),
        *('[{"key": "a", "operator": "Exists"}]', '[{"KEY": "a b", "operator": "x", "effect": "y"}]', "[] x"),
    ):
        _try(s, {_TOLERATIONS: text})


@case("what a deletion costs")
def _(s: Script) -> None:
    costs = (
        "0",
        "1",
        "-1",
        "-08",
        "08",
        "+1",
        "",
        "-",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "1_0",
    )
    for cost in (*costs, "1" * 5000):
        _try(s, {_COST: cost})


@case("mirrors of static pods")
def _(s: Script) -> None:
    _try(s, {_MIRROR: "m"})
    s.post(PATH, _pod({_MIRROR: "m"}, nodeName="n", resourceClaims=[{"name": "A"}, {"name": "b"}]))
    s.post(PATH, _pod({_MIRROR: "m"}, nodeName="n"))
    s.get(f"{PATH}/a")
    ephemeral = {"spec": {"ephemeralContainers": [{"name": "E_", "image": "i"}]}}
    s.patch(f"{PATH}/a/ephemeralcontainers", ephemeral)
    sized = {"spec": {"containers": [{"name": "a", "image": "i:1", "resources": {"requests": {"cpu": "1"}}}]}}
    s.patch(f"{PATH}/a/resize", sized)
    s.patch(f"{PATH}/a", {"metadata": {"annotations": {_MIRROR: "n"}}})
    s.patch(f"{PATH}/a", {"metadata": {"annotations": {_MIRROR: None}}})


@case("annotations that stay")
def _(s: Script) -> None:
    s.post(PATH, _pod({_ARMOR + "a": "unconfined", "a": "b"}))
    for changed in (
        {_ARMOR + "a": "runtime/default"},
        {_ARMOR + "a": None},
        {_ARMOR + "b": "unconfined"},
        {_MIRROR: "m"},
        {_COST: "x"},
        {"a": None, "c": "d", _COST: "3"},
    ):
        s.patch(f"{PATH}/a", {"metadata": {"annotations": changed}})
