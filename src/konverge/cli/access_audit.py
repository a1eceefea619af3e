"""Access audit: the calls that an operator made, held against the rules it would be given. Pure.

A call and a rule are read as the embedded API server's authorizer reads them, which is compared with the real one. What
every user may do in any cluster (discovery, reviews of one's own rights) counts for neither side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from konverge.cluster.apiserver.access.attempt import Attempt, attempt_of
from konverge.cluster.apiserver.access.coverage import missing, parts
from konverge.cluster.apiserver.access.rule import ALL, PolicyRule
from konverge.cluster.apiserver.builtin import captured
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.route import route
from konverge.manager.call_log import Call, Seen

Json = Mapping[str, Any]
_AUTHENTICATED: Final = "system:authenticated"
_ACCOUNT: Final = "system:serviceaccount:"
_UNSEEN_VERBS: Final = ("approve", "attest", "bind", "escalate", "sign", "use")
_UNSEEN_PART: Final = "/finalizers"  # asked for where an owner reference blocks its owner's deletion


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """What was done and is not allowed."""

    group: str = ""
    resource: str = ""  # with its subresource; or a path that is no resource
    verbs: tuple[str, ...]
    namespaces: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()  # in which it was first done

    @property
    def declaration(self) -> str:
        """What to write above the reconciler."""
        verbs = f'"{self.verbs[0]}"' if len(self.verbs) == 1 else f"[{', '.join(f'{verb!r}' for verb in self.verbs)}]"
        what = f'urls="{self.resource}"' if self.resource.startswith("/") else f'"{self.group}", "{self.resource}"'
        return f"@kv.rbac({what}, verbs={verbs})".replace("'", '"')


class Excess(msgspec.Struct, frozen=True, kw_only=True):
    """What is allowed and was not done."""

    group: str = ""
    resource: str = ""
    verbs: tuple[str, ...]
    namespace: str = ""  # of the Role; none: everywhere
    names: tuple[str, ...] = ()
    origin: str = ""  # who asked for it
    used: tuple[str, ...] = ()  # of a rule with *: what was done by it


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit found."""

    calls: int
    missing: tuple[Need, ...]
    unused: tuple[Excess, ...]
    not_judged: tuple[Excess, ...]  # no call shows whether they are needed


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """Rules that an operator would be given."""

    rules: tuple[PolicyRule, ...]
    namespace: str = ""  # none: everywhere
    is_lease: bool = False  # it holds wherever a test has the Lease: in a cluster, that is where the operator runs

    def allows(self, attempt: Attempt) -> bool:
        """Whether it allows something."""
        here = not self.namespace or self.is_lease or self.namespace == attempt.namespace
        return here and any(rule.allows(attempt) and rule.allows_name(attempt.name) for rule in self.rules)


def role_of(manifest: Json, *, is_lease: bool = False) -> Role:
    """Return a Role or a ClusterRole as a value."""
    rules = msgspec.convert(manifest["rules"], tuple[PolicyRule, ...])
    return Role(rules=rules, namespace=manifest["metadata"].get("namespace", ""), is_lease=is_lease)


def audit(
    calls: Iterable[Seen],
    roles: Sequence[Role],
    *,
    origins: Mapping[str, Sequence[PolicyRule]],
    aside: Sequence[PolicyRule] = (),
) -> Findings:
    """Compare; `origins` are rules by who asked for them, and who is named first counts.

    What `aside` allows is done in tests alone, and is not missed.
    """
    seen = {attempt: each.test for each in calls for attempt in attempts_of(each.call)}
    own = [attempt for attempt in seen if not any(rule.allows(attempt) for rule in everyones())]
    allowing = (*roles, Role(rules=tuple(aside)))
    refused = {attempt: seen[attempt] for attempt in own if not any(role.allows(attempt) for role in allowing)}
    used = [*own, *map(_read_back, filter(_is_write, own))]
    idle = [each for role in roles for each in _idle(role, used, origins)]
    return Findings(
        calls=len(own),
        missing=tuple(_needs(refused)),
        unused=tuple(_joined(each for each in idle if not _is_unseen(each))),
        not_judged=tuple(_joined(each for each in idle if _is_unseen(each))),
    )


# --- calls ---


def attempts_of(call: Call) -> list[Attempt]:
    """Return what a call asks to be allowed, as the API server reads it."""
    if call.impersonating:
        return [_impersonation(name.lower(), value) for name, value in call.impersonating]
    request = Request(method=call.method, path=unquote(call.path), query=call.query)
    found = attempt_of(request, route(request))
    if call.created:
        return [replace(found, verb="create")]
    # Before a server that cannot stream a list, and after a watch that came too late, a cache lists.
    return [found, replace(found, verb="list")] if request.parameter("sendInitialEvents") else [found]


