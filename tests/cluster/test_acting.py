"""As whom one reaches a server in process."""

from __future__ import annotations

import pytest

import konverge as kv
from konverge.client.client import Client
from konverge.cluster.acting import peer_of
from konverge.cluster.apiserver.exchange import Peer
from konverge.cluster.embedded import EmbeddedCluster
from konverge.errors import Forbidden
from konverge.models import core_v1, rbac_v1


@pytest.mark.parametrize(
    ("user", "peer"),
    [
        ("system:anonymous", Peer()),
        ("jane", Peer(common_name="jane", organizations=("staff",))),
        (
            "system:serviceaccount:a:b",
            Peer(
                common_name="system:serviceaccount:a:b",
                organizations=("system:serviceaccounts", "system:serviceaccounts:a", "staff"),
            ),
        ),
    ],
)
def test_a_user_is_as_one_with_a_certificate(user: str, peer: Peer) -> None:
    """A service account is in its groups by itself; nobody has no certificate."""
    assert peer_of(user, ["staff"]) == peer


async def test_a_client_may_do_what_its_user_may() -> None:
    """What is refused says who lacks what; a grant counts at once."""
    account = "system:serviceaccount:default:bot"
    async with (
        EmbeddedCluster() as cluster,
        Client(cluster.transport()) as admin,
        Client(cluster.transport(user=account)) as bot,
    ):
        with pytest.raises(Forbidden, match=f'User "{account}" cannot list resource "pods"'):
            await bot.list(core_v1.Pod, namespace="default")
        rule = rbac_v1.PolicyRule(api_groups=[""], resources=["pods"], verbs=["list"])
        metadata = kv.ObjectMeta(name="lister", namespace="default")
        await admin.create(rbac_v1.Role(metadata=metadata, rules=[rule]))
        reference = rbac_v1.RoleRef(api_group="rbac.authorization.k8s.io", kind="Role", name="lister")
        subject = rbac_v1.Subject(kind="ServiceAccount", name="bot")
        await admin.create(rbac_v1.RoleBinding(metadata=metadata, role_ref=reference, subjects=[subject]))
        assert list(await bot.list(core_v1.Pod, namespace="default")) == []
        with pytest.raises(Forbidden):
            await bot.list(core_v1.Pod)
