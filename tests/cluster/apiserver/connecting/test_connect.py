from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from konverge.cluster.apiserver.connecting import Command, Forward, Logs, Proxied
from konverge.cluster.apiserver.exchange import Answer, Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

PODS = "/api/v1/namespaces/default/pods"
UPGRADE = {"connection": "keep-alive, Upgrade", "upgrade": "websocket"}
RUNNING = {"name": "a", "state": {"running": {}}, "ready": True, "image": "x", "imageID": "x", "restartCount": 0}


class Connector:
    """Keeps what was wanted."""

    def __init__(self) -> None:
        self.wanted: list[Any] = []

    async def connect(self, wanted: Any, request: Request) -> Answer:
        """Answer."""
        del request
        self.wanted.append(wanted)
        return Response(status=200, body=b"connected", content_type="text/plain")


class Served:
    """A server with a node, and a pod on it."""

    def __init__(self) -> None:
        self.connector = Connector()
        self.server = ApiServer(Storage.in_memory(), connector=self.connector)

    async def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Response:
        """Ask as the administrator."""
        headers = {"content-type": "application/json", **more.get("headers", {})}
        request = Request(
            method=method,
            path=path,
            query=tuple(more.get("query", ())),
            headers=headers,
            body=b"" if body is None else json.dumps(body).encode(),
            peer=Peer(is_trusted=True),
        )
        answer = await self.server.handle(request)
        assert isinstance(answer, Response)
        return answer

    async def connect(self, part: str, *query: tuple[str, str], name: str = "a", **headers: str) -> tuple[int, str]:
        """Return the status, and the text or the message, of an answer."""
        answer = await self.ask("GET", f"{PODS}/{name}/{part}", query=query, headers=headers)
        if answer.content_type != "application/json":
            return answer.status, answer.body.decode()
        return answer.status, json.loads(answer.body)["message"]

    async def report(self, **status: Any) -> None:
        """Say as a node how the pod is."""
        pod = json.loads((await self.ask("GET", f"{PODS}/a")).body)
        pod["status"] = {"phase": "Running", "podIP": "10.0.0.7", **status}
        assert (await self.ask("PUT", f"{PODS}/a/status", pod)).status == 200


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """A server with a pod on a node."""
    made = Served()
    await made.server.start()
    await made.ask("POST", "/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "default"}})
    await made.ask("POST", "/api/v1/nodes", {"metadata": {"name": "n"}})
    status = {"metadata": {"name": "n"}, "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.1"}]}}
    await made.ask("PUT", "/api/v1/nodes/n/status", status)
    ports = [{"containerPort": 8080}]
    spec = {"nodeName": "n", "containers": [{"name": "a", "image": "x", "ports": ports}]}
    answer = await made.ask("POST", PODS, {"metadata": {"name": "a"}, "spec": spec})
    assert answer.status == 201, answer.body
    yield made
    await made.server.close()


async def test_a_log_of_a_container_that_runs(served: Served) -> None:
    """With its options."""
    await served.report(containerStatuses=[RUNNING])
    assert await served.connect("log", ("follow", "true"), ("tailLines", "5")) == (200, "connected")
    [wanted] = served.connector.wanted
    assert isinstance(wanted, Logs)
    assert (wanted.pod.name, wanted.container, wanted.follow, wanted.tail) == ("a", "a", True, 5)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({}, "is waiting to start - no logs yet"),
        ({"waiting": {"reason": "ContainerCreating"}}, "is waiting to start: ContainerCreating"),
        ({"waiting": {"reason": "ErrImagePull"}}, "is waiting to start: image can't be pulled"),
        ({"waiting": {"reason": "ImagePullBackOff"}}, "is waiting to start: trying and failing to pull image"),
        ({"terminated": {"exitCode": 1}}, "is terminated"),
    ],
)
async def test_containers_without_a_log(served: Served, state: dict[str, Any], why: str) -> None:
    """In a kubelet's words."""
    await served.report(containerStatuses=[{**RUNNING, "ready": False, "state": state}])
    assert await served.connect("log") == (400, f'container "a" in pod "a" {why}')


