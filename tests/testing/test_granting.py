"""An operator under the rights that its manifests would give it."""

from __future__ import annotations

import pytest

import konverge as kv
from konverge.errors import Forbidden
from konverge.models.core_v1 import ConfigMap, Secret
from konverge.testing import Cluster, eventually, running, wait_children

USER = "operator"


@pytest.mark.parametrize("is_declared", [True, False])
async def test_what_no_rule_allows_fails(cluster: Cluster, namespace: str, is_declared: bool) -> None:
    """The kinds of the builder, the events and the lease are allowed; a Secret only where it is declared."""
    election = kv.LeaderElection(id=namespace, namespace=namespace)
    user = f"{USER}-{namespace}"  # of this test alone: a real cluster is shared
    manager = cluster.manager(user=user, cache=kv.CacheOptions(namespaces=(namespace,)), leader_election=election)
    answers: list[str] = []

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        owner = await ctx.client.get(ConfigMap, request)
        if kv.controller_of(owner) is not None:
            return
        child = ConfigMap(metadata=kv.ObjectMeta(name=f"{request.name}-child", namespace=namespace))
        kv.set_controller_reference(owner, child)
        await ctx.client.apply(child, force=True)
        try:
            await kv.ignore_not_found(ctx.live.get(Secret, "login", namespace=namespace))
            answers.append("")
        except Forbidden as error:
            answers.append(str(error))

    declared = kv.rbac("", "secrets", verbs="get", namespace=namespace)(reconcile) if is_declared else reconcile
    kv.new_controller(manager).for_(ConfigMap).owns(ConfigMap).complete(declared)
    await cluster.grant(manager, user=user)
    async with running(manager), cluster.client(namespace=namespace) as client:
        owner = await client.create(ConfigMap(metadata=kv.ObjectMeta(name="owner")))
        await wait_children(client, owner, ConfigMap, names=["owner-child"])
        (first, *_) = await eventually(lambda: _given(answers))
    assert ("secrets" in first) is not is_declared


async def _given(answers: list[str]) -> list[str]:
    return answers
