"""Escalation: nobody gives away what they do not have; and what roles and bindings may be."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.rbac_objects import (
    BINDINGS,
    CLUSTER_BINDINGS,
    CLUSTER_ROLES,
    ROLES,
    acting,
    binding,
    bound,
    cluster_bind,
    cluster_binding,
    grant,
    role,
    subject,
    until_allowed,
)

case = Cases("escalation")

RBAC: Final = "rbac.authorization.k8s.io"
_WRITE: Final = ["create", "update", "patch", "get", "list", "delete"]
_KINDS: Final = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"]
PODS: Final = role(["pods"], ["get", "list"])
MORE: Final = role(["pods", "secrets"], ["get", "delete"], names=["a", "b"])


def _author(s: Script, *rules: dict[str, Any]) -> dict[str, Any]:
    """Make someone who may write roles, and who has these rules; return the headers by which they ask."""
    user = "author-{ns}"
    own = [role(_KINDS, _WRITE, groups=[RBAC]), *rules]
    s.post(CLUSTER_ROLES, bound("ClusterRole", "author-{ns}", rules=own))
    cluster_bind(s, "author-{ns}", "author-{ns}", user=user)
    until_allowed(s, user, (), {"verb": "create", "group": RBAC, "resource": "clusterroles"})
    return {"headers": acting(user, ["staff"])}


@case("a role of what one has")
def _(s: Script) -> None:
    own = _author(s, PODS)
    s.post(ROLES, bound("Role", "a", rules=[PODS]), **own)
    s.post(ROLES, bound("Role", "named", rules=[role(["pods"], ["get"], names=["x"])]), **own)
    s.post(CLUSTER_ROLES, bound("ClusterRole", "a-{ns}", rules=[PODS]), **own)
    s.put(f"{ROLES}/put", bound("Role", "put", rules=[PODS]), **own)
    s.post(BINDINGS, binding("a", "Role", "a", user="jane"), **own)
    s.post(CLUSTER_BINDINGS, cluster_binding("a-{ns}", "a-{ns}", user="jane"), **own)


@case("a role of more than one has")
def _(s: Script) -> None:
    own = _author(s, PODS)
    s.post(ROLES, bound("Role", "a", rules=[MORE, PODS]), **own)
    s.post(ROLES, bound("Role", "a", rules=[role(["*"], ["*"], groups=["*"])]), **own)
    s.post(
        ROLES,
        bound("Role", "a", rules=[role(["pods/log", "pods"], ["get", "watch", "list"], groups=["", "apps"])]),
        **own,
    )
    s.post(
        CLUSTER_ROLES,
        bound("ClusterRole", "a-{ns}", rules=[{"verbs": ["get", "put"], "nonResourceURLs": ["/a/*", "/b"]}]),
        **own,
    )
    s.post(CLUSTER_ROLES, bound("ClusterRole", "a-{ns}", rules=[MORE]), dryRun="All", **own)
    s.put(f"{ROLES}/b", bound("Role", "b", rules=[MORE]), **own)
    s.apply(f"{ROLES}/c", bound("Role", "c", rules=[MORE]), **own)
    s.post(ROLES, bound("Role", "d", rules=[{"verbs": [], "apiGroups": ["x"]}]), **own)
    s.post(ROLES, bound("Role", "d", rules=[{"apiGroups": ["x"]}, {}]), **own)
    s.post(BINDINGS, bound("RoleBinding", "d"), **own)


@case("a role that is changed")
def _(s: Script) -> None:
    own = _author(s, PODS)
    s.post(ROLES, bound("Role", "a", rules=[MORE]))
    s.patch(f"{ROLES}/a", {"metadata": {"labels": {"a": "b"}}}, **own)
    s.patch(f"{ROLES}/a", {"metadata": {"finalizers": ["example.com/hold"]}}, **own)
    s.patch(f"{ROLES}/a", {"metadata": {"finalizers": None}}, **own)
    s.patch(f"{ROLES}/a", {"rules": [PODS]}, **own)
    s.patch(f"{ROLES}/a", {"rules": [MORE]}, **own)
    s.put(f"{ROLES}/a", bound("Role", "a", rules=[PODS]), **own)
    s.delete(f"{ROLES}/a", **own)


@case("a binding to what one does not have")
def _(s: Script) -> None:
    own = _author(s, PODS)
    s.post(ROLES, bound("Role", "more", rules=[MORE]))
    s.post(BINDINGS, binding("a", "Role", "more", user="jane"), **own)
    s.post(BINDINGS, binding("a", "ClusterRole", "cluster-admin", user="jane"), **own)
    s.post(BINDINGS, binding("a", "Role", "absent", user="jane"), **own)
    s.post(BINDINGS, binding("a", "ClusterRole", "absent", user="jane"), **own)
    s.post(BINDINGS, binding("a", "Other", "absent", user="jane"), **own)
    s.post(CLUSTER_BINDINGS, cluster_binding("a-{ns}", "cluster-admin", user="jane"), **own)
    s.post(BINDINGS, binding("b", "Role", "more", user="jane"))
    s.patch(f"{BINDINGS}/b", {"subjects": [subject(user="eve")]}, **own)
    s.patch(f"{BINDINGS}/b", {"metadata": {"ownerReferences": None}}, **own)
    s.put(f"{BINDINGS}/c", binding("c", "Role", "more", user="jane"), **own)


@case("by those who may escalate and bind")
def _(s: Script) -> None:
    escalate = role(["roles"], ["escalate"], groups=[RBAC])
    own = _author(s, escalate, role(["clusterroles"], ["bind"], groups=[RBAC], names=["view", "cluster-admin"]))
    s.post(ROLES, bound("Role", "a", rules=[MORE]), **own)
    s.patch(f"{ROLES}/a", {"rules": [role(["secrets"], ["*"])]}, **own)
    s.post(CLUSTER_ROLES, bound("ClusterRole", "a-{ns}", rules=[MORE]), **own)
    s.post(BINDINGS, binding("a", "ClusterRole", "cluster-admin", user="jane"), **own)
    s.post(CLUSTER_BINDINGS, cluster_binding("a-{ns}", "view", user="jane"), **own)
    s.post(CLUSTER_BINDINGS, cluster_binding("b-{ns}", "edit", user="jane"), **own)
    s.post(BINDINGS, binding("b", "Role", "a", user="jane"), **own)


@case("an aggregation")
def _(s: Script) -> None:
    own = _author(s, PODS)
    rule = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    s.post(CLUSTER_ROLES, bound("ClusterRole", "a-{ns}", rules=[PODS], aggregationRule=rule), **own)
    s.post(CLUSTER_ROLES, bound("ClusterRole", "a-{ns}", aggregationRule=rule))
    s.patch(f"{CLUSTER_ROLES}/a-{{ns}}", {"aggregationRule": None}, **own)
    s.patch(f"{CLUSTER_ROLES}/a-{{ns}}", {"metadata": {"labels": {"a": "b"}}}, **own)
    s.get(f"{CLUSTER_ROLES}/a-{{ns}}")


@case("with a role that is not there")
def _(s: Script) -> None:
    own = _author(s, PODS)
    cluster_bind(s, "absent-{ns}", "absent-{ns}", user="author-{ns}")
    absent = {"spec": {"user": "author-{ns}", "resourceAttributes": {"verb": "list", "resource": "nodes"}}}
    s.until(
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        status=201,
        holding="not found",
        method="POST",
        body=absent,
    )
    s.post(ROLES, bound("Role", "a", rules=[MORE]), **own)
    s.get("/api/v1/nodes", **own)


@case("what a role may not be")
def _(s: Script) -> None:
    urls = {"verbs": ["get"], "nonResourceURLs": ["/a"]}
    rules = [
        {"verbs": []},
        {"verbs": ["get"]},
        {"verbs": ["get"], "apiGroups": [""]},
        urls,
        {**urls, "apiGroups": [""], "resources": ["a"]},
    ]
    s.post(ROLES, bound("Role", "a", rules=rules))
    s.post(CLUSTER_ROLES, bound("ClusterRole", "a-{ns}", rules=rules))
    s.post(ROLES, bound("Role", "a%b", rules=[]))
    s.post(ROLES, bound("Role", "a", rules=[PODS]))
    s.put(f"{ROLES}/a", bound("Role", "a", rules=rules))
    s.put(f"{ROLES}/a", {**bound("Role", "a", rules=[PODS]), "metadata": {"name": "a", "labels": {"-": "-"}}})
    wrong: tuple[dict[str, Any], ...] = (
        {},
        {"clusterRoleSelectors": []},
        {"clusterRoleSelectors": [{"matchLabels": {"-": "-"}}]},
        {"clusterRoleSelectors": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]},
        {"clusterRoleSelectors": [{}, {"matchExpressions": [{"key": "-", "operator": "Exists", "values": ["-"]}]}]},
        {"clusterRoleSelectors": [{"matchExpressions": [{"key": "a", "operator": "Like", "values": ["b"]}]}]},
    )
    for aggregation in wrong:
        s.post(CLUSTER_ROLES, bound("ClusterRole", "a-{ns}", aggregationRule=aggregation))


@case("what a binding may not be")
def _(s: Script) -> None:
    good = binding("a", "Role", "a", user="jane")
    for reference in (
        {},
        {"kind": "Role"},
        {"kind": "Pod", "name": "a"},
        {"kind": "Role", "name": "a/b", "apiGroup": "x"},
    ):
        s.post(BINDINGS, {**good, "roleRef": reference})
        s.post(CLUSTER_BINDINGS, {**good, "kind": "ClusterRoleBinding", "roleRef": reference})
    for whom in (
        {},
        {"kind": "User"},
        {"kind": "User", "name": "a", "apiGroup": "x"},
        {"kind": "Group", "name": "a", "namespace": "b"},
        {"kind": "ServiceAccount", "name": "A_"},
        {"kind": "ServiceAccount", "name": "a", "apiGroup": RBAC},
        {"kind": "Robot", "name": "a"},
    ):
        s.post(BINDINGS, {**good, "subjects": [whom]}, dryRun="All")
        s.post(CLUSTER_BINDINGS, {**cluster_binding("a-{ns}", "a", user="jane"), "subjects": [whom]}, dryRun="All")


@case("a binding's role never changes")
def _(s: Script) -> None:
    s.post(BINDINGS, binding("a", "Role", "a", user="jane"))
    s.put(f"{BINDINGS}/a", binding("a", "Role", "b", user="jane"))
    s.patch(f"{BINDINGS}/a", {"roleRef": {"kind": "ClusterRole"}})
    s.patch(f"{BINDINGS}/a", {"subjects": [subject(account="x")]}, kind="strategic")
    cluster_bind(s, "a-{ns}", "view", user="jane")
    s.put(f"{CLUSTER_BINDINGS}/a-{{ns}}", cluster_binding("a-{ns}", "edit", user="jane"))
    grant(s, "other", [PODS], user="x")
