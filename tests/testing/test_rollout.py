"""Whether the controller of a Deployment, or of its like, has had its last word."""

from __future__ import annotations

from typing import Any

import pytest

import konverge as kv
from konverge.api.meta import LabelSelector
from konverge.errors import RequestError
from konverge.models import apps_v1, core_v1
from konverge.testing import Cluster, rolled_out, wait_for

LABELS = {"app": "web"}


def spec() -> dict[str, Any]:
    """Return what a Deployment and a StatefulSet have in common."""
    pod = core_v1.PodSpec(containers=[core_v1.Container(name="main", image="web:1")])
    template = core_v1.PodTemplateSpec(metadata=kv.ObjectMeta(labels=LABELS), spec=pod)
    return {"selector": LabelSelector(match_labels=LABELS), "template": template, "replicas": 2}


@pytest.mark.cluster(controllers=True)
async def test_nothing_is_written_after_it(cluster: Cluster, namespace: str) -> None:
    """A change that was no change shows that its controller has nothing more to say: the version stays."""
    async with cluster.client(namespace=namespace) as client:
        web = await client.create(
            apps_v1.Deployment(metadata=kv.ObjectMeta(name="web"), spec=apps_v1.DeploymentSpec(**spec()))
        )
        db = await client.create(
            apps_v1.StatefulSet(
                metadata=kv.ObjectMeta(name="db"), spec=apps_v1.StatefulSetSpec(service_name="db", **spec())
            )
        )
        assert not rolled_out(web)
        assert not rolled_out(db)
        web, db = await wait_for(client, web, until=rolled_out), await wait_for(client, db, until=rolled_out)
        [replica_set] = await client.list(apps_v1.ReplicaSet)
        assert rolled_out(replica_set)
        web.spec.replicas = 1
        await client.patch(web)
        assert not rolled_out(web)  # its status is about the generation before
        await wait_for(client, web, until=rolled_out)


def test_a_daemon_set_is_on_every_node() -> None:
    """As its status says, once that is about the latest generation."""
    counts = ("desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled")
    status = {"observedGeneration": 2, "numberAvailable": 3, **dict.fromkeys(counts, 3)}
    content = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"generation": 2}, "status": status}
    assert rolled_out(apps_v1.DaemonSet.from_dict(content))
    assert not rolled_out(apps_v1.DaemonSet.from_dict({**content, "status": {**status, "numberAvailable": 2}}))
    assert not rolled_out(apps_v1.DaemonSet.from_dict({**content, "metadata": {"generation": 3}}))


def test_it_is_for_what_has_pods() -> None:
    """Of a ConfigMap it would always be true, and mean nothing."""
    with pytest.raises(RequestError, match="this is a ConfigMap"):
        rolled_out(core_v1.ConfigMap())
