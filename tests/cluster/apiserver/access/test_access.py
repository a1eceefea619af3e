"""Who may do what. The expected words were heard from kube-apiserver 1.36.3 (curl, with and without certificates)."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.access import Access, User
from konverge.cluster.apiserver.exchange import Peer, Request
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.route import route

BOB = Peer(common_name="bob", organizations=("dev",))
ADMIN = Peer(common_name="kubernetes-admin", organizations=("system:masters",))
POD = "/api/v1/namespaces/default/pods"


def check(access: Access, request: Request) -> User:
    """Return as whom a request is made."""
    return access.check(request, route(request), [])


def refusal(access: Access, method: str, path: str, *, peer: Peer | None = None, **headers: str) -> Failure:
    """Return why a request is refused."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    path, _, query = path.partition("?")
    pairs = tuple(tuple(pair.split("=")) for pair in query.split("&") if pair)
    with pytest.raises(Failure) as caught:
        check(access, Request(method=method, path=path, query=pairs, peer=peer or Peer(), headers=named))  # type: ignore[arg-type]  # pairs by construction
    return caught.value


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/version", "/version/"])
def test_anyone_may_ask_for_health_and_version(access: Access, path: str) -> None:
    """As the role system:public-info-viewer allows."""
    assert check(access, Request(method="GET", path=path)) == User("system:anonymous", ("system:unauthenticated",))


@pytest.mark.parametrize(
    ("method", "path", "message", "details"),
    [
        ("GET", "/", 'forbidden: User "system:anonymous" cannot get path "/"', {}),
        ("GET", "/api", 'forbidden: User "system:anonymous" cannot get path "/api"', {}),
        ("GET", "/apis/apps/v1", 'forbidden: User "system:anonymous" cannot get path "/apis/apps/v1"', {}),
        ("GET", "/healthz/ping", 'forbidden: User "system:anonymous" cannot get path "/healthz/ping"', {}),
        ("GET", "/healthzz", 'forbidden: User "system:anonymous" cannot get path "/healthzz"', {}),
        ("POST", "/healthz", 'forbidden: User "system:anonymous" cannot post path "/healthz"', {}),
        ("HEAD", "/version", 'forbidden: User "system:anonymous" cannot head path "/version"', {}),
        (
            "GET",
            "/api/v1/pods?watch=1",
            (
                'pods is forbidden: User "system:anonymous" cannot watch resource "pods" in API group "" '
                "at the cluster scope"
            ),
            {"kind": "pods"},
        ),
        (
            "GET",
            f"{POD}/x",
            (
                'pods "x" is forbidden: User "system:anonymous" cannot get resource "pods" in API group "" '
                'in the namespace "default"'
            ),
            {"name": "x", "kind": "pods"},
        ),
        (
            "DELETE",
            POD,
            (
                'pods is forbidden: User "system:anonymous" cannot deletecollection resource "pods" in API group "" '
                'in the namespace "default"'
            ),
            {"kind": "pods"},
        ),
        (
            "OPTIONS",
            f"{POD}/x/status",
            (
                'pods "x" is forbidden: User "system:anonymous" cannot  resource "pods/status" in API group "" '
                'in the namespace "default"'
            ),
            {"name": "x", "kind": "pods"},
        ),
        (
            "GET",
            "/api/v1/namespaces/default",
            (
                'namespaces "default" is forbidden: User "system:anonymous" cannot get resource "namespaces" '
                'in API group "" in the namespace "default"'
            ),
            {"name": "default", "kind": "namespaces"},
        ),
        (
            "GET",
            "/apis/apps/v1/namespaces/default/deployments/x/scale",
            (
                'deployments.apps "x" is forbidden: User "system:anonymous" cannot get resource "deployments/scale" '
                'in API group "apps" in the namespace "default"'
            ),
            {"name": "x", "group": "apps", "kind": "deployments"},
        ),
    ],
)
def test_what_an_unknown_one_may_not_do(
    access: Access, method: str, path: str, message: str, details: dict[str, str]
) -> None:
    """403, with the path or the resource, its group and its namespace."""
    status = refusal(access, method, path).status()
    assert (status["code"], status["reason"], status["message"], status["details"]) == (
        403,
        "Forbidden",
        message,
        details,
    )


