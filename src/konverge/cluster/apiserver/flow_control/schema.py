"""The rules of a FlowSchema: whether a request of a user is meant by it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.user import User, account_name

_ANY: Final = "*"


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
    verbs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    cluster_scope: bool = False
    namespaces: tuple[str, ...] = ()

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
    verbs: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def fits(self, attempt: Attempt) -> bool:
        return _contains(attempt.verb, self.verbs) and any(_covers(each, attempt.path) for each in self.paths)


class _Rule(msgspec.Struct, frozen=True, rename="camel"):
    subjects: tuple[_Subject, ...] = ()
    resource_rules: tuple[_ResourceRule, ...] = ()
    non_resource_rules: tuple[_PathRule, ...] = ()

    def fits(self, user: User, attempt: Attempt) -> bool:
        rules: Sequence[_ResourceRule | _PathRule] = (
            self.resource_rules if attempt.is_resource else self.non_resource_rules
        )
        return any(each.means(user) for each in self.subjects) and any(rule.fits(attempt) for rule in rules)


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
    rules: tuple[_Rule, ...] = ()


class _Condition(msgspec.Struct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class _Status(msgspec.Struct, frozen=True):
    conditions: tuple[_Condition, ...] = ()


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
        return any(rule.fits(user, attempt) for rule in self.spec.rules)

    def says(self, condition: dict[str, str]) -> bool:
        """Whether its status has a condition."""
        wanted = _Condition(**condition)
        return any(each == wanted for each in self.status.conditions)


def _contains(value: str, allowed: tuple[str, ...]) -> bool:
    return allowed == (_ANY,) or value in allowed


def _covers(pattern: str, path: str) -> bool:
    if pattern in (_ANY, path):
        return True
    prefix = pattern.removesuffix(_ANY)
    return path.startswith(prefix if prefix.endswith("/") else f"{prefix}/")
