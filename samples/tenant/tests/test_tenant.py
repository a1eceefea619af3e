"""What the operator does about a Tenant, on a cluster with a garbage collector and a namespace controller."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import konverge as kv
import pytest
import yaml
from konverge.controller.run import Run
from konverge.models import core_v1, events_v1, rbac_v1
from konverge.testing import Cluster, apply, eventually, wait_children, wait_for, wait_gone

from tenant.api.v1.tenant import Right, Tenant, TenantSpec
from tenant.children import LABEL

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[list[Run]]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"
KINDS = (core_v1.Namespace, rbac_v1.ClusterRole, rbac_v1.RoleBinding)


def team(name: str, *namespaces: str) -> Tenant:
    """Return a Tenant."""
    return Tenant(metadata=kv.ObjectMeta(name=name), spec=TenantSpec(namespaces=list(namespaces), admins=["ada"]))


async def ready(client: kv.Client, name: str) -> Tenant:
    """Wait until a tenant is Ready."""
    return await wait_for(client, Tenant, name, condition="Ready")


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


async def versions(client: kv.Client, tenant: Tenant) -> list[str | None]:
    """Return the version of everything that the operator writes to."""
    found = [child for kind in KINDS for child in await wait_children(client, tenant, kind)]
    return [each.metadata.resource_version for each in (await client.get(Tenant, tenant.metadata), *found)]


async def test_the_sample_becomes_ready(cluster: Cluster, client: kv.Client, operator: Operator, name: str) -> None:
    """Its admins may do in its namespaces what admins may, and nothing elsewhere."""
    election = kv.LeaderElection(id="tenant.example.com", namespace=name)  # as it runs in a cluster
    sample = yaml.safe_load(SAMPLE.read_text())
    sample["metadata"]["name"] = name
    async with operator(leader_election=election) as runs:
        await apply(client, sample)
        tenant = await ready(client, name)
        await wait_children(client, tenant, core_v1.Namespace, names=[f"{name}-dev", f"{name}-prod"])
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=2)
    assert {run.request for run in runs} == {kv.Request("", name)}  # also of those that a RoleBinding woke
    async with cluster.client(user="ada") as ada:
        await eventually(lambda: _may_list_pods(ada, f"{name}-dev"))
        assert not await _may_list_pods(ada, name)


async def _may_list_pods(client: kv.Client, namespace: str) -> bool:
    try:
        await client.list(core_v1.Pod, namespace=namespace)
    except kv.errors.Forbidden:
        return False
    return True


async def test_a_second_reconcile_changes_nothing(client: kv.Client, operator: Operator, name: str) -> None:
    """It applies everything again, and the API server finds nothing to change."""
    async with operator():
        await client.create(team(name, "dev"))
        tenant = await ready(client, name)

    async def nothing_changes() -> bool:
        before = await versions(client, tenant)
        async with operator() as runs:  # started anew, it looks at every object once
            await eventually(lambda: _any(runs))
        return await versions(client, tenant) == before

    await eventually(nothing_changes)  # a new namespace may still have been written to by others the first time


async def _any(runs: list[Run]) -> bool:
    return bool(runs)


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator, name: str) -> None:
    """The names follow from that of the tenant, and the API server has one of each."""
    async with operator(), operator():
        await client.create(team(name, "a", "b", "c"))
        tenant = await ready(client, name)
        await wait_children(client, tenant, core_v1.Namespace, names=[f"{name}-a", f"{name}-b", f"{name}-c"])
        await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=3)


async def test_several_changes_are_one_change(client: kv.Client, operator: Operator, name: str) -> None:
    """Who was an admin in between never is one; what counts is the state when it looks."""
    async with operator():
        await client.create(team(name, "dev"))
        tenant = await ready(client, name)
        [before] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
    for admin in ("bob", "carol", "dave"):
        tenant = await client.get(Tenant, name)
        tenant.spec.admins = [admin]
        await client.patch(tenant)
    async with operator() as runs:
        await wait_for(client, before, until=lambda found: [each.name for each in found.subjects or []] == ["dave"])
        await eventually(lambda: _any(runs))
    [binding] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
    first = next(write for write in runs[0].writes if write.operation.resource.startswith("rolebindings"))
    assert first.answer().metadata.resource_version == binding.metadata.resource_version


async def test_lost_and_edited_children_come_back(client: kv.Client, operator: Operator, name: str) -> None:
    """A role that someone widens, a binding that someone deletes, and a namespace with all that was in it."""
    async with operator():
        tenant = await client.create(team(name, "dev"))
        await ready(client, name)
        [role] = await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        role.rules = [rbac_v1.PolicyRule(api_groups=["*"], resources=["*"], verbs=["*"])]
        await client.patch(role)
        await wait_for(
            client, role, until=lambda found: (found.rules or [])[0].verbs == ["delete", "get", "list", "watch"]
        )
        for kind in (rbac_v1.RoleBinding, core_v1.Namespace):
            [lost] = await wait_children(client, tenant, kind, count=1)
            await client.delete(lost)
            await wait_gone(client, lost)
            await wait_children(client, tenant, kind, count=1)
        await ready(client, name)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)


async def test_a_label_that_another_has_set_is_told_and_left(client: kv.Client, operator: Operator, name: str) -> None:
    """Without force a conflict is an error; it is over when the other manager lets the field go."""
    theirs = core_v1.Namespace(metadata=kv.ObjectMeta(name=f"{name}-dev", labels={LABEL: "theirs"}))
    async with operator():
        await client.create(team(name, "dev"))
        await ready(client, name)
        await client.apply(theirs, force=True)
        assert f".metadata.labels.{LABEL} of someone" in await refused(client, name, "FieldConflict")
        assert await _label(client, f"{name}-dev") == "theirs"
        theirs.metadata.labels = None
        await client.apply(theirs)
        await ready(client, name)
        assert await _label(client, f"{name}-dev") == name


async def _label(client: kv.Client, name: str) -> str:
    return ((await client.get(core_v1.Namespace, name)).metadata.labels or {})[LABEL]


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
        role.rules = [rbac_v1.PolicyRule(api_groups=["*"], resources=["*"], verbs=["*"])]
        await client.patch(role)
        await wait_for(client, role, until=lambda found: found.rules == wanted)
        await refused(client, name, "FieldConflict")


@pytest.mark.parametrize("controlled", [False, True])
async def test_a_namespace_of_someone_else_is_left_alone(
    client: kv.Client, operator: Operator, name: str, *, controlled: bool
) -> None:
    """Whether something controls it or nothing does, as kube-system; the tenant's other namespaces are served."""
    theirs = core_v1.Namespace(metadata=kv.ObjectMeta(name=f"{name}-dev"))
    if controlled:
        kv.set_controller_reference(await client.get(core_v1.Namespace, name), theirs)
    before = await client.create(theirs)
    async with operator():
        tenant = await client.create(team(name, "dev", "prod"))
        assert f"{name}-dev" in await refused(client, name, "NameTaken")
        await wait_children(client, tenant, core_v1.Namespace, names=[f"{name}-prod"])
        [binding] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
        assert binding.metadata.namespace == f"{name}-prod"
        await client.delete(tenant)
        for each in (tenant, binding):
            await wait_gone(client, each)
    after = await client.get(core_v1.Namespace, f"{name}-dev")
    assert after.metadata.owner_references == before.metadata.owner_references
    assert LABEL not in (after.metadata.labels or {})
    assert after.metadata.deletion_timestamp is None
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


