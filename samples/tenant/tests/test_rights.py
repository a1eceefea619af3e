"""The rights of a Tenant's admins: no more than the operator has, and none that was taken away."""

import konverge as kv
import pytest
from konverge.models import core_v1, events_v1, rbac_v1
from konverge.testing import Runs, eventually, wait_children, wait_for, wait_gone, wait_idle
from teams import EVERYTHING, Operator, appoint, at_rest, condition_of, names_in, ready, refused, team

from tenant.api.v1.tenant import Right, Tenant
from tenant.children import LABEL, RBAC

pytestmark = pytest.mark.cluster(controllers=True)


async def test_a_widened_role_is_taken_back_in_a_label_conflict(
    client: kv.Client, operator: Operator, name: str
) -> None:
    """Rights do not wait until people agree about a label."""
    async with operator():
        tenant = await client.create(team(name, "dev"))
        await ready(client, name)
        theirs = core_v1.Namespace(metadata=kv.ObjectMeta(name=f"{name}-dev", labels={LABEL: "theirs"}))
        await client.apply(theirs, force=True)
        await refused(client, name, "FieldConflict")
        [role] = await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        wanted = role.rules
        role.rules = EVERYTHING
        await client.patch(role)
        await wait_for(client, role, until=lambda found: found.rules == wanted)
        await refused(client, name, "FieldConflict")


@pytest.mark.parametrize("controlled", [False, True])
async def test_a_role_of_someone_else_is_left_alone(
    client: kv.Client, operator: Operator, name: str, *, controlled: bool
) -> None:
    """It would go with the tenant, and its rights would go to the tenant's admins: nobody is bound to it."""
    rules = [rbac_v1.PolicyRule(api_groups=[""], resources=["pods"], verbs=["list"])]  # which the operator may hand on
    theirs = rbac_v1.ClusterRole(metadata=kv.ObjectMeta(name=f"tenant-{name}-admin"), rules=rules)
    if controlled:
        kv.set_controller_reference(await client.get(core_v1.Namespace, name), theirs)
    before = await client.create(theirs)
    async with operator() as runs:
        tenant = await client.create(team(name, "dev"))
        assert f"tenant-{name}-admin" in await refused(client, name, "NameTaken")
        await wait_idle(runs.manager)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=0)
    after = await client.get(rbac_v1.ClusterRole, before.metadata)
    assert after.metadata.resource_version == before.metadata.resource_version
    await client.delete(after)


async def test_nobody_gets_rights_that_the_operator_has_not(client: kv.Client, operator: Operator, name: str) -> None:
    """The API server refuses the role, the tenant says why, and its admins keep what they have."""
    async with operator():
        tenant = await client.create(team(name, "dev"))
        await ready(client, name)
        [before] = await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        secrets = Right(groups=[""], resources=["secrets"], verbs=["get"])
        tenant = await client.get(Tenant, name)
        tenant.spec.more_rights = [secrets]
        await client.patch(tenant)
        assert "not currently held" in await refused(client, name, "EscalationRefused")
        tenant.metadata.annotations = {"again": "please"}  # it is refused once more, and the event is counted
        await client.patch(tenant)
        await eventually(lambda: _was_told_again(client, name))
        [after] = await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        assert after.rules == before.rules
        tenant.spec.more_rights = [Right(groups=[""], resources=["pods"], verbs=["list"])]  # this it may hand on
        await client.patch(tenant)
        await ready(client, name)


async def _was_told_again(client: kv.Client, name: str) -> bool:
    events = await client.list(events_v1.Event, namespace="default")  # where events of what has no namespace are
    found = [event for event in events if event.regarding is not None and event.regarding.name == name]
    return any(event.reason == "EscalationRefused" and event.series for event in found)


async def test_a_refusal_of_another_sort_is_an_error_and_tried_again(
    client: kv.Client, operator: Operator, name: str
) -> None:
    """A quota is Forbidden, too, and has nothing to do with rights: nobody is told that it had."""
    none = core_v1.ResourceQuota(metadata=kv.ObjectMeta(name="none", namespace=f"{name}-dev"))
    none.spec.hard = {"count/rolebindings.rbac.authorization.k8s.io": "0"}
    async with operator() as runs:
        await client.create(team(name, "dev"))
        tenant = await at_rest(client, runs, name)
        [binding] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
        await client.create(none)
        await wait_for(client, none, until=lambda found: bool(found.status.used))
        await client.delete(binding)
        await eventually(lambda: _has_failed(runs))
        assert condition_of(await client.get(Tenant, name)).reason == "Synced"
        await client.delete(none)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)


