"""Nobody gives away what they do not have; the words were heard from kube-apiserver 1.36.3."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from konverge.cluster.apiserver.access import Access, User
from konverge.cluster.apiserver.access.user import ADMINISTRATOR
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.route import Route

Store = Callable[..., Awaitable[None]]
RBAC = "rbac.authorization.k8s.io"
BOB = User("bob", ("staff",))
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
SECRETS = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}


def where(plural: str, name: str = "") -> Route:
    """Return where a write goes."""
    namespace = "" if plural.startswith("cluster") else "ns"
    return Route(
        verb="create",
        path="",
        is_resource=True,
        group=RBAC,
        version="v1",
        plural=plural,
        namespace=namespace,
        name=name,
    )


def role(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a role."""
    return {"metadata": {"name": "a"}, "rules": [*rules], **more}


def bound(kind: str, name: str) -> dict[str, Any]:
    """Return a binding."""
    return {"metadata": {"name": "a"}, "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name}}


async def allow(store: Store, *rules: dict[str, Any]) -> None:
    """Give bob some rules in the whole cluster."""
    await store(f"{RBAC}/clusterroles/bobs", rules=[*rules])
    whom = [{"kind": "User", "name": "bob"}]
    await store(f"{RBAC}/clusterrolebindings/bobs", subjects=whom, roleRef=bound("ClusterRole", "bobs")["roleRef"])


def refusal(access: Access, plural: str, value: dict[str, Any], old: dict[str, Any] | None = None) -> Failure:
    """Return why a write is refused."""
    with pytest.raises(Failure) as caught:
        access.escalation.check(BOB, where(plural), value, old)
    return caught.value


async def test_a_role_of_what_one_has(access: Access, store: Store) -> None:
    """And an administrator has everything."""
    await allow(store, PODS)
    access.escalation.check(BOB, where("roles"), role(PODS), None)
    access.escalation.check(ADMINISTRATOR, where("roles"), role(SECRETS), None)


async def test_a_role_of_more(access: Access, store: Store) -> None:
    """Each right that is not held is in the answer."""
    await allow(store, PODS)
    failure = refusal(access, "roles", role(PODS, SECRETS))
    assert failure.message == (
        f'roles.{RBAC} "a" is forbidden: user "bob" (groups=["staff"]) is attempting to grant RBAC permissions not '
        'currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'
    )


async def test_a_change_that_only_ends_an_object_is_no_escalation(access: Access, store: Store) -> None:
    """So that a garbage collector, which has no rights of its own, can do its work."""
    await allow(store, PODS)
    old = role(SECRETS)
    access.escalation.check(BOB, where("roles", "a"), {**old, "metadata": {"name": "a", "finalizers": ["x/y"]}}, old)
    refusal(access, "roles", {**old, "metadata": {"name": "a", "labels": {"a": "b"}}}, old)


async def test_those_who_may_escalate(access: Access, store: Store) -> None:
    """Or may bind just this role."""
    escalate = {"apiGroups": [RBAC], "resources": ["roles"], "verbs": ["escalate"]}
    bind = {"apiGroups": [RBAC], "resources": ["clusterroles"], "verbs": ["bind"], "resourceNames": ["edit"]}
    await allow(store, escalate, bind)
    access.escalation.check(BOB, where("roles"), role(SECRETS), None)
    refusal(access, "clusterroles", role(SECRETS))
    access.escalation.check(BOB, where("rolebindings"), bound("ClusterRole", "edit"), None)
    refusal(access, "rolebindings", bound("ClusterRole", "cluster-admin"))


async def test_an_aggregation_needs_everything(access: Access, store: Store) -> None:
    """It could gather anything."""
    await allow(store, PODS)
    aggregating = role(PODS, aggregationRule={"clusterRoleSelectors": [{}]})
    told = "must have cluster-admin privileges to use the aggregationRule"
    assert refusal(access, "clusterroles", aggregating).message.endswith(told)
    assert refusal(access, "clusterroles", role(PODS), aggregating).message.endswith(told)
    everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    await allow(store, everything, {"nonResourceURLs": ["*"], "verbs": ["*"]})
    access.escalation.check(BOB, where("clusterroles"), aggregating, None)


async def test_a_binding_to_nothing(access: Access, store: Store) -> None:
    """It is not known what it would give."""
    await allow(store, PODS)
    assert refusal(access, "rolebindings", bound("Role", "x")).message == f'rolebindings.{RBAC} "x" not found'
    odd = refusal(access, "rolebindings", bound("Odd", "x"))
    assert (odd.code, odd.message) == (500, 'unsupported role reference kind: "Odd"')
