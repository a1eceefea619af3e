"""What users are granted, and that it is remembered no longer than it holds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from konverge.cluster.apiserver.access import Access, User
from konverge.cluster.apiserver.access.attempt import Attempt

RBAC = "rbac.authorization.k8s.io"
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
GET = Attempt(verb="get", resource="pods", namespace="ns", name="a")
JANE = User("jane", ("staff", "system:authenticated"))

Store = Callable[..., Awaitable[None]]


def reference(kind: str, name: str) -> dict[str, str]:
    """Return the role of a binding."""
    return {"apiGroup": RBAC, "kind": kind, "name": name}


def subject(kind: str, name: str, **more: str) -> dict[str, str]:
    """Return whom a binding means."""
    return {"kind": kind, "name": name, **more}


@pytest.mark.parametrize(
    ("whom", "shown"),
    [
        (subject("User", "jane"), 'User "jane"'),
        (subject("Group", "staff"), 'Group "staff"'),
        (subject("User", "eve"), None),
        (subject("Group", "jane"), None),
        (subject("ServiceAccount", "jane"), None),
        (subject("Robot", "jane"), None),
    ],
)
async def test_a_binding_means_its_subjects(
    access: Access, store: Store, whom: dict[str, str], shown: str | None
) -> None:
    """By their name or by a group; a review tells which."""
    await store(f"{RBAC}/roles/ns/reader", rules=[PODS])
    await store(f"{RBAC}/rolebindings/ns/readers", subjects=[whom], roleRef=reference("Role", "reader"))
    decision = access.authorization.decide(JANE, GET)
    if shown is None:
        assert not decision.is_allowed
        return
    assert decision.reason == f'RBAC: allowed by RoleBinding "readers/ns" of Role "reader" to {shown}'


@pytest.mark.parametrize(("namespace", "is_allowed"), [("ns", True), ("other", False)])
async def test_a_service_account_is_of_the_bindings_namespace_by_default(
    access: Access, store: Store, namespace: str, *, is_allowed: bool
) -> None:
    """A binding need not say it again."""
    await store(f"{RBAC}/roles/ns/reader", rules=[PODS])
    whom = [subject("ServiceAccount", "bot")]
    await store(f"{RBAC}/rolebindings/ns/readers", subjects=whom, roleRef=reference("Role", "reader"))
    bot = User(f"system:serviceaccount:{namespace}:bot")
    assert access.authorization.decide(bot, GET).is_allowed is is_allowed


async def test_a_cluster_role_bound_in_a_namespace_holds_there(access: Access, store: Store) -> None:
    """And in no other namespace, nor for the whole cluster."""
    await store(f"{RBAC}/clusterroles/reader", rules=[PODS])
    await store(
        f"{RBAC}/rolebindings/ns/readers",
        subjects=[subject("User", "jane")],
        roleRef=reference("ClusterRole", "reader"),
    )
    for namespace, is_allowed in (("ns", True), ("other", False), ("", False)):
        attempt = Attempt(verb="get", resource="pods", namespace=namespace)
        assert access.authorization.decide(JANE, attempt).is_allowed is is_allowed


async def test_a_change_counts_at_once(access: Access, store: Store) -> None:
    """What was remembered of a user goes with any write of a role or a binding."""
    await store(f"{RBAC}/clusterroles/reader", rules=[PODS])
    assert not access.authorization.decide(JANE, GET).is_allowed
    bound: dict[str, Any] = {"subjects": [subject("User", "jane")], "roleRef": reference("ClusterRole", "reader")}
    await store(f"{RBAC}/clusterrolebindings/readers", **bound)
    assert access.authorization.decide(JANE, GET).is_allowed
    await store(f"{RBAC}/clusterroles/reader", rules=[{**PODS, "resourceNames": ["b"]}])
    assert not access.authorization.decide(JANE, GET).is_allowed
    await store(f"{RBAC}/clusterroles/reader", rules=[PODS])
    await store(f"{RBAC}/clusterrolebindings/readers", **{**bound, "subjects": None})
    assert not access.authorization.decide(JANE, GET).is_allowed


async def test_a_role_that_is_not_there_is_told_of(access: Access, store: Store) -> None:
    """Only to those who are refused, and all of them at once."""
    whom = [subject("User", "jane")]
    await store(f"{RBAC}/clusterroles/reader", rules=[PODS])
    await store(f"{RBAC}/clusterrolebindings/a", subjects=whom, roleRef=reference("ClusterRole", "absent"))
    await store(f"{RBAC}/rolebindings/ns/b", subjects=whom, roleRef=reference("Role", "gone"))
    await store(f"{RBAC}/rolebindings/ns/c", subjects=whom, roleRef=reference("ClusterRole", "reader"))
    assert access.authorization.decide(JANE, GET).is_allowed
    refused = access.authorization.decide(JANE, Attempt(verb="list", resource="pods", namespace="ns"))
    absent = f'clusterrole.{RBAC} "absent" not found'
    assert refused.reason == f'RBAC: [{absent}, role.{RBAC} "gone" not found]'


async def test_rules_of_an_aggregating_role_are_its_own(access: Access, store: Store) -> None:
    """To gather the rules of others is a controller's work."""
    part = {"rules": [PODS], "metadata": {"labels": {"to": "sum"}}}
    await store(f"{RBAC}/clusterroles/part", **part)
    selectors = {"clusterRoleSelectors": [{"matchLabels": {"to": "sum"}}]}
    await store(f"{RBAC}/clusterroles/sum", rules=None, aggregationRule=selectors)
    whom = [subject("User", "jane")]
    await store(f"{RBAC}/clusterrolebindings/sum", subjects=whom, roleRef=reference("ClusterRole", "sum"))
    assert not access.authorization.decide(JANE, GET).is_allowed
