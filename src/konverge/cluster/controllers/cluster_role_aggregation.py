"""ClusterRole aggregation: a role with an aggregation rule has the rules of all the roles that it selects.

Any role may be selected by any other, before a change of its labels or after it. So one request stands for all roles:
however many change at once, they are gone through once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from konverge.api.label_selector import LabelSelector
from konverge.api.meta import ObjectMeta
from konverge.api.model import encode
from konverge.builder import new_controller
from konverge.controller import Context, Request
from konverge.manager import Manager
from konverge.models import rbac_v1

NAME: Final = "clusterrole-aggregation-controller"
_ALL: Final = Request("", "all-cluster-roles")


def add_to(manager: Manager) -> None:
    """Register the controller."""
    new_controller(manager).named(NAME).watches(rbac_v1.ClusterRole, lambda _: [_ALL]).complete(reconcile)


async def reconcile(ctx: Context, _: Request) -> None:
    """Give each role that aggregates the rules it selects."""
    roles = sorted(await ctx.client.list(rbac_v1.ClusterRole), key=lambda role: role.metadata.name or "")
    for role in roles:
        if role.aggregation_rule is None:
            continue
        rules = aggregated(role.aggregation_rule, (other for other in roles if other is not role))
        if [encode(rule) for rule in rules] != [encode(rule) for rule in role.rules or ()]:
            wanted = rbac_v1.ClusterRole(metadata=ObjectMeta(name=role.metadata.name), rules=rules)
            await ctx.client.apply(wanted, force=True)
            role.rules = rules  # for the roles after it that select it


def aggregated(rule: rbac_v1.AggregationRule, roles: Iterable[rbac_v1.ClusterRole]) -> list[rbac_v1.PolicyRule]:
    """Return the rules of the roles that any of the selectors finds, selector by selector, each rule once."""
    candidates = list(roles)
    found: dict[bytes, rbac_v1.PolicyRule] = {}
    for selector in rule.cluster_role_selectors or ():
        matches = LabelSelector.from_spec(msgspec.to_builtins(selector)).matches
        for role in candidates:
            if matches(role.metadata.labels):
                for each in role.rules or ():
                    found.setdefault(encode(each), each)
    return list(found.values())
