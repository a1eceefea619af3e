"""What the operator does about a Tenant, on a cluster with a garbage collector and a namespace controller."""

from pathlib import Path

import konverge as kv
import pytest
import yaml
from konverge.controller import is_controlled_by
from konverge.models import core_v1, rbac_v1
from konverge.testing import Cluster, Gate, apply, eventually, wait_children, wait_for, wait_gone, wait_idle
from teams import EVERYTHING, Operator, appoint, at_rest, label_of, names_in, ready, team

from tenant.api.v1.tenant import Tenant
from tenant.children import LABEL

pytestmark = pytest.mark.cluster(controllers=True)
SAMPLE = Path(__file__).parents[1] / "sample.yaml"
KINDS = (core_v1.Namespace, rbac_v1.ClusterRole, rbac_v1.RoleBinding)
HOLD = "example.com/hold"  # a finalizer of someone else: what has it is there until it is taken off


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
        assert await label_of(client, f"{name}-dev") == name


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
        await wait_idle(runs.manager)  # it knows of that before it learns of the other
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
