"""What the operator does about a MariaDB, on a cluster in which StatefulSets become pods."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import konverge as kv
import pytest
from konverge.controller import AlreadyOwned, is_controlled_by
from konverge.controller.run import Run
from konverge.models import apps_v1, core_v1
from konverge.testing import apply, eventually, wait_children, wait_for, wait_gone

from mariadb.api.v1.maria_db import MariaDB, MariaDBSpec, SecretKey
from mariadb.children import server_of

pytestmark = pytest.mark.cluster(controllers=True)
Operator = Callable[..., AbstractAsyncContextManager[list[Run]]]
SAMPLE = Path(__file__).parents[1] / "sample.yaml"


def shop(name: str = "shop") -> MariaDB:
    """Return a MariaDB."""
    spec = MariaDBSpec(root_password=SecretKey(name="root"), storage="1Gi", image="mariadb:1")
    return MariaDB(metadata=kv.ObjectMeta(name=name), spec=spec)


async def ready(client: kv.Client, name: str = "shop", *, replicas: int = 1) -> MariaDB:
    """Wait until so many servers are ready."""
    return await wait_for(client, MariaDB, name, until=lambda found: found.status.ready_replicas == replicas)


async def versions(client: kv.Client) -> list[str | None]:
    """Return the version of everything that the operator writes to."""
    found = [*await client.list(MariaDB), *await client.list(core_v1.Service), *await client.list(apps_v1.StatefulSet)]
    return [each.metadata.resource_version for each in found]


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
    """No version changes, and no write is even tried."""
    async with operator():
        await client.create(shop())
        await ready(client)

    async def nothing_is_written() -> bool:
        before = await versions(client)
        async with operator() as runs:  # started anew, it looks at every object once
            await eventually(lambda: _any(runs))
        return not runs[0].writes and await versions(client) == before

    await eventually(nothing_is_written)  # the StatefulSet's own controller may still have been at work the first time


async def _any(runs: list[Run]) -> bool:
    return bool(runs)


async def test_two_at_once_make_no_duplicates(client: kv.Client, operator: Operator) -> None:
    """Who comes second is told that the name is taken, tries again, and finds nothing left to do."""
    names = ["one", "two", "three"]
    async with operator(), operator():
        for name in names:
            await client.create(shop(name))
        for name in names:
            await ready(client, name)
    assert sorted(each.metadata.name or "" for each in await client.list(core_v1.Service)) == sorted(names)
    assert sorted(each.metadata.name or "" for each in await client.list(apps_v1.StatefulSet)) == sorted(names)


async def test_several_changes_are_one_patch(client: kv.Client, operator: Operator) -> None:
    """What counts is the state when it looks, not how it came to be."""
    async with operator():
        await client.create(shop())
        await ready(client)
    for number in range(2, 7):
        mariadb = await client.get(MariaDB, "shop")
        mariadb.spec.image = f"mariadb:{number}"
        mariadb.spec.replicas = 2 if number == 6 else 0
        await client.patch(mariadb)
    async with operator():
        await ready(client, replicas=2)
    stateful_set = await client.get(apps_v1.StatefulSet, "shop")
    assert stateful_set.metadata.generation == 2
    assert server_of(stateful_set).image == "mariadb:6"


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
        assert not [run for run in runs if isinstance(run.outcome, Exception)]
    with pytest.raises(kv.errors.ApplyConflict, match="owned by mariadb"):  # whoever applies it again is told
        await client.apply(theirs)


def _selects_shop(service: core_v1.Service) -> bool:
    return (service.spec.selector or {})["app.kubernetes.io/instance"] == "shop"


async def test_each_of_our_fields_comes_back(client: kv.Client, operator: Operator) -> None:
    """Also the owner, without which the child would outlive the MariaDB."""
    async with operator():
        mariadb = await client.create(shop())
        await ready(client)
        service, stateful_set = await client.get(core_v1.Service, "shop"), await client.get(apps_v1.StatefulSet, "shop")
        wanted = _ours(service, stateful_set)
        _spoil(service, stateful_set)
        await client.patch(service)
        await client.patch(stateful_set)

        async def all_is_back() -> bool:
            found = await client.get(core_v1.Service, "shop"), await client.get(apps_v1.StatefulSet, "shop")
            return all(is_controlled_by(each, mariadb) for each in found) and _ours(*found) == wanted

        await eventually(all_is_back)


def _ours(service: core_v1.Service, stateful_set: apps_v1.StatefulSet) -> list[object]:
    server, policy = server_of(stateful_set), stateful_set.spec.persistent_volume_claim_retention_policy
    return [service.spec.ports, policy, server.ports, server.volume_mounts]


def _spoil(service: core_v1.Service, stateful_set: apps_v1.StatefulSet) -> None:
    service.metadata.owner_references = stateful_set.metadata.owner_references = None
    service.spec.ports = [core_v1.ServicePort(name="mysql", port=9999, protocol="UDP", target_port=9999)]
    policy = apps_v1.StatefulSetPersistentVolumeClaimRetentionPolicy(when_deleted="Retain", when_scaled="Retain")
    stateful_set.spec.persistent_volume_claim_retention_policy = policy
    server = server_of(stateful_set)
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
    assert (await client.get(core_v1.Service, "shop")).metadata.resource_version == theirs.metadata.resource_version


async def test_a_patch_meets_no_conflict_where_an_update_does(client: kv.Client, operator: Operator) -> None:
    """Both know a version of the object that is behind; the patch says nothing about what it does not change."""
    async with operator():
        await client.create(shop())
        behind = await wait_for(client, core_v1.Service, "shop")
    current = await client.get(core_v1.Service, "shop")
    current.metadata.annotations = {"team": "blue"}
    await client.update(current)
    behind.spec.session_affinity = "ClientIP"
    with pytest.raises(kv.errors.Conflict):
        await client.update(behind)
    await client.patch(behind)
    assert behind.metadata.annotations == {"team": "blue"}


async def test_deletion_leaves_nothing_behind(client: kv.Client, operator: Operator) -> None:
    """Not even the claims of the servers' volumes."""
    async with operator() as runs:
        mariadb = await client.create(shop())
        await ready(client)
        await client.delete(mariadb)
        await wait_gone(client, mariadb)
        await eventually(lambda: _empty(client))
        await eventually(lambda: _wrote_nothing_last(runs))


async def _empty(client: kv.Client) -> bool:
    kinds = (core_v1.Service, apps_v1.StatefulSet, core_v1.Pod, core_v1.PersistentVolumeClaim)
    return not [found for kind in kinds for found in await client.list(kind)]


async def _wrote_nothing_last(runs: list[Run]) -> bool:
    return not runs[-1].writes