async def _has_failed(runs: Runs) -> bool:
    return any(isinstance(error, kv.errors.Forbidden) for error in runs.failures)


async def test_a_removed_admin_goes_while_the_role_is_refused(client: kv.Client, operator: Operator, name: str) -> None:
    """The bindings do not wait for the role."""
    async with operator():
        await client.create(team(name, "dev"))
        tenant = await ready(client, name)
        [binding] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
        tenant.spec.more_rights = [Right(groups=[""], resources=["secrets"], verbs=["get"])]
        tenant.spec.admins = ["bob"]
        await client.patch(tenant)
        await wait_for(client, binding, until=lambda found: [each.name for each in found.subjects or []] == ["bob"])
        await refused(client, name, "EscalationRefused")


async def test_a_removed_admin_goes_even_where_the_binding_is_refused(
    client: kv.Client, operator: Operator, name: str
) -> None:
    """Someone has widened the role, which cannot be put right: nobody may write a binding of it, but one may go.

    Bindings that others have made in these namespaces are no concern of the tenant's.
    """
    theirs = rbac_v1.RoleBinding(
        metadata=kv.ObjectMeta(name="theirs", namespace=f"{name}-dev"),
        role_ref=rbac_v1.RoleRef(api_group=RBAC, kind="ClusterRole", name="view"),
        subjects=[rbac_v1.Subject(api_group=RBAC, kind="User", name="eve")],
    )
    async with operator() as runs:
        await client.create(team(name, "dev", "prod"))
        tenant = await at_rest(client, runs, name)
        bindings = await wait_children(client, tenant, rbac_v1.RoleBinding, count=2)
        await client.create(theirs)
        tenant.spec.more_rights = [Right(groups=[""], resources=["secrets"], verbs=["get"])]
        await client.patch(tenant)
        await refused(client, name, "EscalationRefused")
        [role] = await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        role.rules = EVERYTHING
        await client.patch(role)
        await appoint(client, name, "ada", "bob")  # bob cannot be bound now, and ada stays
        await wait_idle(runs.manager)
        kept = await wait_children(client, tenant, rbac_v1.RoleBinding, count=2)
        assert [each.metadata.uid for each in kept] == [each.metadata.uid for each in bindings]
        await appoint(client, name, "bob")
        for binding in bindings:
            await wait_gone(client, binding)
        assert (await client.get(rbac_v1.RoleBinding, theirs.metadata)).metadata.uid == theirs.metadata.uid
        await refused(client, name, "EscalationRefused")
        tenant = await client.get(Tenant, name)
        tenant.spec.more_rights = None
        await client.patch(tenant)
        await ready(client, name)
        found = await wait_children(client, tenant, rbac_v1.RoleBinding, count=2)
        assert [names_in(binding) for binding in found] == [["bob"], ["bob"]]


async def test_without_a_role_nobody_is_bound(client: kv.Client, operator: Operator, name: str) -> None:
    """Where the role is refused from the beginning, and so there is none, the API server would take no binding."""
    async with operator():
        wanted = team(name, "dev")
        wanted.spec.more_rights = [Right(groups=[""], resources=["secrets"], verbs=["get"])]
        tenant = await client.create(wanted)
        await refused(client, name, "EscalationRefused")
        await wait_children(client, tenant, core_v1.Namespace, count=1)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=0)


async def test_nobody_stays_bound_to_a_role_that_is_taken_from_the_tenant(
    client: kv.Client, operator: Operator, name: str
) -> None:
    """Whoever has taken its owner off may put anything into it."""
    async with operator() as runs:
        await client.create(team(name, "dev"))
        tenant = await at_rest(client, runs, name)
        [role] = await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        role.metadata.owner_references = None
        await client.update(role)
        await refused(client, name, "NameTaken")
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=0)
    await client.delete(rbac_v1.ClusterRole, f"tenant-{name}-admin")
