"""What roles and bindings may be; the words are compared with the real server's in tests/conformance."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin import rules
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules

RBAC = "rbac.authorization.k8s.io"
PATHS = {"verbs": ["get"], "nonResourceURLs": ["/a"]}


def fields(kind: str, value: dict[str, Any], old: dict[str, Any] | None = None) -> list[str]:
    """Return the fields of an object that are refused."""
    own: KindRules = rules.of(RBAC, kind)
    assert own.validate is not None
    assert own.validate_update is not None
    errors = own.validate(value) if old is None else own.validate_update(value, old, "")
    return [error.field for error in errors]


@pytest.mark.parametrize(
    ("kind", "rule", "refused"),
    [
        ("Role", {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}, []),
        ("Role", {"verbs": None}, ["rules[0].verbs", "rules[0].apiGroups", "rules[0].resources"]),
        ("Role", PATHS, ["rules[0].nonResourceURLs"]),
        ("ClusterRole", PATHS, []),
        ("ClusterRole", {**PATHS, "resources": ["pods"]}, ["rules[0].nonResourceURLs"]),
    ],
)
def test_a_rule_is_about_resources_or_about_paths(kind: str, rule: dict[str, Any], refused: list[str]) -> None:
    """And paths are of the whole cluster."""
    assert fields(kind, {"metadata": {"name": "a"}, "rules": [rule]}) == refused


@pytest.mark.parametrize(
    ("kind", "subject", "refused"),
    [
        ("RoleBinding", {"kind": "ServiceAccount", "name": "a"}, []),
        ("ClusterRoleBinding", {"kind": "ServiceAccount", "name": "a"}, ["subjects[0].namespace"]),
        ("RoleBinding", {"kind": "User", "name": "a", "apiGroup": RBAC}, []),
        ("RoleBinding", {"kind": "User", "name": "a"}, ["subjects[0].apiGroup"]),
        ("RoleBinding", {"kind": "Robot"}, ["subjects[0].name", "subjects[0].kind"]),
    ],
)
def test_whom_a_binding_may_name(kind: str, subject: dict[str, str], refused: list[str]) -> None:
    """A user, a group or a service account."""
    role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "a"}
    assert fields(kind, {"metadata": {"name": "a"}, "roleRef": role, "subjects": [subject]}) == refused


def test_the_role_of_a_binding_never_changes() -> None:
    """Who may bind one role could else give away another."""
    metadata = {"name": "a", "namespace": "b"}
    old = {"metadata": metadata, "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "a"}}
    new = {"metadata": metadata, "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "b"}}
    assert fields("RoleBinding", old, old) == []
    assert fields("RoleBinding", new, old) == ["roleRef"]
