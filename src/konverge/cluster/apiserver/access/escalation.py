"""Escalation: nobody gives rights away that they do not have, unless they may `escalate` roles or `bind` this one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.access.attempt import Attempt, aggregated
from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.access.coverage import described, missing
from konverge.cluster.apiserver.access.roles import GROUP, MissingRole, RoleRef
from konverge.cluster.apiserver.access.rule import ALL, PolicyRule, go_list
from konverge.cluster.apiserver.access.user import User
from konverge.cluster.apiserver.failure import Failure, forbidden, not_found
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.route import Route

JsonObject = dict[str, Any]
_ROLES: Final = ("clusterroles", "roles")
_BINDINGS: Final = ("clusterrolebindings", "rolebindings")
_EVERYTHING: Final = (PolicyRule((ALL,), (ALL,), (ALL,)), PolicyRule((ALL,), non_resource_urls=(ALL,)))
_AGGREGATION: Final = "must have cluster-admin privileges to use the aggregationRule"
_OF_GARBAGE_COLLECTION: Final = ("ownerReferences", "finalizers", "selfLink", "managedFields")


class Escalation:
    """Judges the writes of roles and bindings."""

    def __init__(self, authorization: Authorization) -> None:
        self._authorization = authorization

    def check(self, user: User, where: Route, value: JsonObject, old: JsonObject | None) -> None:
        """Raise (403) where a write would give away what its author does not have."""
        if where.group != GROUP or user.is_administrator:
            return
        if where.plural in _ROLES:
            self._check_role(user, where, value, old)
        elif where.plural in _BINDINGS:
            self._check_binding(user, where, value, old)

    def _check_role(self, user: User, where: Route, value: JsonObject, old: JsonObject | None) -> None:
        if self._may(user, where, "escalate", where.plural, where.name):
            return
        if old is not None and _is_same_but_for_garbage_collection(value, old):
            return
        rules = [_rule(rule) for rule in value.get("rules") or ()]
        if why := self._not_held(user, where, rules):
            raise _forbidden(where, value, why)
        aggregates = _aggregates(value) or (old is not None and _aggregates(old))
        if aggregates and self._not_held(user, where, _EVERYTHING):
            raise _forbidden(where, value, _AGGREGATION)

    def _check_binding(self, user: User, where: Route, value: JsonObject, old: JsonObject | None) -> None:
        if old is not None and _is_same_but_for_garbage_collection(value, old):
            return
        reference = msgspec.convert(value.get("roleRef") or {}, RoleRef)
        plural = {"ClusterRole": "clusterroles", "Role": "roles"}.get(reference.kind)
        if plural and self._may(user, where, "bind", plural, reference.name, group=reference.api_group):
            return
        try:
            rules = self._authorization.roles.rules(reference, where.namespace)
        except MissingRole as error:
            raise _unbindable(where, error) from None
        if why := self._not_held(user, where, rules):
            raise _forbidden(where, value, why)

    def _may(self, user: User, where: Route, verb: str, plural: str, name: str, *, group: str = GROUP) -> bool:
        attempt = Attempt(verb=verb, group=group, resource=plural, namespace=where.namespace, name=name)
        return self._authorization.decide(user, attempt).is_allowed

    def _not_held(self, user: User, where: Route, rules: Sequence[PolicyRule]) -> str:
        """Say which rights a user wants to give away and does not have."""
        grants = self._authorization.roles.grants(user, where.namespace)
        lacking = missing([grant.rule for grant in grants.found], rules)
        if not lacking:
            return ""
        who = f"user {quoted(user.name)} (groups={go_list(user.groups)})"
        text = f"{who} is attempting to grant RBAC permissions not currently held:\n{described(lacking)}"
        absent = aggregated(role.among(where.plural) for role in grants.missing)
        return f"{text}; resolution errors: [{absent}]" if absent else text


def _rule(value: JsonObject) -> PolicyRule:
    """Read a rule that nobody has judged yet: Go writes the verbs of one that has none."""
    return msgspec.convert({name: part for name, part in value.items() if part is not None}, PolicyRule)


def _aggregates(value: JsonObject) -> bool:
    return bool((value.get("aggregationRule") or {}).get("clusterRoleSelectors"))


def _is_same_but_for_garbage_collection(value: JsonObject, old: JsonObject) -> bool:
    return json_equal(_without(value), _without(old))


def _without(value: JsonObject) -> JsonObject:
    metadata = {name: part for name, part in value["metadata"].items() if name not in _OF_GARBAGE_COLLECTION}
    return {**value, "metadata": metadata}


def _unbindable(where: Route, role: MissingRole) -> Failure:
    return not_found(where.plural, GROUP, role.name) if role.name else Failure(500, "", str(role))


def _forbidden(where: Route, value: JsonObject, why: str) -> Failure:
    return forbidden(where.plural, GROUP, value["metadata"].get("name", ""), why)
