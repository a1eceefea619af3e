"""Cluster IPs and node ports: given out once, recorded, and given back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

if TYPE_CHECKING:
    from tests.cluster.apiserver.builtin.conftest import Client

SERVICES = "/api/v1/namespaces/default/services"
ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses"
WEB: dict[str, Any] = {"ports": [{"port": 80}]}


async def test_every_service_has_an_address_of_its_own_with_a_record(client: Client) -> None:
    """The record names the service, and goes with it."""
    many = [client.make(SERVICES, f"s{index}", spec=WEB) for index in range(50)]
    made = await asyncio.gather(*many)
    assert len({service["spec"]["clusterIP"] for service in made}) == 50
    address = made[7]["spec"]["clusterIP"]
    _, record = await client.ask("GET", f"{ADDRESSES}/{address}")
    assert record["spec"]["parentRef"] == {"resource": "services", "namespace": "default", "name": "s7"}
    await client.ask("DELETE", f"{SERVICES}/s7")
    assert (await client.ask("GET", f"{ADDRESSES}/{address}"))[0] == 404


async def test_a_refused_service_takes_nothing(client: Client) -> None:
    """Its address stays free, and so do its ports."""
    spec = {"type": "NodePort", "clusterIP": "10.96.0.50", "ports": [{"port": 80, "nodePort": 31000}]}
    await client.make(SERVICES, "taken", spec=WEB)
    code, _ = await client.ask("POST", SERVICES, {"metadata": {"name": "taken"}, "spec": spec})
    assert code == 409
    made = await client.make(SERVICES, "free", spec=spec)
    assert made["spec"]["ports"][0]["nodePort"] == 31000


async def test_node_ports_are_given_out_once_and_come_back(client: Client) -> None:
    """Also after the type that had them is gone."""
    spec = {"type": "NodePort", "ports": [{"port": 80, "nodePort": 31000}]}
    await client.make(SERVICES, "a", spec=spec)
    code, failure = await client.ask("POST", SERVICES, {"metadata": {"name": "b"}, "spec": spec})
    assert code == 422
    assert "provided port is already allocated" in failure["message"]
    changed = await client.patch(f"{SERVICES}/a", {"spec": {"type": "ClusterIP"}})
    assert "nodePort" not in changed["spec"]["ports"][0]
    await client.make(SERVICES, "b", spec=spec)


async def test_the_manifest_that_made_a_service_can_be_sent_again(client: Client) -> None:
    """What was given out is kept, and nothing is written."""
    body = {"metadata": {"name": "a"}, "spec": {"type": "NodePort", **WEB}}
    _, made = await client.ask("POST", SERVICES, body)
    code, again = await client.ask("PUT", f"{SERVICES}/a", body)
    assert code == 200
    assert again["spec"] == made["spec"]
    assert again["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


async def test_a_second_server_on_the_same_storage_knows_what_is_given_out(client: Client, storage: Storage) -> None:
    """Ports are read from the stored services."""
    spec = {"type": "NodePort", "ports": [{"port": 80, "nodePort": 31000}]}
    await client.make(SERVICES, "a", spec=spec)
    server = ApiServer(storage)
    await server.start()
    other = type(client)(server)
    code, _ = await other.ask("POST", SERVICES, {"metadata": {"name": "b"}, "spec": spec})
    assert code == 422
    await server.close()


async def test_the_server_has_a_service_of_its_own(client: Client) -> None:
    """At the first address of the range."""
    _, own = await client.ask("GET", f"{SERVICES}/kubernetes")
    assert own["spec"]["clusterIP"] == "10.96.0.1"
    _, found = await client.ask("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes")
    assert found["status"]["conditions"][0]["status"] == "True"