@pytest.mark.parametrize("header", ["Bearer abc", "bearer abc", "Bearer abc def"])
@pytest.mark.parametrize("path", ["/healthz", "/api"])
def test_a_token_that_proves_nothing_is_unauthorized(access: Access, header: str, path: str) -> None:
    """401, even for what anyone may read."""
    assert refusal(access, "GET", path, authorization=header).code == 401


@pytest.mark.parametrize("header", ["Bearer", "Bearer  ", "Basic YTpi", ""])
def test_no_token_is_no_wrong_one(access: Access, header: str) -> None:
    """The one who asks is anonymous."""
    assert "system:anonymous" in refusal(access, "GET", "/api", authorization=header).message


def test_a_certificate_comes_before_a_token(access: Access) -> None:
    """An administrator's stale token does not lock them out."""
    request = Request(method="GET", path=POD, peer=ADMIN, headers={"authorization": "Bearer abc"})
    assert check(access, request) == User("kubernetes-admin", ("system:masters", "system:authenticated"))


def test_who_holds_the_server_may_do_everything(access: Access) -> None:
    """In process there is no credential to show."""
    assert check(access, Request(method="DELETE", path=POD, peer=Peer(is_trusted=True))).is_administrator


@pytest.mark.parametrize("path", ["/api", "/apis/apps/v1", "/openapi/v3", "/openapi/v2", "/version/", "/healthz"])
def test_a_known_user_may_discover(access: Access, path: str) -> None:
    """As the role system:discovery allows."""
    assert check(access, Request(method="GET", path=path, peer=BOB)) == User("bob", ("dev", "system:authenticated"))


def test_a_known_user_may_ask_about_themselves(access: Access) -> None:
    """As the role system:basic-user allows."""
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    assert check(access, Request(method="POST", path=path, peer=BOB)).name == "bob"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/metrics", 'forbidden: User "bob" cannot get path "/metrics"'),
        ("/livez/ping", 'forbidden: User "bob" cannot get path "/livez/ping"'),
        (
            "/api/v1/pods",
            'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope',
        ),
    ],
)
def test_a_known_user_may_do_nothing_else(access: Access, path: str, message: str) -> None:
    """Roles come later; until then only administrators read and write."""
    assert refusal(access, "GET", path, peer=BOB).message == message


def test_an_administrator_may_be_someone_else_for_a_request(access: Access) -> None:
    """And may then do no more than that one may."""
    message = 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope'
    assert refusal(access, "GET", "/api/v1/pods", peer=ADMIN, impersonate_user="jane").message == message
    groups = {"impersonate-user": "jane", "impersonate-group": "ops, system:masters"}
    user = check(access, Request(method="GET", path="/api/v1/pods", peer=ADMIN, headers=groups))
    assert user == User("jane", ("ops", "system:masters", "system:authenticated"))


def test_nobody_else_may_impersonate(access: Access) -> None:
    """The verb that they lack is in the answer."""
    message = (
        'pods is forbidden: User "bob" cannot impersonate-on:user-info:list resource "pods" in API group "" '
        "at the cluster scope"
    )
    assert refusal(access, "GET", "/api/v1/pods", peer=BOB, impersonate_user="jane").message == message


def test_a_group_without_a_user_is_a_bad_request(access: Access) -> None:
    """In Go's words for the user that it is not."""
    assert refusal(access, "GET", "/api", peer=ADMIN, impersonate_group="ops").message == (
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"ops"}, Extra:map[string][]string(nil)} '
        "without impersonating a user name"
    )


def test_a_service_account_brings_its_groups(access: Access) -> None:
    """Impersonated with no groups named, it has those that its token would give it."""
    headers = {"impersonate-user": "system:serviceaccount:a:b"}
    user = check(access, Request(method="GET", path="/api", peer=ADMIN, headers=headers))
    assert user.groups == ("system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated")
