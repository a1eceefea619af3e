"""Calls held against rules: the decision, with no test run and no server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from konverge.cli.access_audit import Excess, Findings, Need, Role, attempts_of, audit
from konverge.cluster.apiserver.access.rule import PolicyRule
from konverge.manager.call_log import Call, Seen

PODS = "/api/v1/namespaces/shop/pods"


def held(calls: Sequence[Call], *roles: Role, **origins: Sequence[PolicyRule]) -> Findings:
    """Audit some calls."""
    return audit([Seen(call, "test_it") for call in calls], roles, origins=origins)


def role(verbs: str, resources: str = "pods", **more: Any) -> Role:
    """A role with one rule of the core group."""
    rule = PolicyRule(tuple(verbs.split()), ("",), tuple(resources.split()), **more.pop("rule", {}))
    return Role(rules=(rule,), **more)


def test_calls_are_read_as_the_server_reads_them() -> None:
    """A watch with its list, a list of one name, a subresource, a quoted name, a path that is no resource."""
    seen = [
        Call("GET", PODS, query=(("watch", "true"), ("sendInitialEvents", "true"))),
        Call("GET", PODS, query=(("fieldSelector", "metadata.name=a"),)),
        Call("PUT", f"{PODS}/a/status"),
        Call("DELETE", PODS),
        Call("GET", "/apis/apps/v1/namespaces/shop/deployments/a%3Ab"),
        Call("GET", "/metrics"),
    ]
    found = [
        (attempt.verb, attempt.group, attempt.combined or attempt.path, attempt.name)
        for call in seen
        for attempt in attempts_of(call)
    ]
    assert found == [
        ("watch", "", "pods", ""),
        ("list", "", "pods", ""),
        ("list", "", "pods", "a"),
        ("update", "", "pods/status", "a"),
        ("deletecollection", "", "pods", ""),
        ("get", "apps", "deployments", "a:b"),
        ("get", "", "/metrics", ""),
    ]


def test_a_patch_that_creates_needs_the_right_to_create() -> None:
    """As the API server asks for both; with its name, so that a rule with names can allow it."""
    found = held([Call("PATCH", f"{PODS}/a"), Call("PATCH", f"{PODS}/a", created=True)], role("patch"))
    (need,) = found.missing
    assert need == Need(resource="pods", verbs=("create",), namespaces=("shop",), names=("a",), tests=("test_it",))
    assert need.declaration == '@kv.rbac("", "pods", verbs="create")'


def test_what_is_done_as_another_is_that_ones_matter() -> None:
    """The operator needs the right to act as them, and no other."""
    headers = (("Impersonate-User", "system:serviceaccount:shop:till"), ("Impersonate-Group", "clerks"))
    found = held([Call("GET", PODS, impersonating=headers)])
    assert [(need.resource, need.verbs, need.names) for need in found.missing] == [
        ("groups", ("impersonate",), ("clerks",)),
        ("serviceaccounts", ("impersonate",), ("till",)),
    ]


def test_what_everyone_may_do_needs_no_rule() -> None:
    """Discovery, and questions about one's own rights."""
    reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    found = held([Call("GET", "/apis/apps/v1"), Call("GET", "/version"), Call("POST", reviews)])
    assert (found.calls, found.missing) == (0, ())


def test_a_role_of_one_namespace_holds_there_alone() -> None:
    """But a Lease is where the operator runs, which a test has elsewhere."""
    call = Call("GET", PODS)
    assert held([call], role("list", namespace="till")).missing
    assert not held([call], role("list", namespace="shop")).missing
    assert not held([call], role("list", namespace="till", is_lease=True)).missing


def test_names_are_told_apart() -> None:
    """A rule for one object is used by calls on that object alone."""
    rule = {"resource_names": ("a", "b")}
    found = held([Call("GET", f"{PODS}/a"), Call("GET", f"{PODS}/c")], role("get", rule=rule))
    assert [need.names for need in found.missing] == [("c",)]
    assert [each.names for each in found.unused] == [("b",)]


def test_unused_verbs_of_a_resource_are_told_together() -> None:
    """With who asked for them: the first who did."""
    mine = PolicyRule(("delete",), ("",), ("pods",))
    all_of_it = PolicyRule(("get", "delete", "list"), ("",), ("pods",))
    found = held([Call("GET", f"{PODS}/a")], role("delete get list"), declared=[mine], builder=[all_of_it])
    assert found.unused == (
        Excess(resource="pods", verbs=("list",), origin="builder"),
        Excess(resource="pods", verbs=("delete",), origin="declared"),
    )


def test_who_writes_makes_use_of_get() -> None:
    """A controller reads what it writes where it suspects a hot loop; it is not missed where that never happened."""
    writes = [Call("PUT", f"{PODS}/a/status")]
    allowed = role("get", "pods"), role("update", "pods/status")
    assert held(writes, *allowed).unused == ()
    assert held(writes, role("update", "pods/status")).missing == ()
    assert [each.verbs for each in held([], *allowed).unused] == [("get",), ("update",)]


def test_what_names_everything_is_told_with_what_it_was_used_for() -> None:
    """A star is never used up."""
    found = held([Call("GET", f"{PODS}/a"), Call("DELETE", f"{PODS}/a")], role("*"))
    assert [(each.verbs, each.used) for each in found.unused] == [(("*",), ("delete pods", "get pods"))]


def test_what_no_call_shows_is_not_judged() -> None:
    """The server asks for it inside other calls."""
    found = held([Call("GET", f"{PODS}/a")], role("get"), role("update", "pods/finalizers"), role("escalate", "roles"))
    assert not found.unused
    assert [(each.verbs, each.resource) for each in found.not_judged] == [
        (("update",), "pods/finalizers"),
        (("escalate",), "roles"),
    ]


def test_what_is_done_in_tests_alone_is_not_missed() -> None:
    """Nor is it a use of what the operator may do."""
    aside = [PolicyRule(("patch",), ("",), ("pods",), resource_names=("a",))]
    calls = [Seen(Call("PATCH", f"{PODS}/{name}"), "test_it") for name in ("a", "b")]
    (need,) = audit(calls, [role("get")], origins={}, aside=aside).missing
    assert need.names == ("b",)
