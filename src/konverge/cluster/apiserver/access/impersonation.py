"""Impersonation: a request made as someone else, by one who may do that.

There are two ways to be allowed: the verb `impersonate` on each part of the other (the old one), or a constrained form,
`impersonate:<mode>` on them and `impersonate-on:<mode>:<verb>` on what is asked. All that fit are tried, the one that
last worked for a user first; a refusal tells of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import unquote

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.access.attempt import Attempt, refused
from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.access.user import (
    ANONYMOUS,
    AUTHENTICATED,
    MASTERS,
    NODES,
    UNAUTHENTICATED,
    User,
    account_groups,
    node_of,
    split_account,
)
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.failure import Failure, bad_request
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import dns_subdomain

_GROUP: Final = "authentication.k8s.io"
_EXTRA: Final = "impersonate-extra-"
_LEGACY: Final = "impersonate"
_MANY: Final = 4  # from so many on, the right to all is asked for at once
_MOST_REMEMBERED: Final = 10_000


def wanted_user(request: Request) -> User | None:
    """Return whom a request wants to be, as its headers say it; None where it is made as oneself."""
    if not any(name.startswith("impersonate-") for name in request.headers):
        return None
    name, uid = request.header("impersonate-user"), request.header("impersonate-uid")
    groups = _values(request.headers.get("impersonate-group"))
    extra = {
        unquote(header.removeprefix(_EXTRA)): _values(value)
        for header, value in request.headers.items()
        if header.startswith(_EXTRA)
    }
    wanted = User(name, groups, uid, extra)
    if not name and (uid or groups or extra):
        failure = bad_request(f"requested {_go_user(wanted)} without impersonating a user name")
        failure.is_sniffed = False
        raise failure
    return wanted if name else None


def _values(header: str | None) -> tuple[str, ...]:
    """Return the values of a header that may be repeated; the edges join those by a comma and a space."""
    return () if header is None else tuple(part.strip() for part in header.split(", "))


def _go_user(user: User) -> str:
    groups = f"{{{', '.join(quoted(group) for group in user.groups)}}}" if user.groups else "(nil)"
    extra = ", ".join(f"{quoted(key)}:[]string{{{', '.join(map(quoted, user.extra[key]))}}}" for key in user.extra)
    shown = f"{{{extra}}}" if extra else "(nil)"
    names = f"Name:{quoted(user.name)}, UID:{quoted(user.uid)}"
    return f"&user.DefaultInfo{{{names}, Groups:[]string{groups}, Extra:map[string][]string{shown}}}"


@dataclass(slots=True)
class Impersonation:
    """Lets users be others."""

    authorization: Authorization
    _worked: dict[str, str] = field(default_factory=dict)  # the mode that last worked, by the name of who used it

    def user(self, requestor: User, wanted: User, attempt: Attempt) -> User:
        """Return the other user; raise (403) where the one who asks may not be them."""
        first: Failure | None = None
        for mode in self._modes(requestor, wanted):
            try:
                found = _Check(self.authorization, requestor, mode).user(wanted, attempt)
            except Failure as failure:
                first = first or failure
                continue
            if len(self._worked) >= _MOST_REMEMBERED:
                self._worked.clear()
            self._worked[requestor.name] = mode
            return found
        raise first or refused(requestor, attempt)

    def _modes(self, requestor: User, wanted: User) -> list[str]:
        modes = list(_fitting(requestor, wanted))
        last = self._worked.get(requestor.name, "")
        return [last, *(mode for mode in modes if mode != last)] if last in modes else modes


def _fitting(requestor: User, wanted: User) -> Iterator[str]:
    is_name_alone = not (wanted.uid or wanted.groups or wanted.extra)
    if node := node_of(wanted.name):
        if is_name_alone:
            own = requestor.extra.get("authentication.kubernetes.io/node-name", ())
            if split_account(requestor.name) and own == (node,):
                yield "associated-node"
            yield "arbitrary-node"
    elif split_account(wanted.name):
        if is_name_alone:
            yield "serviceaccount"
    else:
        yield "user-info"
    yield _LEGACY


@dataclass(frozen=True, slots=True)
class _Check:
    """One mode, for one who asks."""

    authorization: Authorization
    requestor: User
    mode: str

    @property
    def is_constrained(self) -> bool:
        return self.mode != _LEGACY

    def user(self, wanted: User, attempt: Attempt) -> User:
        if self.is_constrained:
            self._check(replace(attempt, verb=f"impersonate-on:{self.mode}:{attempt.verb}"))
        actual = self._named(wanted)
        if wanted.uid:
            self._check(self._part("uids", wanted.uid, group=_GROUP))
        self._check_groups(wanted.groups)
        self._check_extra(wanted.extra)
        return _with_own_group(actual)

    def _check(self, attempt: Attempt) -> None:
        self.authorization.check(self.requestor, attempt)

    def _part(self, resource: str, name: str, *, group: str | None = None) -> Attempt:
        own = _GROUP if self.is_constrained else ""
        verb = f"impersonate:{self.mode}" if self.is_constrained else _LEGACY
        return Attempt(verb=verb, group=own if group is None else group, resource=resource, name=name)

    def _named(self, wanted: User) -> User:
        """Return the user with the groups that come with the name."""
        node, account = node_of(wanted.name), split_account(wanted.name)
        if node and self.is_constrained:
            self._check(self._part("nodes", "*" if self.mode == "associated-node" else node))
            return replace(wanted, groups=(NODES,))
        if account:
            self._check(replace(self._part("serviceaccounts", account[1]), namespace=account[0]))
            return wanted if wanted.groups else replace(wanted, groups=account_groups(account[0]))
        self._check(self._part("users", wanted.name))
        return wanted

    def _check_groups(self, groups: tuple[str, ...]) -> None:
        if self.is_constrained:
            if "" in groups:
                raise self._refused("groups", "", "impersonating the empty string group is not allowed")
            if MASTERS in groups:
                raise self._refused("groups", MASTERS, "impersonating the system:masters group is not allowed")
            if len(groups) >= _MANY and self._may(self._part("groups", "*")):
                return
        for group in groups:
            self._check(self._part("groups", group))

    def _check_extra(self, extra: Mapping[str, tuple[str, ...]]) -> None:
        if self.is_constrained:
            if why := _extra_fault(extra):
                raise self._refused("userextras", "", why, group=_GROUP)
            everything = replace(self._part("userextras", "*", group=_GROUP), subresource="*")
            if sum(len(values) for values in extra.values()) >= _MANY and self._may(everything):
                return
        for key, values in extra.items():
            for value in values:
                self._check(replace(self._part("userextras", value, group=_GROUP), subresource=key))

    def _may(self, attempt: Attempt) -> bool:
        return self.authorization.decide(self.requestor, attempt).is_allowed

    def _refused(self, resource: str, name: str, why: str, *, group: str | None = None) -> Failure:
        return refused(self.requestor, self._part(resource, name, group=group), why)


def _extra_fault(extra: Mapping[str, tuple[str, ...]]) -> str:
    for key, values in extra.items():
        if not key:
            return "impersonating the empty string key in extra is not allowed"
        host, _, path = key.partition("/")
        if dns_subdomain(host) or not path:
            wrong = field_error.invalid("extra.key", key, 'must be a domain-prefixed path (such as "acme.io/foo")')
            return f"impersonating an invalid key in extra is not allowed: {wrong}"
        if "" in values:
            return "impersonating the empty string value in extra is not allowed"
    return ""


def _with_own_group(user: User) -> User:
    group = AUTHENTICATED
    if user.name == ANONYMOUS.name:
        group = UNAUTHENTICATED
    elif UNAUTHENTICATED in user.groups:
        return user
    return user if group in user.groups else replace(user, groups=(*user.groups, group))
