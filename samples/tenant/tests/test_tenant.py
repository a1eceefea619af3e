"""What the operator does about a Tenant, on a cluster with a garbage collector and a namespace controller."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import konverge as kv
import pytest
import yaml
from konverge.controller import is_controlled_by
from konverge.models import core_v1, events_v1, rbac_v1
from konverge.testing import (
    Cluster,
    Gate,
    Runs,
    advance,
    apply,
    eventually,
    wait_children,
    wait_for,
    wait_gone,
    wait_idle,
)

from tenant.api.v1.tenant import Right, Tenant, TenantSpec
from tenant.children import LABEL, RBAC
from tenant.controllers.tenant import LOOK_AGAIN

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[Runs]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"
KINDS = (core_v1.Namespace, rbac_v1.ClusterRole, rbac_v1.RoleBinding)
EVERYTHING = [rbac_v1.PolicyRule(api_groups=["*"], resources=["*"], verbs=["*"])]
HOLD = "example.com/hold"  # a finalizer of someone else: what has it is there until it is taken off


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
    assert not runs.failures
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
    """It applies everything once, and the API server finds nothing to change."""
    async with operator() as runs:
        await client.create(team(name, "dev", "prod"))
        tenant = await at_rest(client, runs, name)
    before = await versions(client, tenant)
    async with operator() as runs:  # started anew, it looks at every object once
        await wait_idle(runs.manager)
    [run] = [run for run in runs if run.request.name == name]  # a real cluster may have tenants of other tests
    assert [str(write) for write in run.writes] == [
        f"patch namespaces {name}-dev",
        f"patch namespaces {name}-prod",
        f"patch clusterroles tenant-{name}-admin",
        f"patch rolebindings {name}-dev/tenant-admins",
        f"patch rolebindings {name}-prod/tenant-admins",
    ]
    assert await versions(client, tenant) == before


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator, name: str) -> None:
    """Both have looked, and found nothing; the names follow from that of the tenant, and there is one of each."""
    gate = Gate()
    async with operator(gate=gate) as one, operator(gate=gate) as two:
        with (
            gate.hold("patch", "rolebindings", name="tenant-admins") as bindings,
            gate.hold("patch", "clusterroles", name=f"tenant-{name}-admin") as roles,
            gate.hold("create", "namespaces", name=f"{name}-dev") as namespaces,
        ):
            await client.create(team(name, "dev"))
            for held in (namespaces, roles, bindings):
                await held.reached(2)
                held.release()
        tenant = await at_rest(client, one, name)
        await at_rest(client, two, name)
    made = [write for write in (*one.writes, *two.writes) if write.operation.verb == "create"]
    assert [str(write) for write in made] == [f"create namespaces {name}-dev"]
    failed = {type(error) for error in (*one.failures, *two.failures)}
    assert kv.errors.AlreadyExists in failed
    assert failed <= {kv.errors.AlreadyExists, kv.errors.Conflict}
    for kind in KINDS:
        await wait_children(client, tenant, kind, count=1)


async def test_several_changes_are_one_change(client: kv.Client, operator: Operator, name: str) -> None:
    """Those that come while it is at work are one reconcile, of the last: who was in between never is an admin."""
    gate = Gate()
    async with operator(gate=gate) as runs:
        await client.create(team(name, "dev"))
        await at_rest(client, runs, name)
        with gate.hold("patch", "namespaces", name=f"{name}-dev") as held:
            await appoint(client, name, "bob")
            await held.reached()
            for admin in ("carol", "dave", "erin"):
                await appoint(client, name, admin)
            await wait_for(
                runs.manager.client, await client.get(Tenant, name), until=lambda found: found.spec.admins == ["erin"]
            )
        tenant = await at_rest(client, runs, name)
    bound = [names_in(binding) for binding in runs.written(rbac_v1.RoleBinding)]
    assert [admins for admins, before in zip(bound, [None, *bound], strict=False) if admins != before] == [
        ["ada"],
        ["bob"],  # read before the others came
        ["erin"],
    ]
    [binding] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
    assert names_in(binding) == ["erin"]


async def test_lost_children_come_back(client: kv.Client, operator: Operator, name: str) -> None:
    """Each of them; a namespace with all that was in it."""
    async with operator() as runs:
        await client.create(team(name, "dev"))
        tenant = await at_rest(client, runs, name)
        for kind in (rbac_v1.RoleBinding, rbac_v1.ClusterRole, core_v1.Namespace):
            [lost] = await wait_children(client, tenant, kind, count=1)
            await client.delete(lost)
            await wait_gone(client, lost)
            await wait_children(client, tenant, kind, count=1)
        await at_rest(client, runs, name)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)


async def test_a_namespace_on_its_way_out_is_waited_for(client: kv.Client, operator: Operator, name: str) -> None:
    """Nothing can be made in it, so nothing is tried; once it is gone it is made anew, with its binding."""
    async with operator() as runs:
        await client.create(team(name, "dev"))
        tenant = await at_rest(client, runs, name)
        [binding] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
        space = await client.get(core_v1.Namespace, f"{name}-dev")
        kv.add_finalizer(space, HOLD)
        await client.patch(space)
        await client.delete(space)
        await wait_gone(client, binding)
        await wait_idle(runs.manager)
        assert not runs.failures
        space = await client.get(core_v1.Namespace, f"{name}-dev")
        kv.remove_finalizer(space, HOLD)
        await client.patch(space)
        await wait_gone(client, space)
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)


async def test_each_of_our_fields_comes_back(client: kv.Client, operator: Operator, name: str) -> None:
    """A role that someone widens, an admin whom someone adds, and a label that someone takes away."""
    async with operator() as runs:
        await client.create(team(name, "dev"))
        tenant = await at_rest(client, runs, name)
        [role] = await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        [binding] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
        [space] = await wait_children(client, tenant, core_v1.Namespace, count=1)
        rules = role.rules
        role.rules = EVERYTHING
        await client.patch(role)
        binding.subjects = [*(binding.subjects or []), rbac_v1.Subject(kind="User", name="eve")]
        binding.metadata.owner_references = None
        await client.patch(binding)
        space.metadata.labels = {key: value for key, value in (space.metadata.labels or {}).items() if key != LABEL}
        await client.update(space)
        await at_rest(client, runs, name)
        assert (await client.get(rbac_v1.ClusterRole, role.metadata)).rules == rules
        found = await client.get(rbac_v1.RoleBinding, binding.metadata)
        assert names_in(found) == ["ada"]
        assert is_controlled_by(found, tenant)
        assert await _label(client, f"{name}-dev") == name


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
        role.rules = EVERYTHING
        await client.patch(role)
        await wait_for(client, role, until=lambda found: found.rules == wanted)
        await refused(client, name, "FieldConflict")


async def test_a_label_conflict_does_not_stop_the_other_namespaces(
    client: kv.Client, operator: Operator, name: str
) -> None:
    """Those before and those after it are as they should be."""
    theirs = core_v1.Namespace(metadata=kv.ObjectMeta(name=f"{name}-b", labels={LABEL: "theirs"}))
    async with operator() as runs:
        await client.create(team(name, "a", "b", "c"))
        await at_rest(client, runs, name)
        await client.apply(theirs, force=True)
        assert f"in {name}-b" in await refused(client, name, "FieldConflict")
        for other in ("a", "c"):
            found = await client.get(core_v1.Namespace, f"{name}-{other}")
            found.metadata.labels = {key: value for key, value in (found.metadata.labels or {}).items() if key != LABEL}
            await client.update(found)
            await wait_for(client, found, until=lambda each: (each.metadata.labels or {})[LABEL] == name)
        assert await _label(client, f"{name}-b") == "theirs"


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


@pytest.mark.virtual_time
async def test_a_name_that_becomes_free_is_taken_at_the_next_look(
    client: kv.Client, operator: Operator, name: str
) -> None:
    """What is someone else's wakes nobody when it goes; the operator looks again by itself."""
    theirs = await client.create(core_v1.Namespace(metadata=kv.ObjectMeta(name=f"{name}-dev")))
    async with operator():
        await client.create(team(name, "dev"))
        await refused(client, name, "NameTaken")
        await client.delete(theirs)
        await advance(LOOK_AGAIN + 1)
        assert condition_of(await client.get(Tenant, name)).status == "True"


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


