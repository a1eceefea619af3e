"""What the operator does about a MariaDB, on a cluster in which StatefulSets become pods."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import konverge as kv
import pytest
from konverge.controller import AlreadyOwned, is_controlled_by
from konverge.models import apps_v1, core_v1
from konverge.testing import (
    Gate,
    Runs,
    apply,
    eventually,
    rolled_out,
    wait_children,
    wait_for,
    wait_gone,
    wait_idle,
)

from mariadb.api.v1.maria_db import MariaDB, MariaDBSpec, SecretKey
from mariadb.children import server_of

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[Runs]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"
THEIRS = {"theirs": "stays"}


def shop(name: str = "shop") -> MariaDB:
    """Return a MariaDB."""
    spec = MariaDBSpec(root_password=SecretKey(name="root"), storage="1Gi", image="mariadb:1")
    return MariaDB(metadata=kv.ObjectMeta(name=name), spec=spec)


async def ready(client: kv.Client, name: str = "shop", *, replicas: int = 1) -> MariaDB:
    """Wait until so many servers are ready."""
    return await wait_for(client, MariaDB, name, until=lambda found: found.status.ready_replicas == replicas)


async def at_rest(client: kv.Client, runs: Runs, *, replicas: int = 1) -> MariaDB:
    """Wait until the operator, the StatefulSet's own controller, and then again the operator have had their last word."""
    await wait_idle(runs.manager)
    await wait_for(client, apps_v1.StatefulSet, "shop", until=rolled_out)
    await wait_idle(runs.manager)
    return await ready(client, replicas=replicas)


async def change(client: kv.Client, image: str, *, replicas: int = 1) -> None:
    """Change it as a user would."""
    mariadb = await client.get(MariaDB, "shop")
    mariadb.spec.image, mariadb.spec.replicas = image, replicas
    await client.patch(mariadb)


async def versions(client: kv.Client) -> list[str | None]:
    """Return the version of everything that the operator writes to."""
    found = [*await client.list(MariaDB), *await client.list(core_v1.Service), *await client.list(apps_v1.StatefulSet)]
    return [each.metadata.resource_version for each in found]


@pytest.mark.parametrize("name", ["s" * 53, "my.shop", "1st"])
async def test_a_name_that_no_server_can_have_is_refused(client: kv.Client, name: str) -> None:
    """At once, and not later by children that cannot be made."""
    with pytest.raises(kv.errors.Invalid, match="servers are named after it"):
        await client.create(shop(name))


async def test_the_longest_name_is_good_for_all_children(client: kv.Client, operator: Operator) -> None:
    """The pods of a StatefulSet have labels that are longer than its name."""
    async with operator():
        await client.create(shop("s" * 52))
        await ready(client, "s" * 52)


async def test_the_sample_becomes_ready(client: kv.Client, operator: Operator, namespace: str) -> None:
    """With a Service, a StatefulSet, and the password by reference alone."""
    election = kv.LeaderElection(id="mariadb.example.com", namespace=namespace)  # as it runs in a cluster
    async with operator(leader_election=election):
        await apply(client, SAMPLE)
        mariadb = await ready(client, replicas=2)
        await wait_children(client, mariadb, core_v1.Service, names=["shop"])
        [stateful_set] = await wait_children(client, mariadb, apps_v1.StatefulSet, names=["shop"])
    assert "change-me" not in str(stateful_set.to_dict())


async def test_a_second_reconcile_writes_nothing(client: kv.Client, operator: Operator) -> None:
    """No version changes, and no write is even tried; nor is anything patched right after it was created."""
    async with operator() as runs:
        await client.create(shop())
        await at_rest(client, runs)
    made = [(write.operation.verb, write.operation.resource) for write in runs.writes]
    children = [each for each in made if each[1] != "mariadbs/status"]
    assert children == [("create", "services"), ("create", "statefulsets")]
    before = await versions(client)
    async with operator() as runs:  # started anew, it looks at every object once
        await wait_idle(runs.manager)
    assert len(runs) == 1
    assert runs.writes == []
    assert await versions(client) == before


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator) -> None:
    """Both have looked, and found nothing: the second is told that the name is taken, and then finds it done."""
    gate = Gate()
    async with operator(gate=gate) as one, operator(gate=gate) as two:
        with gate.hold("create", "statefulsets") as stateful_sets:
            with gate.hold("create", "services") as services:
                await client.create(shop())
                await services.reached(2)
            await stateful_sets.reached(2)
        await at_rest(client, one)
        await at_rest(client, two)
    made = [write.operation.resource for write in (*one.writes, *two.writes) if write.operation.verb == "create"]
    assert sorted(made) == ["services", "statefulsets"]
    assert {type(error) for error in (*one.failures, *two.failures)} == {kv.errors.AlreadyExists}
    assert [each.metadata.generation for each in await client.list(apps_v1.StatefulSet)] == [1]
    assert len(await client.list(core_v1.Service)) == 1