def _impersonation(header: str, value: str) -> Attempt:
    """Return the right to act as someone: what is done then is that one's matter."""
    if header == "impersonate-user":
        namespace, _, name = value.removeprefix(_ACCOUNT).partition(":")
        if value.startswith(_ACCOUNT) and name:
            return Attempt(verb="impersonate", resource="serviceaccounts", namespace=namespace, name=name)
        return Attempt(verb="impersonate", resource="users", name=value)
    if header == "impersonate-group":
        return Attempt(verb="impersonate", resource="groups", name=value)
    group = "authentication.k8s.io"
    if header == "impersonate-uid":
        return Attempt(verb="impersonate", group=group, resource="uids", name=value)
    key = unquote(header.removeprefix("impersonate-extra-"))
    return Attempt(verb="impersonate", group=group, resource="userextras", subresource=key, name=value)


@cache
def everyones() -> tuple[PolicyRule, ...]:
    """Return what whoever has a name may do in a new cluster."""
    objects = captured.read_json("bootstrap.json")
    names = {
        binding["roleRef"]["name"]
        for binding in objects["clusterrolebindings"]
        if any(subject["name"] == _AUTHENTICATED for subject in binding.get("subjects") or ())
    }
    roles = [role for role in objects["clusterroles"] if role["metadata"]["name"] in names]
    return tuple(rule for role in roles for rule in msgspec.convert(role["rules"], tuple[PolicyRule, ...]))


# --- what is missing ---


def _needs(refused: Mapping[Attempt, str]) -> Iterator[Need]:
    """Join what concerns one resource."""
    by_resource: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in refused:
        by_resource.setdefault((attempt.group, attempt.combined or attempt.path), []).append(attempt)
    for (group, resource), attempts in sorted(by_resource.items()):
        yield Need(
            group=group,
            resource=resource,
            verbs=_sorted(attempt.verb for attempt in attempts),
            namespaces=_sorted(attempt.namespace for attempt in attempts),
            names=_sorted(attempt.name for attempt in attempts),
            tests=_sorted(refused[attempt] for attempt in attempts),
        )


def _sorted(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({word for word in words if word}))


# --- what is never used ---


def _is_write(attempt: Attempt) -> bool:
    return attempt.verb in ("create", "patch", "update")


def _read_back(attempt: Attempt) -> Attempt:
    """Return the right to read what was written: a controller does so where it suspects a hot loop, which is rare."""
    return replace(attempt, verb="get", subresource="")


def _idle(role: Role, attempts: Sequence[Attempt], origins: Mapping[str, Sequence[PolicyRule]]) -> Iterator[Excess]:
    """Yield the smallest parts of a role by which nothing was done, and those that name everything."""
    for rule in role.rules:
        for part in parts(rule):
            single = Role(rules=(part,), namespace=role.namespace, is_lease=role.is_lease)
            used = [attempt for attempt in attempts if single.allows(attempt)]
            if not used or _is_open(part):
                yield Excess(
                    group=", ".join(part.api_groups),
                    resource=(part.resources or part.non_resource_urls)[0],
                    verbs=part.verbs,
                    namespace=role.namespace,
                    names=part.resource_names,
                    origin=_origin(part, origins),
                    used=_sorted(_said(attempt) for attempt in used),
                )


def _is_open(part: PolicyRule) -> bool:
    return ALL in (*part.verbs, *part.api_groups, *part.resources)


def _said(attempt: Attempt) -> str:
    where = f"{attempt.combined}.{attempt.group}" if attempt.group else attempt.combined or attempt.path
    return f"{attempt.verb} {where}"


def _origin(part: PolicyRule, origins: Mapping[str, Sequence[PolicyRule]]) -> str:
    return next((name for name, rules in origins.items() if not missing(rules, [part])), "")


def _is_unseen(excess: Excess) -> bool:
    return excess.resource.endswith(_UNSEEN_PART) or excess.verbs[0] in _UNSEEN_VERBS


def _joined(found: Iterable[Excess]) -> list[Excess]:
    """Make one of those that differ in their verbs alone."""
    same: dict[tuple[Any, ...], list[Excess]] = {}
    for each in found:
        rest = (each.namespace, each.group, each.resource, each.names, each.origin, each.used)
        same.setdefault(rest, []).append(each)
    return [
        msgspec.structs.replace(group[0], verbs=_sorted(verb for each in group for verb in each.verbs))
        for _, group in sorted(same.items())
    ]
