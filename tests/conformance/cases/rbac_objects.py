"""Roles, bindings and reviews that the cases of access share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from harness.script import Reference, Script

RBAC: Final = "/apis/rbac.authorization.k8s.io/v1"
CLUSTER_ROLES: Final = f"{RBAC}/clusterroles"
CLUSTER_BINDINGS: Final = f"{RBAC}/clusterrolebindings"
ROLES: Final = f"{RBAC}/namespaces/{{ns}}/roles"
BINDINGS: Final = f"{RBAC}/namespaces/{{ns}}/rolebindings"
AUTHORIZATION: Final = "/apis/authorization.k8s.io/v1"
AUTHENTICATION: Final = "/apis/authentication.k8s.io/v1"
ACCESS_REVIEWS: Final = f"{AUTHORIZATION}/subjectaccessreviews"
ACCOUNTS: Final = "/api/v1/namespaces/{ns}/serviceaccounts"
_GROUP: Final = "rbac.authorization.k8s.io"


def role(
    resources: Sequence[str], verbs: Sequence[str], *, groups: Sequence[str] = ("",), names: Sequence[str] = ()
) -> dict[str, Any]:
    """Return one rule."""
    rule = {"apiGroups": [*groups], "resources": [*resources], "verbs": [*verbs]}
    return {**rule, "resourceNames": [*names]} if names else rule


def bound(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """Return an object of the group."""
    return {"apiVersion": f"{_GROUP}/v1", "kind": kind, "metadata": {"name": name}, **more}


def subject(*, user: str = "", group: str = "", account: str = "", namespace: str = "{ns}") -> dict[str, Any]:
    """Return whom a binding means."""
    if account:
        return {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    return {"kind": "User" if user else "Group", "name": user or group, "apiGroup": _GROUP}


def binding(name: str, kind: str, role_name: str, **whom: Any) -> dict[str, Any]:
    """Return a RoleBinding."""
    reference = {"apiGroup": _GROUP, "kind": kind, "name": role_name}
    return bound("RoleBinding", name, subjects=[subject(**whom)], roleRef=reference)


def cluster_binding(name: str, role_name: str, **whom: Any) -> dict[str, Any]:
    """Return a ClusterRoleBinding."""
    return {**binding(name, "ClusterRole", role_name, **whom), "kind": "ClusterRoleBinding"}


def bind(s: Script, name: str, kind: str, role_name: str, **whom: Any) -> Reference:
    """Bind a role in the namespace."""
    return s.post(BINDINGS, binding(name, kind, role_name, **whom))


def cluster_bind(s: Script, name: str, role_name: str, **whom: Any) -> Reference:
    """Bind a role in the whole cluster."""
    return s.post(CLUSTER_BINDINGS, cluster_binding(name, role_name, **whom))


def grant(s: Script, name: str, rules: Sequence[dict[str, Any]], **whom: Any) -> None:
    """Make a role in the namespace, and bind it."""
    s.post(ROLES, bound("Role", name, rules=[*rules]))
    bind(s, name, "Role", name, **whom)


def reviewed(user: str, groups: Sequence[str], attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the review of an access, to a path or to a resource."""
    which = "nonResourceAttributes" if "path" in attributes else "resourceAttributes"
    return {"spec": {"user": user, "groups": [*groups], which: attributes}}


def until_allowed(s: Script, user: str, groups: Sequence[str], attributes: dict[str, Any]) -> None:
    """Wait until the server knows of a grant: the real one follows its own watch."""
    body = reviewed(user, groups, attributes)
    s.until(ACCESS_REVIEWS, status=201, holding='"allowed":true', method="POST", body=body)


def acting(user: str, groups: Sequence[str] = ()) -> dict[str, Any]:
    """Return the headers of a request that is made as another."""
    return {"Impersonate-User": user, **({"Impersonate-Group": [*groups]} if groups else {})}
