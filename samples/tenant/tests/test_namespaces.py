"""The namespaces of a Tenant: whose they are, and what happens to those that it wants no more."""

import konverge as kv
import pytest
from konverge.models import core_v1, rbac_v1
from konverge.testing import advance, eventually, wait_children, wait_for, wait_gone, wait_idle
from teams import Operator, at_rest, condition_of, label_of, ready, refused, team

from tenant.api.v1.tenant import Tenant
from tenant.children import LABEL
from tenant.controllers.tenant import LOOK_AGAIN

pytestmark = pytest.mark.cluster(controllers=True)
HOLD = "example.com/hold"  # a finalizer of someone else: what has it is there until it is taken off


@pytest.mark.parametrize(("team_name", "space"), [("my.team", "dev"), ("t" * 60, "dev"), ("team", "d" * 62)])
async def test_a_name_that_no_namespace_can_have_is_refused(client: kv.Client, team_name: str, space: str) -> None:
    """At once, and not later by a namespace that cannot be made."""
    with pytest.raises(kv.errors.Invalid, match=r"no dot|at most 63 characters|than 61"):
        await client.create(team(team_name, space))


async def test_the_longest_name_is_good_for_a_namespace(client: kv.Client, operator: Operator, name: str) -> None:
    """One letter more is refused."""
    room = 63 - len(f"{name}-")
    async with operator():
        with pytest.raises(kv.errors.Invalid, match="at most 63 characters"):
            await client.create(team(name, "d" * (room + 1)))
        await client.create(team(name, "d" * room))
        await ready(client, name)


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


async def test_a_label_that_another_has_set_is_told_and_left(client: kv.Client, operator: Operator, name: str) -> None:
    """Without force a conflict is an error; it is over when the other manager lets the field go."""
    theirs = core_v1.Namespace(metadata=kv.ObjectMeta(name=f"{name}-dev", labels={LABEL: "theirs"}))
    async with operator():
        await client.create(team(name, "dev"))
        await ready(client, name)
        await client.apply(theirs, force=True)
        assert f".metadata.labels.{LABEL} of someone" in await refused(client, name, "FieldConflict")
        assert await label_of(client, f"{name}-dev") == "theirs"
        theirs.metadata.labels = None
        await client.apply(theirs)
        await ready(client, name)
        assert await label_of(client, f"{name}-dev") == name


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
        assert await label_of(client, f"{name}-b") == "theirs"


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


async def _is_going(client: kv.Client, obj: core_v1.Namespace) -> bool:
    found = await kv.ignore_not_found(client.get(core_v1.Namespace, obj.metadata))
    return found is None or found.metadata.deletion_timestamp is not None
