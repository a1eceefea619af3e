"""Tenants for the tests, what is done to them, and what is waited for."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import konverge as kv
from konverge.models import core_v1, rbac_v1
from konverge.testing import Runs, wait_for, wait_idle

from tenant.api.v1.tenant import Tenant, TenantSpec
from tenant.children import LABEL

Operator = Callable[..., AbstractAsyncContextManager[Runs]]
EVERYTHING = [rbac_v1.PolicyRule(api_groups=["*"], resources=["*"], verbs=["*"])]


def team(name: str, *namespaces: str) -> Tenant:
    """Return a Tenant."""
    return Tenant(metadata=kv.ObjectMeta(name=name), spec=TenantSpec(namespaces=list(namespaces), admins=["ada"]))


async def ready(client: kv.Client, name: str) -> Tenant:
    """Wait until a tenant is Ready."""
    return await wait_for(client, Tenant, name, condition="Ready")


async def at_rest(client: kv.Client, runs: Runs, name: str) -> Tenant:
    """Wait until the operator has had its last word; nobody else writes to a tenant's children."""
    await wait_idle(runs.manager)
    return await ready(client, name)


async def appoint(client: kv.Client, name: str, *admins: str) -> None:
    """Change the admins as a user would."""
    tenant = await client.get(Tenant, name)
    tenant.spec.admins = list(admins)
    await client.patch(tenant)


def names_in(binding: rbac_v1.RoleBinding) -> list[str]:
    """Return whom a binding is for."""
    return [subject.name for subject in binding.subjects or []]


async def refused(client: kv.Client, name: str, reason: str) -> str:
    """Wait until a tenant is not Ready for this reason, and return the words for it."""

    def for_this_reason(found: Tenant) -> bool:
        return condition_of(found).reason == reason

    return condition_of(await wait_for(client, Tenant, name, until=for_this_reason)).message


def condition_of(tenant: Tenant) -> kv.Condition:
    """Return whether it is Ready."""
    found = kv.get_condition(tenant.status.conditions, "Ready")
    assert found is not None
    return found


async def label_of(client: kv.Client, name: str) -> str:
    """Return whose a namespace is, by its label."""
    return ((await client.get(core_v1.Namespace, name)).metadata.labels or {})[LABEL]
