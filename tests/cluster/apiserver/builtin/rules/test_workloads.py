"""What the server makes of jobs, claims and gated pods by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.cluster.apiserver.builtin.conftest import Client

POD: dict[str, Any] = {"containers": [{"name": "c", "image": "i:1"}], "restartPolicy": "Never"}
JOBS = "/apis/batch/v1/namespaces/default/jobs"


async def test_a_job_knows_its_pods_by_its_uid(client: Client) -> None:
    """The selector and the labels of its pods are made for it."""
    job = await client.make(JOBS, "j", spec={"template": {"spec": POD}})
    uid = job["metadata"]["uid"]
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert job["spec"]["template"]["metadata"]["labels"]["job-name"] == "j"
    assert job["metadata"]["labels"] == job["spec"]["template"]["metadata"]["labels"]


async def test_a_job_may_have_a_selector_of_its_own(client: Client) -> None:
    """Then nothing is made."""
    labels = {"a": "b"}
    template = {"metadata": {"labels": labels}, "spec": POD}
    spec = {"manualSelector": True, "selector": {"matchLabels": labels}, "template": template}
    job = await client.make(JOBS, "j", spec=spec)
    assert job["spec"]["template"]["metadata"]["labels"] == labels


async def test_the_two_names_of_a_claims_source_agree(client: Client) -> None:
    """What the old field never could name is ignored there."""
    claims = "/api/v1/namespaces/default/persistentvolumeclaims"
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    source = {"kind": "PersistentVolumeClaim", "name": "x"}
    claim = await client.make(claims, "a", spec={**spec, "dataSource": source})
    assert claim["spec"]["dataSourceRef"] == claim["spec"]["dataSource"]
    odd = {"apiGroup": "example.com", "kind": "K", "name": "x"}
    claim = await client.make(claims, "b", spec={**spec, "dataSource": odd})
    assert "dataSource" not in claim["spec"]


async def test_a_gated_pod_says_why_it_waits(client: Client) -> None:
    """In its condition, from the first moment."""
    spec = {**POD, "schedulingGates": [{"name": "example.com/x"}]}
    pod = await client.make("/api/v1/namespaces/default/pods", "p", spec=spec)
    assert pod["status"]["conditions"][0]["reason"] == "SchedulingGated"