async def test_the_last_namespace_goes_even_where_the_next_is_refused(
    client: kv.Client, operator: Operator, name: str
) -> None:
    """None is left that is the tenant's, and the one that it asks for is someone else's."""
    theirs = await client.create(core_v1.Namespace(metadata=kv.ObjectMeta(name=f"{name}-prod")))
    async with operator():
        await client.create(team(name, "dev"))
        tenant = await ready(client, name)
        unwanted = await client.get(core_v1.Namespace, f"{name}-dev")
        tenant.spec.namespaces = ["prod"]
        await client.patch(tenant)
        await refused(client, name, "NameTaken")
        await eventually(lambda: _is_going(client, unwanted))
    await client.delete(theirs)


async def test_nobody_stays_bound_to_a_role_that_is_taken_from_the_tenant(
    client: kv.Client, operator: Operator, name: str
) -> None:
    """Whoever has taken its owner off may put anything into it."""
    async with operator():
        await client.create(team(name, "dev"))
        tenant = await ready(client, name)
        [role] = await wait_children(client, tenant, rbac_v1.ClusterRole, count=1)
        role.metadata.owner_references = None
        await client.update(role)
        await refused(client, name, "NameTaken")
        await wait_children(client, tenant, rbac_v1.RoleBinding, count=0)
    await client.delete(rbac_v1.ClusterRole, f"tenant-{name}-admin")


async def _is_going(client: kv.Client, obj: core_v1.Namespace) -> bool:
    found = await kv.ignore_not_found(client.get(core_v1.Namespace, obj.metadata))
    return found is None or found.metadata.deletion_timestamp is not None


async def test_what_is_being_deleted_is_left_alone(client: kv.Client, operator: Operator, name: str) -> None:
    """Else, in a foreground deletion, it would make anew what the garbage collector has just deleted."""
    wanted = team(name, "dev")
    kv.add_finalizer(wanted, HOLD)
    async with operator() as runs:
        await client.create(wanted)
        tenant = await at_rest(client, runs, name)
        [binding] = await wait_children(client, tenant, rbac_v1.RoleBinding, count=1)
        done = len(runs.writes)
        await client.delete(tenant)
        await client.delete(binding)
        await wait_gone(client, binding)
        await wait_idle(runs.manager)
    assert len(runs.writes) == done
    tenant = await client.get(Tenant, name)
    kv.remove_finalizer(tenant, HOLD)
    await client.patch(tenant)


async def test_deletion_leaves_nothing_behind(client: kv.Client, operator: Operator, name: str) -> None:
    """Namespaces take what is in them along."""
    async with operator() as runs:
        await client.create(team(name, "dev"))
        tenant = await ready(client, name)
        children = [child for kind in KINDS for child in await wait_children(client, tenant, kind, count=1)]
        inside = core_v1.ConfigMap(metadata=kv.ObjectMeta(name="settings", namespace=f"{name}-dev"))
        await client.create(inside)
        await client.delete(tenant)
        for each in (tenant, *children, inside):
            await wait_gone(client, each)
        await wait_idle(runs.manager)
    assert [run.outcome for run in runs if run.request.name == name][-1] == kv.Result()  # it is not looked for again
