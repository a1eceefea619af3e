"""Requests that are made as someone else; the words were heard from kube-apiserver 1.36.3."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from konverge.cluster.apiserver.access import Access, User
from konverge.cluster.apiserver.access.impersonation import wanted_user
from konverge.cluster.apiserver.exchange import Peer, Request
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.route import route

Store = Callable[..., Awaitable[None]]
RBAC = "rbac.authorization.k8s.io"
VERSION = "/version"
ADMIN = Peer(is_trusted=True)
BOB = Peer(common_name="bob")


def ask(access: Access, peer: Peer, path: str = VERSION, **headers: str) -> User:
    """Return as whom a request is made; a header's underscores are dashes."""
    named = {f"impersonate-{name.replace('_', '-')}": value for name, value in headers.items()}
    request = Request(method="GET", path=path, peer=peer, headers=named)
    return access.check(request, route(request), [])


def refusal(access: Access, peer: Peer, path: str = VERSION, **headers: str) -> str:
    """Return why it is refused."""
    with pytest.raises(Failure) as caught:
        ask(access, peer, path, **headers)
    return caught.value.message


async def allow(store: Store, *rules: dict[str, Any]) -> None:
    """Give bob some rules in the whole cluster."""
    await store(f"{RBAC}/clusterroles/bobs", rules=[*rules])
    whom = [{"kind": "User", "name": "bob"}]
    role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "bobs"}
    await store(f"{RBAC}/clusterrolebindings/bobs", subjects=whom, roleRef=role)


def test_headers_name_the_whole_user() -> None:
    """A repeated header reaches the core joined; the keys of extra are escaped."""
    headers = {
        "impersonate-user": "jane",
        "impersonate-uid": "7",
        "impersonate-group": "a, b",
        "impersonate-extra-example.com%2fscope": "x, y",
    }
    user = wanted_user(Request(method="GET", path="/", headers=headers))
    assert user == User("jane", ("a", "b"), "7", {"example.com/scope": ("x", "y")})


def test_nobody_is_wanted_by_an_empty_name() -> None:
    """As if the header were not there."""
    assert wanted_user(Request(method="GET", path="/", headers={"impersonate-user": ""})) is None


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("jane", ("system:authenticated",)),
        ("system:anonymous", ("system:unauthenticated",)),
        ("system:node:n1", ("system:nodes", "system:authenticated")),
        ("system:node:N_1", ("system:authenticated",)),
        (
            "system:serviceaccount:a:b",
            ("system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"),
        ),
        ("system:serviceaccount:a:b:c", ("system:authenticated",)),
    ],
)
def test_groups_that_come_with_a_name(access: Access, name: str, groups: tuple[str, ...]) -> None:
    """Where none are named."""
    assert ask(access, ADMIN, user=name).groups == groups


async def test_the_old_verb_is_asked_for_each_part(access: Access, store: Store) -> None:
    """The user, their groups; and the refusal tells of what was tried first."""
    impersonate = {"verbs": ["impersonate"], "apiGroups": [""]}
    users = {**impersonate, "resources": ["users"], "resourceNames": ["jane"]}
    await allow(store, users, {**impersonate, "resources": ["groups"], "resourceNames": ["a"]})
    constrained = 'forbidden: User "bob" cannot impersonate-on:user-info:get path "/version"'
    assert refusal(access, BOB, user="eve") == constrained
    assert ask(access, BOB, user="jane", group="a").groups == ("a", "system:authenticated")
    # The way that worked is tried first from then on.
    assert refusal(access, BOB, user="eve").startswith('users "eve" is forbidden: User "bob" cannot impersonate')
    assert refusal(access, BOB, user="jane", group="a, b").startswith('groups "b" is forbidden')


async def test_a_constrained_verb_holds_for_one_kind_of_request(access: Access, store: Store) -> None:
    """To be someone, and to be them for this; never an administrator."""
    someone = {"verbs": ["impersonate:user-info"], "apiGroups": ["authentication.k8s.io"]}
    await allow(
        store,
        {**someone, "resources": ["users", "groups"]},
        {"verbs": ["impersonate-on:user-info:get"], "nonResourceURLs": ["/version"]},
    )
    assert ask(access, BOB, user="jane", group="a").name == "jane"
    assert "cannot impersonate-on:user-info:get" in refusal(access, BOB, "/healthz", user="jane")
    told = "impersonating the system:masters group is not allowed"
    assert refusal(access, BOB, user="jane", group="system:masters").endswith(told)


def test_the_other_may_do_no_more_than_they_may(access: Access) -> None:
    """Whoever asked."""
    message = refusal(access, ADMIN, "/api/v1/pods", user="jane")
    assert message == 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope'