async def test_the_log_of_the_run_before(served: Served) -> None:
    """Is there if there was one; a container of which nothing is known has none at all."""
    assert await served.connect("log") == (400, 'container "a" in pod "a" is not available')
    await served.report(containerStatuses=[RUNNING])
    why = 'previous terminated container "a" in pod "a" not found'
    assert await served.connect("log", ("previous", "true")) == (400, why)
    before = {"terminated": {"exitCode": 1, "containerID": "konverge://1"}}
    await served.report(containerStatuses=[{**RUNNING, "lastState": before}])
    assert await served.connect("log", ("previous", "true")) == (200, "connected")


async def test_a_command(served: Served) -> None:
    """In a container that runs, with one stream at least; else a kubelet's text."""
    out = ("stdout", "1")
    assert await served.connect("exec", out, **UPGRADE) == (500, 'container not found ("a")\n')
    await served.report(containerStatuses=[RUNNING])
    why = "you must specify at least 1 of stdin, stdout, stderr\n"
    assert await served.connect("exec", ("command", "ls"), **UPGRADE) == (400, why)
    asked = (("command", "ls"), ("command", "-l"), out, ("stderr", "1"), ("tty", "true"))
    assert await served.connect("exec", *asked, **UPGRADE) == (200, "connected")
    assert await served.connect("attach", out, **UPGRADE) == (200, "connected")
    execute, attach = served.connector.wanted
    assert isinstance(execute, Command)
    assert (execute.command, execute.stdout, execute.stderr, execute.tty) == (("ls", "-l"), True, False, True)
    assert isinstance(attach, Command)
    assert attach.command is None


async def test_ports_of_a_pod_that_runs(served: Served) -> None:
    """Or a kubelet's text."""
    why = "unable to do port forwarding: pod is not running\n"
    assert await served.connect("portforward", **UPGRADE) == (500, why)
    await served.report(containerStatuses=[RUNNING])
    assert await served.connect("portforward", **UPGRADE) == (200, "connected")
    assert isinstance(served.connector.wanted[0], Forward)


async def test_where_a_proxy_leads(served: Served) -> None:
    """To the pod's first port or the one that is named, with the rest of the path and the query."""
    await served.report(containerStatuses=[RUNNING])
    await served.connect("proxy")
    await served.connect("proxy/x y/z/", ("q", "1&2"), name="https:a:9090")
    assert served.connector.wanted == [
        Proxied(scheme="http", host="10.0.0.7", port=8080, path="/"),
        Proxied(scheme="https", host="10.0.0.7", port=9090, path="/x%20y/z/?q=1%262"),
    ]


async def test_where_the_proxy_of_a_node_leads(served: Served) -> None:
    """To its kubelet, or to the port that is named."""
    for name in ("n", "n:9100", "https:n:9100"):
        await served.ask("GET", f"/api/v1/nodes/{name}/proxy/metrics")
    assert served.connector.wanted == [
        Proxied(scheme="https", host="10.0.0.1", port=10250, path="/metrics"),
        Proxied(scheme="http", host="10.0.0.1", port=9100, path="/metrics"),
        Proxied(scheme="https", host="10.0.0.1", port=9100, path="/metrics"),
    ]


async def test_a_server_without_a_way_to_nodes_says_so() -> None:
    """A 500, in words; nothing hangs."""
    served = Served()
    served.server = ApiServer(Storage.in_memory())
    await served.server.start()
    endpoints = {
        "metadata": {"name": "a"},
        "subsets": [
            {"addresses": [{"ip": "10.0.0.7", "targetRef": {"kind": "Pod", "name": "a"}}], "ports": [{"port": 80}]}
        ],
    }
    await served.ask("POST", "/api/v1/namespaces/default/endpoints", endpoints)
    answer = await served.ask("GET", "/api/v1/namespaces/default/services/a/proxy/")
    assert answer.status == 500
    assert "no way to what runs at 10.0.0.7" in answer.body.decode()
    await served.server.close()