async def test_several_changes_are_one_patch(client: kv.Client, operator: Operator) -> None:
    """Those that come while it is at work are one reconcile, of the last state: the others never reach a child."""
    gate = Gate()
    async with operator(gate=gate) as runs:
        await client.create(shop())
        await at_rest(client, runs)
        with gate.hold("patch", "statefulsets") as held:
            await change(client, "mariadb:2")
            await held.reached()
            for number in range(3, 7):
                await change(client, f"mariadb:{number}", replicas=2 if number == 6 else 0)
            await wait_for(runs.manager.client, await client.get(MariaDB, "shop"), until=_wants("mariadb:6"))
        await at_rest(client, runs, replicas=2)
    assert [server_of(each).image for each in runs.written(apps_v1.StatefulSet)] == [
        "mariadb:1",
        "mariadb:2",  # read before the others came
        "mariadb:6",
    ]
    stateful_set = await client.get(apps_v1.StatefulSet, "shop")
    assert stateful_set.metadata.generation == 3
    assert (server_of(stateful_set).image, stateful_set.spec.replicas) == ("mariadb:6", 2)


def _wants(image: str) -> Callable[[MariaDB], bool]:
    return lambda mariadb: mariadb.spec.image == image


async def test_the_storage_stays_what_it_is(client: kv.Client) -> None:
    """The API server says so at once, and the operator is never asked for what a claim cannot do."""
    mariadb = await client.create(shop())
    mariadb.spec.storage = "2Gi"
    with pytest.raises(kv.errors.Invalid, match=r"spec\.storage"):
        await client.patch(mariadb)


async def test_a_lost_child_comes_back(client: kv.Client, operator: Operator) -> None:
    """Of either kind, with another uid."""
    async with operator():
        mariadb = await client.create(shop())
        for kind in (core_v1.Service, apps_v1.StatefulSet):
            [lost] = await wait_children(client, mariadb, kind, count=1)
            await client.delete(lost, propagation="Background")
            await wait_gone(client, lost)
            [found] = await wait_children(client, mariadb, kind, count=1)
            assert found.metadata.uid != lost.metadata.uid


async def test_an_edited_child_is_put_right_and_keeps_what_others_added(client: kv.Client, operator: Operator) -> None:
    """Another manager's value of our field goes; its own fields stay."""
    theirs = core_v1.Service(metadata=kv.ObjectMeta(name="shop", annotations={"team": "blue"}))
    theirs.spec = core_v1.ServiceSpec(selector={"app.kubernetes.io/instance": "elsewhere"})
    async with operator() as runs:
        await client.create(shop())
        await ready(client)
        await client.apply(theirs, force=True)
        put_right = await wait_for(client, core_v1.Service, "shop", until=_selects_shop)
        assert (put_right.metadata.annotations or {})["team"] == "blue"
        assert not runs.failures
    with pytest.raises(kv.errors.ApplyConflict, match="owned by mariadb"):  # whoever applies it again is told
        await client.apply(theirs)


async def _any(runs: Runs) -> bool:
    return bool(runs)


def _selects_shop(service: core_v1.Service) -> bool:
    return (service.spec.selector or {})["app.kubernetes.io/instance"] == "shop"


async def test_each_of_our_fields_comes_back(client: kv.Client, operator: Operator) -> None:
    """Also the owner, without which the child would outlive the MariaDB; a label of someone else's stays."""
    async with operator():
        mariadb = await client.create(shop())
        await ready(client)
        service, stateful_set = await client.get(core_v1.Service, "shop"), await client.get(apps_v1.StatefulSet, "shop")
        for child in (service, stateful_set):
            child.metadata.labels = {**(child.metadata.labels or {}), **THEIRS}
        wanted = _ours(service, stateful_set)
        _spoil(service, stateful_set)
        await client.patch(service)
        await client.patch(stateful_set)

        async def all_is_back() -> bool:
            found = await client.get(core_v1.Service, "shop"), await client.get(apps_v1.StatefulSet, "shop")
            return all(is_controlled_by(each, mariadb) for each in found) and _ours(*found) == wanted

        await eventually(all_is_back)


def _ours(service: core_v1.Service, stateful_set: apps_v1.StatefulSet) -> list[object]:
    server, spec = server_of(stateful_set), stateful_set.spec
    return [
        *(service.metadata.labels, service.spec.type, service.spec.selector, service.spec.ports),
        *(stateful_set.metadata.labels, spec.replicas, spec.persistent_volume_claim_retention_policy),
        *(server.image, server.env, server.ports, server.volume_mounts),
    ]


