from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from konverge import Client
from konverge.cluster.embedded import EmbeddedCluster
from konverge.cluster.proxy import SERVED_AT, ServiceProxy
from konverge.models import core_v1, discovery_v1
from konverge.testing import eventually

RANGE = "127.96.0.0/12"
OWN_SERVICE = "service default/kubernetes:"  # whose port 443 an ordinary user cannot serve; no test is about it


class Stage:
    """A cluster whose Services are served, and servers that stand for pods."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.problems: list[str] = []
        self.servers: dict[str, asyncio.Server] = {}

    def problem(self, sentence: str) -> None:
        """Hear of a problem."""
        if not sentence.startswith(OWN_SERVICE):
            self.problems.append(sentence)

    async def pod(self, address: str, port: int) -> None:
        """Start a server that says its address, and then what it is sent."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(f"{address}\n".encode())
            while line := await reader.readline():
                writer.write(line)
            writer.close()

        self.servers[address] = await asyncio.start_server(answer, address, port)

    async def service(self, name: str, **spec: Any) -> core_v1.Service:
        """Create a Service."""
        value = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}
        return await self.client.create(core_v1.Service.from_dict(value))

    async def endpoints(self, name: str, port: int, *addresses: str, port_name: str = "") -> None:
        """Say where a Service leads."""
        endpoints = [{"addresses": [each], "conditions": {"ready": True}} for each in addresses]
        value = {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {"name": name, "labels": {"kubernetes.io/service-name": name}},
            "addressType": "IPv4",
            "endpoints": endpoints,
            "ports": [{"name": port_name, "port": port}],
        }
        await self.client.apply(discovery_v1.EndpointSlice.from_dict(value), field_owner="test")

    async def asked(self, address: str, port: int) -> str:
        """Return who answers at a place; nobody is an empty text."""
        try:
            reader, writer = await asyncio.open_connection(address, port)
            line = await reader.readline()
        except OSError:
            return ""
        writer.close()
        return line.decode().strip()

    async def until(self, address: str, port: int, wanted: str) -> None:
        """Wait until this one answers."""

        async def so() -> bool:
            return await self.asked(address, port) == wanted

        await eventually(so)

    async def served_at(self, name: str) -> str:
        """Wait for the annotation."""

        async def found() -> str:
            service = await self.client.get(core_v1.Service, name)
            return (service.metadata.annotations or {}).get(SERVED_AT, "")

        return await eventually(found)


@asynccontextmanager
async def staged() -> AsyncIterator[Stage]:
    """Run a cluster with a service proxy."""
    proxy = ServiceProxy()
    cluster = EmbeddedCluster(controllers=proxy.add_to, service_range=RANGE, loopback_endpoints=True)
    async with cluster:
        made = Stage(Client(cluster.transport()).in_namespace("default"))
        proxy.watch_problems(made.problem)
        yield made
    for server in made.servers.values():
        server.close()


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    """A cluster with a service proxy."""
    async with asyncio.timeout(60), staged() as made:
        yield made


def address_of(service: core_v1.Service) -> str:
    """Return where a Service is."""
    return service.spec.cluster_ip or ""


async def test_a_service_answers_at_its_own_address(stage: Stage) -> None:
    """Its pods in turn; when it is gone, nobody does."""
    for pod in ("127.65.250.1", "127.65.250.2"):
        await stage.pod(pod, 18080)
    web = await stage.service("web", ports=[{"port": 8080, "targetPort": 18080}])
    assert address_of(web).startswith("127.")
    await stage.endpoints("web", 18080, *stage.servers)
    await stage.until(address_of(web), 8080, "127.65.250.2")
    found = [await stage.asked(address_of(web), 8080) for _ in range(4)]
    assert found == ["127.65.250.1", "127.65.250.2"] * 2
    await stage.client.delete(web)
    await stage.until(address_of(web), 8080, "")
    assert not stage.problems


async def test_connections_outlive_their_endpoint(stage: Stage) -> None:
    """New ones go elsewhere."""
    for pod in ("127.65.250.3", "127.65.250.4"):
        await stage.pod(pod, 18080)
    web = await stage.service("web", ports=[{"port": 8080}])
    await stage.endpoints("web", 18080, "127.65.250.3")
    await stage.until(address_of(web), 8080, "127.65.250.3")
    reader, writer = await asyncio.open_connection(address_of(web), 8080)
    assert await reader.readline() == b"127.65.250.3\n"
    await stage.endpoints("web", 18080, "127.65.250.4")
    await stage.until(address_of(web), 8080, "127.65.250.4")
    await stage.client.delete(web)
    await stage.until(address_of(web), 8080, "")
    writer.write(b"still here\n")
    assert await reader.readline() == b"still here\n"
    writer.close()


