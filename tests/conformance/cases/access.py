"""Access: a matrix of verbs, resources and subjects, by access reviews and by requests made as each subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, PODS, config_map
from cases.rbac_objects import (
    ACCESS_REVIEWS,
    BINDINGS,
    CLUSTER_BINDINGS,
    CLUSTER_ROLES,
    ROLES,
    acting,
    bind,
    bound,
    cluster_bind,
    grant,
    reviewed,
    role,
    until_allowed,
)

case = Cases("access")

VERBS: Final = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
RESOURCES: Final = (
    {"resource": "pods", "namespace": "{ns}"},
    {"resource": "pods", "subresource": "log", "namespace": "{ns}"},
    {"resource": "pods", "namespace": "elsewhere"},
    {"resource": "configmaps", "name": "a", "namespace": "{ns}"},
    {"resource": "configmaps", "name": "b", "namespace": "{ns}"},
    {"group": "apps", "resource": "deployments", "namespace": "{ns}"},
    {"group": "apps", "resource": "deployments", "subresource": "scale", "namespace": "{ns}"},
    {"resource": "nodes"},
    {"group": "rbac.authorization.k8s.io", "resource": "clusterroles"},
    {"group": "example.com", "resource": "widgets", "subresource": "status", "namespace": "{ns}"},
)
# One binding at most allows each of these to anyone: the real server names one of several as it happens.
PATHS: Final = (
    "/",
    "/api",
    "/apis/apps",
    "/healthz/etcd",
    "/metrics",
    "/logs/a/b",
    "/openapi/v3",
)
READING: Final = ("get", "list", "watch")
ALL: Final = "*"

# Who: their groups; and what is granted to them before they are asked about.
SUBJECTS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "an administrator": ("root", ("system:masters",)),
    "nobody": ("system:anonymous", ("system:unauthenticated",)),
    "someone": ("someone", ("system:authenticated",)),
    "a reader": ("reader-{ns}", ("system:authenticated",)),
    "a group of writers": ("wilma", ("writers-{ns}", "system:authenticated")),
    "a viewer of the whole cluster": ("viewer-{ns}", ()),
    "a service account": ("system:serviceaccount:{ns}:bot", ("system:serviceaccounts",)),
    "one who may do everything by a role": ("boss-{ns}", ()),
    "one with wildcards": ("wild-{ns}", ()),
    "one with rules for paths": ("paths-{ns}", ()),
    "one with a role that is not there": ("broken-{ns}", ()),
    "one with a role that aggregates": ("aggregated-{ns}", ()),
}


def _grants(s: Script, name: str) -> None:
    """Grant what a subject has; the last grant is waited for."""
    match name:
        case "a reader":
            grant(s, "reader", [role(["pods", "configmaps"], READING)], user="reader-{ns}")
        case "a group of writers":
            s.post(
                CLUSTER_ROLES,
                bound(
                    "ClusterRole",
                    "writer-{ns}",
                    rules=[role(["configmaps", "deployments"], [ALL], groups=["", "apps"])],
                ),
            )
            bind(s, "writers", "ClusterRole", "writer-{ns}", group="writers-{ns}")
        case "a viewer of the whole cluster":
            s.post(CLUSTER_ROLES, bound("ClusterRole", "viewer-{ns}", rules=[role([ALL], READING, groups=[ALL])]))
            cluster_bind(s, "viewer-{ns}", "viewer-{ns}", user="viewer-{ns}")
        case "a service account":
            grant(s, "named", [role(["configmaps"], ["get", "update", "delete"], names=["a"])], account="bot")
        case "one who may do everything by a role":
            cluster_bind(s, "boss-{ns}", "cluster-admin", user="boss-{ns}")
        case "one with wildcards":
            rules = [role(["*/scale", "*/status"], ["get", "patch"], groups=[ALL]), role(["pods/*", "nodes"], ["list"])]
            grant(s, "wild", rules, user="wild-{ns}")
        case "one with rules for paths":
            rules = [
                {"verbs": ["get"], "nonResourceURLs": ["/metrics", "/logs/*"]},
                {"verbs": [ALL], "nonResourceURLs": ["/healthz/*"]},
            ]
            s.post(CLUSTER_ROLES, bound("ClusterRole", "paths-{ns}", rules=rules))
            cluster_bind(s, "paths-{ns}", "paths-{ns}", user="paths-{ns}")
        case "one with a role that is not there":
            grant(s, "some", [role(["pods"], ["get"])], user="broken-{ns}")
            bind(s, "absent", "ClusterRole", "absent-{ns}", user="broken-{ns}")
        case "one with a role that aggregates":
            selector = {"matchLabels": {"example.com/aggregate": "{ns}"}}
            whole = {"rules": [role(["pods"], ["get"])], "aggregationRule": {"clusterRoleSelectors": [selector]}}
            s.post(CLUSTER_ROLES, bound("ClusterRole", "sum-{ns}", **whole))
            part = bound("ClusterRole", "part-{ns}", rules=[role(["pods"], ["list"])])
            part["metadata"]["labels"] = {"example.com/aggregate": "{ns}"}
            s.post(CLUSTER_ROLES, part)
            cluster_bind(s, "sum-{ns}", "sum-{ns}", user="aggregated-{ns}")


_GRANTED: Final[Mapping[str, dict[str, Any]]] = {
    "a reader": {"verb": "get", "resource": "pods", "namespace": "{ns}"},
    "a group of writers": {"verb": "get", "resource": "configmaps", "namespace": "{ns}"},
    "a viewer of the whole cluster": {"verb": "get", "resource": "pods"},
    "a service account": {"verb": "get", "resource": "configmaps", "name": "a", "namespace": "{ns}"},
    "one who may do everything by a role": {"verb": "get", "resource": "pods"},
    "one with wildcards": {"verb": "get", "resource": "pods", "subresource": "status", "namespace": "{ns}"},
    "one with rules for paths": {"verb": "get", "path": "/metrics"},
    "one with a role that is not there": {"verb": "get", "resource": "pods", "namespace": "{ns}"},
    "one with a role that aggregates": {"verb": "get", "resource": "pods"},
}


def _prepare(s: Script, name: str) -> None:
    _grants(s, name)
    user, groups = SUBJECTS[name]
    if name in _GRANTED:
        until_allowed(s, user, groups, _GRANTED[name])
    if name == "one with a role that is not there":
        absent = {"verb": "list", "resource": "pods", "namespace": "{ns}"}
        s.until(ACCESS_REVIEWS, status=201, holding="not found", method="POST", body=reviewed(user, groups, absent))


def _matrix(name: str) -> None:
    @case(f"the matrix of {name}")
    def _(s: Script) -> None:
        _prepare(s, name)
        user, groups = SUBJECTS[name]
        for attributes in RESOURCES:
            for verb in VERBS:
                s.post(ACCESS_REVIEWS, reviewed(user, groups, {**attributes, "verb": verb}))
        for path in PATHS:
            for verb in ("get", "put"):
                s.post(ACCESS_REVIEWS, reviewed(user, groups, {"path": path, "verb": verb}))


def _requests(name: str) -> None:
    @case(f"requests of {name}")
    def _(s: Script) -> None:
        s.post(CONFIG_MAPS, config_map("a"))
        _prepare(s, name)
        own: dict[str, Any] = {"headers": acting(*SUBJECTS[name])}
        s.get("/version", **own)
        s.get("/logs/", **own)
        s.get(f"{CONFIG_MAPS}/a", **own)
        s.get(f"{CONFIG_MAPS}/b", **own)
        s.get(CONFIG_MAPS, fieldSelector="metadata.name=a", **own)
        s.get(CONFIG_MAPS, fieldSelector="metadata.name=b", **own)
        s.post(CONFIG_MAPS, config_map("b"), dryRun="All", **own)
        s.put(f"{CONFIG_MAPS}/a", config_map("a", data={"a": "2"}), **own)
        s.patch(f"{CONFIG_MAPS}/a", {"data": {"a": "3"}}, **own)
        s.delete(f"{CONFIG_MAPS}/b", **own)
        s.delete(CONFIG_MAPS, labelSelector="a=b", **own)
        s.get(f"{PODS}/a/log", **own)
        s.get(f"{PODS}/a", **own)
        s.get("/api/v1/nodes/a", **own)
        s.get("/api/v1/namespaces/{ns}", **own)
        s.get("/apis/apps/v1/namespaces/{ns}/deployments/a/scale", **own)
        s.ask("PUT", "/apis/example.com/v1/namespaces/{ns}/widgets/a/status", {}, **own)
        s.delete(f"{CLUSTER_BINDINGS}/absent-{{ns}}", **own)


for subject in SUBJECTS:
    _matrix(subject)
    _requests(subject)


@case("a grant that is taken back")
def _(s: Script) -> None:
    user = "former-{ns}"
    pods = {"verb": "get", "resource": "pods", "namespace": "{ns}"}
    grant(s, "former", [role(["pods"], ["get"])], user=user)
    until_allowed(s, user, (), pods)
    s.delete(f"{BINDINGS}/former")
    s.until(ACCESS_REVIEWS, status=201, holding='"allowed":false', method="POST", body=reviewed(user, (), pods))
    s.get(f"{PODS}/a", headers=acting(user))
    bind(s, "again", "Role", "former", user=user)
    until_allowed(s, user, (), pods)
    s.delete(f"{ROLES}/former")
    s.until(ACCESS_REVIEWS, status=201, holding="not found", method="POST", body=reviewed(user, (), pods))
    s.get(f"{PODS}/a", headers=acting(user))
    s.delete(BINDINGS)
    s.until(ACCESS_REVIEWS, status=201, lacking="not found", method="POST", body=reviewed(user, (), pods))
    s.get(f"{PODS}/a", headers=acting(user))


@case("the roles of a new cluster")
def _(s: Script) -> None:
    for name in ("admin", "cluster-admin", "edit", "view", "system:basic-user", "system:discovery", "system:node"):
        s.get(f"{CLUSTER_ROLES}/{name}")
        s.get(f"{CLUSTER_BINDINGS}/{name}")
    s.get("/apis/rbac.authorization.k8s.io/v1/roles", labelSelector="kubernetes.io/bootstrapping=rbac-defaults")
    s.get("/apis/rbac.authorization.k8s.io/v1/rolebindings", labelSelector="kubernetes.io/bootstrapping=rbac-defaults")
