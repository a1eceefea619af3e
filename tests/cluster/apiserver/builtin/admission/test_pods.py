"""What the server's own plugins make of a new pod, and what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cluster.apiserver.builtin.conftest import Client

PODS = "/api/v1/namespaces/default/pods"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
SPEC: dict[str, Any] = {"containers": [{"name": "c", "image": "i"}]}


async def test_a_pod_runs_as_an_account_with_its_token(client: Client) -> None:
    """Every container sees the token, and the volume has all that a client needs."""
    pod = await client.make(PODS, "p", spec={**SPEC, "initContainers": [{"name": "i", "image": "i"}]})
    spec = pod["spec"]
    volume = spec["volumes"][0]
    assert spec["serviceAccountName"] == spec["serviceAccount"] == "default"
    assert [next(iter(source)) for source in volume["projected"]["sources"]] == [
        "serviceAccountToken",
        "configMap",
        "downwardAPI",
    ]
    for container in (*spec["containers"], *spec["initContainers"]):
        assert container["volumeMounts"][0]["name"] == volume["name"]


async def test_a_pod_whose_account_is_not_there_is_refused(client: Client) -> None:
    """The refusal names the account, in the real server's words."""
    body = {"metadata": {"name": "p"}, "spec": {**SPEC, "serviceAccountName": "nobody"}}
    code, failure = await client.ask("POST", PODS, body)
    assert code == 403
    assert failure["message"] == (
        'pods "p" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found'
    )


@pytest.mark.parametrize("says_no", ["pod", "account"])
async def test_no_token_where_someone_says_no(client: Client, says_no: str) -> None:
    """The pod or its account may do without."""
    no = {"automountServiceAccountToken": False}
    await client.make("/api/v1/namespaces/default/serviceaccounts", "quiet", **(no if says_no == "account" else {}))
    spec = {**SPEC, "serviceAccountName": "quiet", **(no if says_no == "pod" else {})}
    pod = await client.make(PODS, "p", spec=spec)
    assert "volumes" not in pod["spec"]


async def test_a_mirror_pod_gets_nothing_of_the_cluster(client: Client) -> None:
    """It is a node's own."""
    mirror = {"metadata": {"name": "m", "annotations": {"kubernetes.io/config.mirror": "x"}}}
    mirror["spec"] = {**SPEC, "nodeName": "n"}
    code, pod = await client.ask("POST", PODS, mirror)
    assert code == 201
    assert "serviceAccountName" not in pod["spec"]
    code, _ = await client.ask("POST", PODS, {**mirror, "spec": {**SPEC, "serviceAccountName": "default"}})
    assert code == 403


async def test_the_default_class_gives_pods_their_priority(client: Client) -> None:
    """A second default is refused."""
    await client.make(CLASSES, "usual", value=7, globalDefault=True, preemptionPolicy="Never")
    pod = await client.make(PODS, "p", spec=SPEC)
    found = {name: pod["spec"][name] for name in ("priority", "priorityClassName", "preemptionPolicy")}
    assert found == {"priority": 7, "priorityClassName": "usual", "preemptionPolicy": "Never"}
    body = {"metadata": {"name": "more"}, "value": 8, "globalDefault": True}
    code, failure = await client.ask("POST", CLASSES, body)
    assert code == 403
    assert "PriorityClass usual is already marked as default" in failure["message"]


async def test_an_update_keeps_what_admission_gave(client: Client) -> None:
    """A pod that is sent without priority and tolerations keeps them."""
    pod = await client.make(PODS, "p", spec=SPEC)
    for name in ("priority", "preemptionPolicy", "tolerations"):
        del pod["spec"][name]
    code, updated = await client.ask("PUT", f"{PODS}/p", pod)
    assert code == 200
    assert updated["spec"]["priority"] == 0
    assert len(updated["spec"]["tolerations"]) == 2
