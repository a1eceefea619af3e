"""The rules of a FlowSchema: whether a request of a user is meant by it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.user import User, account_name

_ANY: Final = "*"
_Words = tuple[str, ...] | None  # a list that Go does not leave out where it has none is stored as null


class _Named(msgspec.Struct, frozen=True):
    name: str = ""
    namespace: str = ""


class _Subject(msgspec.Struct, frozen=True, rename="camel"):
    kind: str = ""
    user: _Named = _Named()
    group: _Named = _Named()
    service_account: _Named = _Named()

    def means(self, user: User) -> bool:
        match self.kind:
            case "User":
                return self.user.name in (_ANY, user.name)
            case "Group":
                return self.group.name == _ANY or self.group.name in user.groups
            case "ServiceAccount":
                account = self.service_account
                if account.name == _ANY:
                    return user.name.startswith(account_name(account.namespace, ""))
                return user.name == account_name(account.namespace, account.name)
        return False


class _ResourceRule(msgspec.Struct, frozen=True, rename={"api_groups": "apiGroups", "cluster_scope": "clusterScope"}):
    verbs: _Words = None
    api_groups: _Words = None
    resources: _Words = None
    cluster_scope: bool = False
    namespaces: _Words = None

    def fits(self, attempt: Attempt) -> bool:
        parts = (
            (attempt.verb, self.verbs),
            (attempt.combined, self.resources),
            (attempt.group, self.api_groups),
        )
        if not all(_contains(value, allowed) for value, allowed in parts):
            return False
        return _contains(attempt.namespace, self.namespaces) if attempt.namespace else self.cluster_scope


class _PathRule(msgspec.Struct, frozen=True, rename={"paths": "nonResourceURLs"}):
    verbs: _Words = None
    paths: _Words = None

    def fits(self, attempt: Attempt) -> bool:
        return _contains(attempt.verb, self.verbs) and any(_covers(each, attempt.path) for each in self.paths or ())


class _Rule(msgspec.Struct, frozen=True, rename="camel"):
    subjects: tuple[_Subject, ...] | None = None
    resource_rules: tuple[_ResourceRule, ...] | None = None
    non_resource_rules: tuple[_PathRule, ...] | None = None

    def fits(self, user: User, attempt: Attempt) -> bool:
        rules: Sequence[_ResourceRule | _PathRule] | None = (
            self.resource_rules if attempt.is_resource else self.non_resource_rules
        )
        return any(each.means(user) for each in self.subjects or ()) and any(rule.fits(attempt) for rule in rules or ())


class Metadata(msgspec.Struct, frozen=True):
    """What of an object's metadata counts here."""

    name: str
    uid: str


class _Shares(msgspec.Struct, frozen=True, rename="camel"):
    nominal_concurrency_shares: int = 0


class _LevelSpec(msgspec.Struct, frozen=True):
    limited: _Shares | None = None
    exempt: _Shares | None = None


class Level(msgspec.Struct, frozen=True):
    """A PriorityLevelConfiguration."""

    metadata: Metadata
    spec: _LevelSpec = _LevelSpec()

    @property
    def shares(self) -> int:
        """Its part of what the server does at a time."""
        return (self.spec.limited or self.spec.exempt or _Shares()).nominal_concurrency_shares


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    priority_level_configuration: _Named = _Named()
    matching_precedence: int = 0
    rules: tuple[_Rule, ...] | None = None


class _Condition(msgspec.Struct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class _Status(msgspec.Struct, frozen=True):
    conditions: tuple[_Condition, ...] | None = None


class FlowSchema(msgspec.Struct, frozen=True):
    """A FlowSchema, as far as it decides."""

    metadata: Metadata
    spec: _Spec = _Spec()
    status: _Status = _Status()

    @property
    def level(self) -> str:
        """The name of its priority level."""
        return self.spec.priority_level_configuration.name

    @property
    def order(self) -> tuple[int, str]:
        """What the schemas are tried in the order of."""
        return self.spec.matching_precedence, self.metadata.name

    def means(self, user: User, attempt: Attempt) -> bool:
        """Whether a request belongs to it."""
        return any(rule.fits(user, attempt) for rule in self.spec.rules or ())

    def says(self, condition: dict[str, str]) -> bool:
        """Whether its status has a condition."""
        wanted = _Condition(**condition)
        return any(each == wanted for each in self.status.conditions or ())


def _contains(value: str, allowed: _Words) -> bool:
    return allowed == (_ANY,) or value in (allowed or ())


def _covers(pattern: str, path: str) -> bool:
    if pattern in (_ANY, path):
        return True
    prefix = pattern.removesuffix(_ANY)
    return path.startswith(prefix if prefix.endswith("/") else f"{prefix}/")
