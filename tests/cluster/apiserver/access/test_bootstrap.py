"""The roles and bindings of a new cluster."""

from __future__ import annotations

import random

import msgspec

from konverge.cluster.apiserver.access.bootstrap import make_bootstrap_roles
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.storage import Storage

RBAC = "/rbac.authorization.k8s.io"


async def test_they_are_whole_objects(storage: Storage) -> None:
    """With a uid, a version and times of their own."""
    uids = set()
    for stored in storage.range(f"{RBAC}/").items:
        value = msgspec.json.decode(stored.value)
        metadata = value["metadata"]
        uids.add(metadata["uid"])
        assert stored.key.endswith(f"/{metadata['name']}")
        assert metadata["resourceVersion"] == str(stored.revision)
        assert metadata["managedFields"][0]["time"] == metadata["creationTimestamp"]
        assert b"<" not in stored.value
    assert len(uids) == len(storage) == 133  # captured from kube-apiserver 1.36.3


async def test_what_is_there_is_left_alone(storage: Storage) -> None:
    """A second start changes nothing, and brings back only what is gone."""
    key = f"{RBAC}/clusterroles/edit"
    found = storage.get(key)
    assert found is not None
    await storage.put(key, lambda _: b'{"metadata":{"name":"edit"}}', based_on=found.revision)
    gone = storage.get(f"{RBAC}/clusterroles/view")
    assert gone is not None
    await storage.delete(gone.key, lambda _: gone.value, based_on=gone.revision)
    before = storage.revision
    await make_bootstrap_roles(storage, Ids())
    assert storage.revision == before + 1
    changed, back = storage.get(key), storage.get(gone.key)
    assert changed is not None
    assert back is not None
    assert changed.value == b'{"metadata":{"name":"edit"}}'


async def test_they_come_from_the_given_source() -> None:
    """Two servers with the same ids have the same uids."""
    both = []
    for _ in range(2):
        storage = Storage.in_memory()
        await make_bootstrap_roles(storage, Ids(random.Random(7)))
        both.append([msgspec.json.decode(each.value)["metadata"]["uid"] for each in storage.range(f"{RBAC}/").items])
    assert both[0] == both[1]