def _spoil(service: core_v1.Service, stateful_set: apps_v1.StatefulSet) -> None:
    service.metadata.owner_references = stateful_set.metadata.owner_references = None
    service.metadata.labels, stateful_set.metadata.labels = THEIRS, THEIRS
    service.spec.type, service.spec.selector = "NodePort", {"app": "elsewhere"}
    service.spec.ports = [core_v1.ServicePort(name="mysql", port=9999, protocol="UDP", target_port=9999)]
    policy = apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy(when_deleted="Retain", when_scaled="Retain")
    stateful_set.spec.persistent_volume_claim_retention_policy = policy
    stateful_set.spec.replicas = 3
    server = server_of(stateful_set)
    server.image, server.env = "other:1", [core_v1.EnvVar(name="MARIADB_ROOT_PASSWORD", value="guessed")]
    server.ports, server.volume_mounts = [core_v1.ContainerPort(container_port=9999)], None


async def test_what_another_controls_is_left_alone(client: kv.Client, operator: Operator) -> None:
    """A Service that has the name already, and an owner, is an error and not a fight."""
    owner = await client.create(core_v1.ConfigMap(metadata=kv.ObjectMeta(name="owner")))
    theirs = core_v1.Service(metadata=kv.ObjectMeta(name="shop", namespace=owner.metadata.namespace))
    theirs.spec.ports = [core_v1.ServicePort(port=80)]
    kv.set_controller_reference(owner, theirs)
    await client.create(theirs)
    async with operator() as runs:
        await client.create(shop())
        await eventually(lambda: _any(runs))
    assert isinstance(runs[0].outcome, AlreadyOwned)
    assert not runs.writes
    assert (await client.get(core_v1.Service, "shop")).metadata.resource_version == theirs.metadata.resource_version


async def test_a_patch_meets_no_conflict_where_an_update_does(client: kv.Client, operator: Operator) -> None:
    """Both know a version of the object that is behind; the patch says nothing about what it does not change."""
    gate = Gate()
    async with operator(gate=gate) as runs:
        mariadb = await client.create(shop())
        await at_rest(client, runs)
        behind = await client.get(core_v1.Service, "shop")
        with gate.hold("patch", "services") as held:
            mariadb.spec.service_type = "NodePort"
            await client.patch(mariadb)
            await held.reached()  # it has read the Service, and knows what to change
            current = await client.get(core_v1.Service, "shop")
            current.metadata.annotations = {"team": "blue"}
            await client.update(current)
        await at_rest(client, runs)
    assert not runs.failures
    service = await client.get(core_v1.Service, "shop")
    assert (service.spec.type, service.metadata.annotations) == ("NodePort", {"team": "blue"})
    with pytest.raises(kv.errors.Conflict):
        await client.update(behind)


async def test_what_is_being_deleted_is_left_alone(client: kv.Client, operator: Operator) -> None:
    """Else, in a foreground deletion, it would make anew what the garbage collector has just deleted."""
    held = shop()
    kv.add_finalizer(held, "example.com/hold")  # of someone else: it is there until that is taken off
    async with operator() as runs:
        await client.create(held)
        await at_rest(client, runs)
        child = await client.get(core_v1.Service, "shop")
        done = len(runs.writes)
        await client.delete(held)
        await wait_idle(runs.manager)  # it knows of that before it learns of the other
        await client.delete(child, propagation="Background")
        await wait_gone(client, child)
        await wait_idle(runs.manager)
    assert len(runs.writes) == done
    assert await kv.ignore_not_found(client.get(core_v1.Service, "shop")) is None
    held = await client.get(MariaDB, "shop")
    kv.remove_finalizer(held, "example.com/hold")
    await client.patch(held)


async def test_deletion_leaves_nothing_behind(client: kv.Client, operator: Operator) -> None:
    """Not even the claims of the servers' volumes; the operator has nothing to do for that."""
    async with operator() as runs:
        await client.create(shop())
        mariadb = await at_rest(client, runs)
        await client.delete(mariadb)
        await wait_gone(client, mariadb)
        await wait_idle(runs.manager)  # where it learns of a child first, it makes one that the collector takes too
        await eventually(lambda: _empty(client))
        await wait_idle(runs.manager)
    assert runs[-1].outcome == kv.Result()  # it is not looked for again


async def _empty(client: kv.Client) -> bool:
    kinds = (
        *(core_v1.Service, apps_v1.StatefulSet, apps_v1.ControllerRevision),
        *(core_v1.Pod, core_v1.PersistentVolumeClaim),
    )
    return not [found for kind in kinds for found in await client.list(kind)]
