"""The graph and the whole collector against models of a few lines."""

from __future__ import annotations

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from konverge import ObjectMeta, OwnerReference
from konverge.cluster.controllers import garbage_collector
from konverge.cluster.controllers.garbage_collector.absent import AbsentOwners
from konverge.cluster.controllers.garbage_collector.graph import Graph, Node, Seen
from konverge.cluster.controllers.garbage_collector.identity import Identity, Reference
from konverge.models import core_v1
from konverge.testing import VirtualCluster, running
from konverge.testing.virtual_time import run

NAMES = "abcdef"


def identity(name: str) -> Identity:
    """Who an object is."""
    return Identity("ConfigMap", "v1", "default", name, f"uid-{name}")


references = st.dictionaries(st.sampled_from(NAMES), st.booleans(), max_size=3)
facts = st.lists(st.tuples(st.sampled_from(NAMES), st.none() | references), max_size=30)


@given(facts)
def test_the_graph_is_that_of_the_last_of_each_object(given_facts: list[tuple[str, dict[str, bool] | None]]) -> None:
    """However objects come, change and go: dependents and what blocks are those of the state that is left."""
    graph, state = Graph(AbsentOwners()), dict[str, dict[str, bool]]()
    for name, owners in given_facts:
        if owners is None:
            state.pop(name, None)
            graph.forget(identity(name))
        else:
            state[name] = owners
            found = tuple(Reference("ConfigMap", "v1", each, f"uid-{each}", blocks) for each, blocks in owners.items())
            graph.observe(Seen(identity(name), found))
    for name, owners in state.items():
        assert not _node(graph, name).virtual
        for owner in owners:
            assert name in [each.identity.name for each in _node(graph, owner).dependents]
    for node in graph:
        assert node.virtual == (node.identity.name not in state)
        assert node.has_dependents or not node.virtual
        assert node.blockers == len(tuple(node.blocking))
        assert all(node.identity.name in state[each.identity.name] for each in node.dependents)


def _node(graph: Graph, name: str) -> Node:
    node = graph.get(f"uid-{name}")
    assert node is not None
    return node


# Each object's owners are among those before it, so that there are no circles; each deletion names one and how.
owned = st.lists(st.sets(st.integers(0, 5), max_size=3), min_size=1, max_size=6)
policies = st.sampled_from(["Background", "Foreground", "Orphan"])
deletions = st.lists(st.tuples(st.integers(0, 5), policies), min_size=1, max_size=3)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(owned, deletions)
def test_what_is_left_is_what_the_model_says(
    given_owners: list[set[int]], given_deletions: list[tuple[int, str]]
) -> None:
    """An object stays as long as one of its owners does, or as long as it never had any or was orphaned."""
    owners = {number: {each for each in found if each < number} for number, found in enumerate(given_owners)}
    asked = [(number, policy) for number, policy in given_deletions if number in owners]
    left = run(_played({number: sorted(found) for number, found in owners.items()}, asked))
    for number, policy in asked:
        _delete(owners, number, policy)
    assert left == {f"c-{number}": sorted(found) for number, found in owners.items()}


def _delete(owners: dict[int, set[int]], number: int, policy: str) -> None:
    """The model."""
    if owners.pop(number, None) is None:
        return
    if policy == "Orphan":
        for found in owners.values():
            found.discard(number)
        return
    while lost := [each for each, found in owners.items() if found and not found & owners.keys()]:
        for each in lost:
            del owners[each]
    for found in owners.values():
        found.intersection_update(owners)


async def _played(owners: dict[int, list[int]], asked: list[tuple[int, str]]) -> dict[str, list[int]]:
    """The real thing: what is left, and whom it names."""
    cluster = VirtualCluster()
    manager = cluster.manager()
    garbage_collector.add_to(manager)
    uids: dict[int, str] = {}
    async with running(manager), cluster.client(namespace="default") as client:
        for number, found in owners.items():
            named = [
                OwnerReference(
                    api_version="v1", kind="ConfigMap", name=f"c-{each}", uid=uids[each], block_owner_deletion=True
                )
                for each in found
            ]
            metadata = ObjectMeta(name=f"c-{number}", namespace="default", owner_references=named or None)
            made = await client.create(core_v1.ConfigMap(metadata=metadata))
            uids[number] = made.metadata.uid or ""
        for number, policy in asked:
            there = [each.metadata.name for each in await client.list(core_v1.ConfigMap)]
            if f"c-{number}" in there:
                await client.delete(core_v1.ConfigMap, f"c-{number}", propagation=policy)
            await asyncio.sleep(30)
        return {
            each.metadata.name or "": [int(owner.name[2:]) for owner in each.metadata.owner_references or ()]
            for each in await client.list(core_v1.ConfigMap)
        }