async def test_a_port_that_changes(stage: Stage) -> None:
    """Is let go, and the new one served."""
    await stage.pod("127.65.250.5", 18080)
    web = await stage.service("web", ports=[{"port": 8080}])
    await stage.endpoints("web", 18080, "127.65.250.5")
    await stage.until(address_of(web), 8080, "127.65.250.5")
    web = await stage.client.get(core_v1.Service, "web")
    web.spec.ports = [core_v1.ServicePort(port=8081)]
    await stage.client.update(web)
    await stage.until(address_of(web), 8081, "127.65.250.5")
    await stage.until(address_of(web), 8080, "")


async def test_a_port_in_use_is_served_elsewhere_and_told(stage: Stage) -> None:
    """By an annotation and by a sentence; the same place is taken again by the next run."""
    taken = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.96.7.7", 8080)
    await stage.pod("127.65.250.6", 18080)
    await stage.service("web", clusterIP="127.96.7.7", ports=[{"port": 8080}])
    await stage.endpoints("web", 18080, "127.65.250.6")
    key, _, place = (await stage.served_at("web")).partition("=")
    address, _, port = place.rpartition(":")
    assert (key, address) == ("8080", "127.0.0.1")
    await stage.until(address, int(port), "127.65.250.6")
    assert stage.problems == [
        f"service default/web: port 8080 is served at {place}: at 127.96.7.7 another program listens there"
    ]
    taken.close()


async def test_a_low_port_is_served_with_the_right_to_it_or_without(stage: Stage) -> None:
    """At its own place, or at the one that the annotation says; an ordinary user runs this one, too."""
    await stage.pod("127.65.250.7", 18080)
    await stage.endpoints("web", 18080, "127.65.250.7")
    web = await stage.service("web", ports=[{"port": 80}])

    async def answers() -> bool:
        service = await stage.client.get(core_v1.Service, "web")
        place = (service.metadata.annotations or {}).get(SERVED_AT, f"80={address_of(web)}:80").removeprefix("80=")
        address, _, number = place.rpartition(":")
        return await stage.asked(address, int(number)) == "127.65.250.7"

    await eventually(answers)
    assert all("port 80 is served at" in each for each in stage.problems)


async def test_what_is_not_tcp_is_said(stage: Stage) -> None:
    """In a sentence; the rest is served."""
    ports = [{"name": "dns", "port": 5353, "protocol": "UDP"}, {"name": "dns-tcp", "port": 5353}]
    await stage.service("dns", ports=ports)

    async def told() -> bool:
        return bool(stage.problems)

    await eventually(told)
    assert stage.problems == ["service default/dns: 5353/UDP is not served: only TCP is"]


async def test_a_node_port_answers_on_this_machine(stage: Stage) -> None:
    """At 127.0.0.1, whatever the Service's own address is; a headless one has none."""
    await stage.pod("127.65.250.8", 18080)
    web = await stage.service("web", type="NodePort", ports=[{"port": 8080}])
    await stage.service("bare", clusterIP="None", ports=[{"port": 8080}])
    await stage.endpoints("web", 18080, "127.65.250.8")
    [port] = web.spec.ports or []

    async def answers() -> bool:
        service = await stage.client.get(core_v1.Service, "web")
        elsewhere = (service.metadata.annotations or {}).get(SERVED_AT, "")  # another program may have its number
        number = int(elsewhere.rpartition(":")[2]) if elsewhere else port.node_port or 0
        return await stage.asked("127.0.0.1", number) == "127.65.250.8"

    await eventually(answers)


async def test_a_service_that_is_made_again_is_told_of_again(stage: Stage) -> None:
    """Its problem is forgotten with it."""
    await stage.pod("127.65.250.9", 18080)
    await stage.endpoints("dns", 18080, "127.65.250.9", port_name="tcp")
    for count in (1, 2):
        dns = await stage.service(
            "dns", ports=[{"name": "dns", "port": 5353, "protocol": "UDP"}, {"name": "tcp", "port": 5354}]
        )
        await stage.until(address_of(dns), 5354, "127.65.250.9")
        assert len(stage.problems) == count
        await stage.client.delete(dns)
        await stage.until(address_of(dns), 5354, "")  # the proxy has seen that it is gone


async def test_an_open_connection_ends_with_the_proxy_without_a_word() -> None:
    """Whoever is connected when the cluster is stopped is cut off, and nothing is logged of it."""
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))
    async with asyncio.timeout(60):
        async with staged() as stage:
            await stage.pod("127.65.250.11", 18080)
            web = await stage.service("web", ports=[{"port": 8080}])
            await stage.endpoints("web", 18080, "127.65.250.11")
            await stage.until(address_of(web), 8080, "127.65.250.11")
            reader, writer = await asyncio.open_connection(address_of(web), 8080)
            assert await reader.readline() == b"127.65.250.11\n"
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()
    assert faults == []
