"""Granting: a user of a test is allowed what an operator's manifests would allow it; see `Cluster.grant`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from konverge.api.unstructured import Unstructured
from konverge.client.client import Client
from konverge.manager import Manager
from konverge.manager.grants import controller_grants, webhook_grants
from konverge.manifest import rbac
from konverge.manifest.operator import Operator
from konverge.models import authorization_v1
from konverge.testing.waiting import eventually

Json = dict[str, Any]
_OWNER: Final = "konverge-testing"
_GROUP: Final = "rbac.authorization.k8s.io"


async def grant(client: Client, manager: Manager, *, user: str, own: Client) -> None:
    """Make roles and bindings, and wait until the server knows them: a real one takes a moment; `own` is the user's."""
    operator = _operator(manager, user)
    roles = rbac.roles(operator)
    bindings = rbac.role_bindings(operator)
    if operator.lease:
        roles.append(rbac.leader_election_role(operator))
        bindings.append(rbac.leader_election_binding(operator))
    for binding in bindings:
        binding["subjects"] = [{"apiGroup": _GROUP, "kind": "User", "name": user}]
    for made in (*roles, *bindings):
        await client.apply(Unstructured.from_dict(made), force=True, field_owner=_OWNER)
    for review in _reviews(roles):
        await eventually(partial(_is_allowed, own, review))


def _operator(manager: Manager, user: str) -> Operator:
    election = manager.leader_election
    home = manager.config.namespace if manager.config is not None else "default"
    return Operator(
        name=f"konverge-test-{user.replace(':', '-')}",
        namespace=home,
        image="",
        command=(),
        grants=(*controller_grants(manager), *webhook_grants(manager)),
        lease=election.id if election else "",
        lease_namespace=election.namespace if election else "",
    )


def _reviews(roles: Iterable[Json]) -> Iterable[authorization_v1.SelfSubjectAccessReviewSpec]:
    """Ask for one right of each role: the others come with it."""
    for role in roles:
        rule = next((rule for rule in role["rules"] if "resources" in rule), None)
        if rule is not None:
            resource, _, subresource = rule["resources"][0].partition("/")
            yield authorization_v1.SelfSubjectAccessReviewSpec(
                resource_attributes=authorization_v1.ResourceAttributes(
                    group=rule["apiGroups"][0],
                    resource=resource,
                    subresource=subresource,
                    verb=rule["verbs"][0],
                    name=rule.get("resourceNames", [""])[0],
                    namespace=role["metadata"].get("namespace", ""),
                )
            )


async def _is_allowed(own: Client, spec: authorization_v1.SelfSubjectAccessReviewSpec) -> bool:
    review = await own.create(authorization_v1.SelfSubjectAccessReview(spec=spec))
    return bool(review.status.allowed)