async def test_without_a_role_nobody_is_bound(client: kv.Client, operator: Operator, name: str) -> None:
    """Where the role is refused from the beginning, and so there is none, the API server would take no binding."""
    async with operator():
        wanted = team(name, "dev")
        wanted.spec.more_rights = [Right(groups=[""], resources=["secrets"], verbs=["get"])]
        tenant = await client.create(wanted)
        await refused(client, name, "EscalationRefused")
        await wait_children(client, tenant, core_v1.Namespace, count=1)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=0)


async def _was_told_again(client: kv.Client, name: str) -> bool:
    events = await client.list(events_v1.Event, namespace="default")  # where events of what has no namespace are
    found = [event for event in events if event.regarding is not None and event.regarding.name == name]
    return any(event.reason == "EscalationRefused" and event.series for event in found)


async def test_a_namespace_that_is_no_longer_wanted_goes(client: kv.Client, operator: Operator, name: str) -> None:
    """With its binding."""
    async with operator():
        await client.create(team(name, "dev", "prod"))
        tenant = await ready(client, name)
        unwanted = await client.get(core_v1.Namespace, f"{name}-dev")
        tenant.spec.namespaces = ["prod"]
        await client.patch(tenant)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
        await eventually(lambda: _is_going(client, unwanted))


async def _is_going(client: kv.Client, obj: core_v1.Namespace) -> bool:
    found = await kv.ignore_not_found(client.get(core_v1.Namespace, obj.metadata))
    return found is None or found.metadata.deletion_timestamp is not None


async def test_deletion_leaves_nothing_behind(client: kv.Client, operator: Operator, name: str) -> None:
    """Namespaces take what is in them along."""
    async with operator():
        await client.create(team(name, "dev"))
        tenant = await ready(client, name)
        children = [child for kind in KINDS for child in await wait_children(client, tenant, kind, count=1)]
        inside = core_v1.ConfigMap(metadata=kv.ObjectMeta(name="settings", namespace=f"{name}-dev"))
        await client.create(inside)
        await client.delete(tenant)
        for each in (tenant, *children, inside):
            await wait_gone(client, each)
