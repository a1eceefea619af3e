"""Roles: what each user is granted, read from the stored roles and bindings.

What was read is remembered until one of these kinds is written (`changed`): the bindings of the cluster and of each
namespace, the rules of each role, and what follows from them for each user who asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec

from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.rule import PolicyRule
from konverge.cluster.apiserver.access.user import User, account_name
from konverge.cluster.apiserver.failure import not_found
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.storage import Storage

GROUP: Final = "rbac.authorization.k8s.io"
_MOST_REMEMBERED: Final = 10_000  # users in namespaces


class _Subject(msgspec.Struct, frozen=True):
    kind: str = ""
    name: str = ""
    namespace: str = ""


class RoleRef(msgspec.Struct, frozen=True, rename={"api_group": "apiGroup"}):
    """The role that a binding gives."""

    kind: str = ""
    name: str = ""
    api_group: str = ""


class _Metadata(msgspec.Struct, frozen=True):
    name: str
    namespace: str = ""


class _Binding(msgspec.Struct, frozen=True, rename={"role_ref": "roleRef"}):
    metadata: _Metadata
    subjects: tuple[_Subject, ...] | None = None
    role_ref: RoleRef = RoleRef()

    def subject(self, user: User) -> _Subject | None:
        """Return by which subject a user is meant; None where they are not."""
        return next((each for each in self.subjects or () if _is_meant(user, each, self.metadata.namespace)), None)

    def source(self, subject: _Subject) -> str:
        """Return the binding in the words of an access review."""
        namespace, role = self.metadata.namespace, self.role_ref
        kind, name = "ClusterRoleBinding", self.metadata.name
        if namespace:
            kind, name = "RoleBinding", f"{name}/{namespace}"
        whom = subject.name
        if subject.kind == "ServiceAccount":
            whom = f"{whom}/{subject.namespace or namespace}"
        return f"{kind} {quoted(name)} of {role.kind} {quoted(role.name)} to {subject.kind} {quoted(whom)}"


def _is_meant(user: User, subject: _Subject, namespace: str) -> bool:
    match subject.kind:
        case "User":
            return user.name == subject.name
        case "Group":
            return subject.name in user.groups
        case "ServiceAccount":
            home = subject.namespace or namespace
            return bool(home) and user.name == account_name(home, subject.name)
    return False


class _Role(msgspec.Struct, frozen=True):
    rules: tuple[PolicyRule, ...] | None = None


_binding: Final = msgspec.json.Decoder(_Binding).decode
_role: Final = msgspec.json.Decoder(_Role).decode


class MissingRole(Exception):
    """A binding's role is not there; the message has the real server's words."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name  # empty: there is no such kind of roles

    def among(self, plural: str) -> str:
        """Say it as it is said to those who write roles: by what they write, not by what is missing."""
        return not_found(plural, GROUP, self.name).message if self.name else str(self)


@dataclass(frozen=True, slots=True)
class Grant:
    """One rule, and the binding that it comes from."""

    rule: PolicyRule
    source: str


@dataclass(frozen=True, slots=True)
class Grants:
    """All that a user is granted in a namespace, or in none."""

    found: tuple[Grant, ...]
    missing: tuple[MissingRole, ...]  # the roles that are bound and not there
    # What is granted of a verb on a resource, whatever its objects are named.
    _matching: dict[tuple[str, str, str, str], tuple[Grant, ...]] = field(default_factory=dict)

    def allowing(self, attempt: Attempt) -> Grant | None:
        """Return the first rule that allows an attempt."""
        if not attempt.is_resource:
            return next((grant for grant in self.found if grant.rule.allows(attempt)), None)
        key = (attempt.verb, attempt.group, attempt.resource, attempt.subresource)
        matching = self._matching.get(key)
        if matching is None:
            matching = tuple(grant for grant in self.found if grant.rule.allows(attempt))
            if len(self._matching) < _MOST_REMEMBERED:
                self._matching[key] = matching
        return next((grant for grant in matching if grant.rule.allows_name(attempt.name)), None)


class Roles:
    """Looks up what users are granted."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._bindings: dict[str, tuple[_Binding, ...]] = {}  # by namespace; those of the cluster by the empty name
        self._rules: dict[RoleRef | tuple[RoleRef, str], tuple[PolicyRule, ...]] = {}
        self._grants: dict[tuple[str, tuple[str, ...], str], Grants] = {}

    def changed(self) -> None:
        """Forget what was read: a role or a binding was written."""
        self._bindings.clear()
        self._rules.clear()
        self._grants.clear()

    def grants(self, user: User, namespace: str) -> Grants:
        """Return what a user is granted in a namespace, by cluster role bindings alone where that is empty."""
        key = (user.name, user.groups, namespace)
        found = self._grants.get(key)
        if found is None:
            if len(self._grants) >= _MOST_REMEMBERED:
                self._grants.clear()
            found = self._grants[key] = self._compiled(user, namespace)
        return found

    def _compiled(self, user: User, namespace: str) -> Grants:
        found: list[Grant] = []
        missing: list[MissingRole] = []
        for binding, subject in self._meant(user, namespace):
            try:
                rules = self.rules(binding.role_ref, binding.metadata.namespace)
            except MissingRole as error:
                missing.append(error)
            else:
                source = binding.source(subject)
                found += [Grant(rule, source) for rule in rules]
        return Grants(tuple(found), tuple(missing))

    def _meant(self, user: User, namespace: str) -> Iterator[tuple[_Binding, _Subject]]:
        for home in ("", namespace) if namespace else ("",):
            for binding in self._bound(home):
                if (subject := binding.subject(user)) is not None:
                    yield binding, subject

    def _bound(self, namespace: str) -> tuple[_Binding, ...]:
        found = self._bindings.get(namespace)
        if found is None:
            prefix = f"/{GROUP}/rolebindings/{namespace}/" if namespace else f"/{GROUP}/clusterrolebindings/"
            found = tuple(_binding(stored.value) for stored in self._storage.range(prefix).items)
            self._bindings[namespace] = found
        return found

    def rules(self, reference: RoleRef, namespace: str) -> tuple[PolicyRule, ...]:
        """Return the rules of a role that is bound in a namespace; raise `MissingRole`."""
        key = (reference, namespace) if reference.kind == "Role" else reference
        found = self._rules.get(key)
        if found is None:
            found = self._rules[key] = self._read(reference, namespace)
        return found

    def _read(self, reference: RoleRef, namespace: str) -> tuple[PolicyRule, ...]:
        match reference.kind:
            case "Role":
                plural, name = "roles", f"{namespace}/{reference.name}"
            case "ClusterRole":
                plural, name = "clusterroles", reference.name
            case kind:
                raise MissingRole(f"unsupported role reference kind: {quoted(kind)}")
        stored = self._storage.get(f"/{GROUP}/{plural}/{name}")
        if stored is None:
            raise MissingRole(not_found(plural.removesuffix("s"), GROUP, reference.name).message, reference.name)
        return _role(stored.value).rules or ()
