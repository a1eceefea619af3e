"""What the server's own plugins make of a pod by its node: labels of the place, and room for a resize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cluster.apiserver.builtin.conftest import Client

PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
ZONE = "topology.kubernetes.io/zone"


def _spec(**requests: str) -> dict[str, Any]:
    return {"nodeName": "n", "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}]}


async def test_a_placed_pod_has_the_labels_of_its_place(client: Client) -> None:
    """Whether it names its node or is bound to it."""
    node = {"metadata": {"name": "n", "labels": {ZONE: "z", "other": "o"}}}
    await client.ask("POST", NODES, node)
    placed = await client.make(PODS, "p", spec=_spec())
    assert placed["metadata"]["labels"] == {ZONE: "z"}
    await client.make(PODS, "q", spec={"containers": _spec()["containers"]})
    binding = {"metadata": {"name": "q"}, "target": {"kind": "Node", "name": "n"}}
    await client.ask("POST", f"{PODS}/q/binding", {"apiVersion": "v1", "kind": "Binding", **binding})
    _, bound = await client.ask("GET", f"{PODS}/q")
    assert bound["metadata"]["labels"] == {ZONE: "z"}


@pytest.mark.parametrize(
    ("labels", "cause", "why"),
    [
        ({}, "NodeCapacity", "allocatable resources: cpu, requested: 3000, allocatable: 2000"),
        ({"kubernetes.io/os": "windows"}, "UnsupportedPlatform", 'node "n" is "windows"'),
    ],
)
async def test_a_pod_does_not_grow_out_of_its_node(
    client: Client, labels: dict[str, str], cause: str, why: str
) -> None:
    """The refusal says what is in the way."""
    status = {"allocatable": {"cpu": "2"}, "capacity": {"cpu": "2"}}
    await client.ask("POST", NODES, {"metadata": {"name": "n", "labels": labels}, "status": status})
    pod = await client.make(PODS, "p", spec=_spec(cpu="1"))
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "3"
    code, failure = await client.ask("PUT", f"{PODS}/p/resize", pod)
    assert code == 403
    assert failure["message"].endswith(why)
    assert failure["details"]["causes"] == [{"reason": cause}]


async def test_a_node_must_know_how_to_resize_a_pod_as_a_whole(client: Client) -> None:
    """It says so by a feature that it declares."""
    await client.ask("POST", NODES, {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "2"}}})
    pod = await client.make(PODS, "p", spec={**_spec(), "resources": {"requests": {"cpu": "1"}}})
    pod["spec"]["resources"]["requests"]["cpu"] = "2"
    code, failure = await client.ask("PUT", f"{PODS}/p/resize", pod)
    assert code == 403
    assert "requires features InPlacePodLevelResourcesVerticalScaling which are not available" in failure["message"]


async def test_an_overhead_comes_from_a_class(client: Client) -> None:
    """One that a pod brings along is refused, after its own faults."""
    spec = {**_spec(), "overhead": {"cpu": "1"}}
    assert (await client.ask("POST", PODS, {"metadata": {"name": "p"}, "spec": spec}))[0] == 403
    bad = {**spec, "overhead": {"cpu": "-1"}}
    assert (await client.ask("POST", PODS, {"metadata": {"name": "p"}, "spec": bad}))[0] == 422
