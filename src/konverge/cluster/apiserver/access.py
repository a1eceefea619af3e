"""Access: who asks, and whether they may. Administrators may do everything; of others, the real server's defaults hold.

There are no roles yet, so a user who is no administrator has what every cluster gives by its bootstrap roles:
discovery to those who are known, health and version to all. What is refused is refused in the words of RBAC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.failure import Failure, bad_request, forbidden, unauthorized
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.route import Route, route

MASTERS: Final = "system:masters"
_AUTHENTICATED: Final = "system:authenticated"
_SERVICE_ACCOUNT: Final = "system:serviceaccount:"
# The bootstrap roles system:public-info-viewer, system:discovery and system:basic-user.
_PUBLIC: Final = frozenset({"/healthz", "/livez", "/readyz", "/version", "/version/"})
_DISCOVERY: Final = ("/api", "/apis", "/openapi")
_ABOUT_ONESELF: Final = frozenset(
    {
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectrulesreviews"),
    }
)


@dataclass(frozen=True, slots=True)
class User:
    """Who asks."""

    name: str
    groups: tuple[str, ...]

    @property
    def is_administrator(self) -> bool:
        """Whether nothing is refused."""
        return MASTERS in self.groups

    @property
    def is_known(self) -> bool:
        """Whether they said who they are, and proved it."""
        return _AUTHENTICATED in self.groups


_ADMINISTRATOR: Final = User("system:admin", (MASTERS, _AUTHENTICATED))  # who holds the server itself
_ANONYMOUS: Final = User("system:anonymous", ("system:unauthenticated",))


def check(request: Request) -> User:
    """Return who asks. Raises `Failure`: 401 for a credential that proves nothing, 403 for what they may not do."""
    user = _impersonated(request, _authenticated(request))
    if not user.is_administrator:
        where = route(request)
        if not _is_allowed(user, where):
            raise _refused(user, where, where.verb)
    return user


def _authenticated(request: Request) -> User:
    peer = request.peer
    if peer.is_trusted:
        return _ADMINISTRATOR
    if peer.common_name:  # a certificate comes first, whatever token stands beside it
        return User(peer.common_name, (*peer.organizations, _AUTHENTICATED))
    scheme, _, token = request.header("authorization").strip().partition(" ")
    if scheme.lower() == "bearer" and token.partition(" ")[0]:
        raise unauthorized()  # no token was ever given out
    return _ANONYMOUS


def _impersonated(request: Request, user: User) -> User:
    """Return whom an administrator wants to be for this request."""
    name = request.header("impersonate-user")
    groups = tuple(part.strip() for part in request.header("impersonate-group").split(",") if part.strip())
    if not name:
        if groups:
            listed = ", ".join(quoted(group) for group in groups)
            shown = f'&user.DefaultInfo{{Name:"", UID:"", Groups:[]string{{{listed}}}, Extra:map[string][]string(nil)}}'
            raise bad_request(f"requested {shown} without impersonating a user name")
        return user
    if not user.is_administrator:
        where = route(request)
        raise _refused(user, where, f"impersonate-on:user-info:{where.verb}")
    return User(name, _with_implied(name, groups))


def _with_implied(name: str, groups: tuple[str, ...]) -> tuple[str, ...]:
    if name == _ANONYMOUS.name:
        return groups or _ANONYMOUS.groups
    if name.startswith(_SERVICE_ACCOUNT) and not groups:
        namespace = name.removeprefix(_SERVICE_ACCOUNT).partition(":")[0]
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
    return groups if _AUTHENTICATED in groups else (*groups, _AUTHENTICATED)


def _is_allowed(user: User, where: Route) -> bool:
    if where.is_resource:
        return user.is_known and where.verb == "create" and (where.group, where.plural) in _ABOUT_ONESELF
    if where.verb != "get":
        return False
    is_discovery = any(where.path == path or where.path.startswith(f"{path}/") for path in _DISCOVERY)
    return where.path in _PUBLIC or (user.is_known and is_discovery)


def _refused(user: User, where: Route, verb: str) -> Failure:
    who = f"User {quoted(user.name)} cannot {verb}"
    if not where.is_resource:
        return forbidden("", "", "", f"{who} path {quoted(where.path)}")
    resource = f"{where.plural}/{where.subresource}" if where.subresource else where.plural
    scope = f"in the namespace {quoted(where.namespace)}" if where.namespace else "at the cluster scope"
    why = f"{who} resource {quoted(resource)} in API group {quoted(where.group)} {scope}"
    return forbidden(where.plural, where.group, where.name, why)
