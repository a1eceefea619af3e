from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import konverge as kv
from konverge.errors import ConfigError, Forbidden, Invalid, Unauthorized
from konverge.models import apps_v1, core_v1, rbac_v1
from konverge.testing import Cluster

if TYPE_CHECKING:
    from tests.client.conftest import Loopback


async def allowed(client: kv.Client) -> bool:
    """Whether a client may list ConfigMaps by now."""
    try:
        await client.list(core_v1.ConfigMap)
    except Forbidden:
        return False
    return True


async def test_impersonation(own: kv.Client, namespace: str) -> None:
    """Another user's refusal names the verb and the resource, and the rule that would allow it, which then does."""
    bob = own.impersonate("bob", groups=["dev"])
    with pytest.raises(Forbidden) as error:
        await bob.list(core_v1.ConfigMap)
    rule = '{apiGroups: [""], resources: ["configmaps"], verbs: ["list"]}'
    assert f'a Role in namespace "{namespace}" with the rule {rule}' in str(error.value)
    role = rbac_v1.Role(
        metadata=kv.ObjectMeta(name="lister"),
        rules=[rbac_v1.PolicyRule(api_groups=[""], resources=["configmaps"], verbs=["list"])],
    )
    binding = rbac_v1.RoleBinding(
        metadata=kv.ObjectMeta(name="lister"),
        role_ref=rbac_v1.RoleRef(api_group="rbac.authorization.k8s.io", kind="Role", name="lister"),
        subjects=[rbac_v1.Subject(kind="Group", name="dev")],
    )
    await own.create(role)
    await own.create(binding)
    async with asyncio.timeout(60):  # the authorizer reads rules from a cache that is some milliseconds behind
        while not await allowed(bob):
            pass
    assert await bob.list(core_v1.ConfigMap) == []
    with pytest.raises(Forbidden):
        await own.impersonate("bob").list(core_v1.ConfigMap)


async def test_forbidden_by_scope(client: kv.Client, own: kv.Client) -> None:
    """What spans the cluster needs a ClusterRole; a subresource and a path are named as rules name them."""
    bob = client.impersonate("bob")
    with pytest.raises(Forbidden, match=r'by a ClusterRole .*resources: \["nodes"\], verbs: \["get"\]'):
        await bob.get(core_v1.Node, "n")
    with pytest.raises(Forbidden, match=r'by a ClusterRole .*apiGroups: \["apps"\], resources: \["deployments"\]'):
        await bob.list(apps_v1.Deployment)
    with pytest.raises(Forbidden, match=r'nonResourceURLs: \["/metrics"\], verbs: \["get"\]'):
        await bob.get_raw("/metrics")
    deployment = apps_v1.Deployment(metadata=kv.ObjectMeta(name="web"))
    with pytest.raises(Forbidden, match=r'by a Role in .*resources: \["deployments/scale"\], verbs: \["get"\]'):
        await own.impersonate("bob").subresource("scale").get(deployment)


async def test_forbidden_to_impersonate(cluster: Cluster) -> None:
    """Who may not impersonate is told the rule that the server names, not one for what they wanted to do."""
    config = kv.Config.load(cluster.kubeconfig_for("alice"))
    async with kv.Client.connect(config) as alice:
        with pytest.raises(Forbidden, match=r'verbs: \["impersonate'):
            await alice.impersonate("bob").get(core_v1.Namespace, "default")


async def test_refused_by_admission(own: kv.Client) -> None:
    """A refusal that no rule would lift offers none."""
    with pytest.raises((Forbidden, Invalid)) as error:
        await own.create(
            core_v1.Pod(
                metadata=kv.ObjectMeta(name="p"),
                spec=core_v1.PodSpec(
                    service_account_name="nobody", containers=[core_v1.Container(name="c", image="c:1")]
                ),
            )
        )
    assert "Role" not in str(error.value)


async def test_unknown_credentials(cluster: Cluster) -> None:
    """A token that the server does not know is Unauthorized, and the message does not show it."""
    config = kv.Config.load(cluster.kubeconfig)
    tls = kv.client.config.Tls(ca_data=config.tls.ca_data)
    stranger = config.with_(tls=tls, credentials=kv.client.config.StaticToken("wrong-token"))
    async with kv.Client.connect(stranger) as client:
        with pytest.raises(Unauthorized, match="check the credentials") as error:
            await client.list(core_v1.ConfigMap)
    assert "wrong-token" not in str(error.value)


async def test_impersonation_headers(loopback: Loopback) -> None:
    """Each part of an impersonated user is a header; a view of another user sends nothing of the first one's."""
    alice = kv.Impersonate("alice", groups=("admins", "dev"), uid="1")
    async with kv.Client.connect(loopback.config(impersonate=alice)) as client:
        await client.version()
        await client.impersonate("bob", groups=["ops"], uid="2", extra={"reason": ["test"]}).version()
        await client.impersonate("carol").version()
    parts = ["Impersonate-User", "Impersonate-Group", "Impersonate-Uid", "Impersonate-Extra-reason"]
    assert [[seen.header(part) for part in parts] for seen in loopback.seen] == [
        [["alice"], ["admins", "dev"], ["1"], []],
        [["bob"], ["ops"], ["2"], ["test"]],
        [["carol"], [], [], []],
    ]
    with pytest.raises(ConfigError, match="line break"):
        client.impersonate("a\nb")


async def test_warnings_in_one_header(loopback: Loopback, caplog: pytest.LogCaptureFixture) -> None:
    """Warnings that a proxy joined into one header are told apart, and their quotes are the author's."""
    loopback.answers = [loopback.json({}, Warning='299 - "say \\"hi\\", now", 299 - "and \\\\ this"')]
    async with kv.Client.connect(loopback.config()) as client:
        await client.version()
        await client.version()
    assert [record.getMessage() for record in caplog.records] == ['say "hi", now', "and \\ this"]
