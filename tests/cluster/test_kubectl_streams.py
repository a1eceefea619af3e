"""The stock kubectl on pods that are real processes: logs, exec, attach, cp and port-forward, in both protocols.

And the official Python client, whose port-forward is a protocol of its own.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import sys
import termios
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from konverge import Client
from konverge.cluster import controllers, scheduler
from konverge.cluster.embedded import EmbeddedCluster
from konverge.cluster.node.process import Catalogue, ProcessNode
from konverge.manager import Manager
from konverge.models import core_v1
from konverge.testing import binaries, eventually

PATIENCE = 60.0
PROTOCOLS = ("true", "false")  # websockets, or SPDY as older clients have it
CONTROLLERS = ("serviceaccount-controller", "root-ca-certificate-publisher-controller")
SERVE = (
    "import http.server, os, sys; os.chdir(sys.argv[2]); "
    "http.server.test(http.server.SimpleHTTPRequestHandler, port=8080, bind=sys.argv[1])"
)
IMAGES = Catalogue({"sh": [], "web": ["python3", "-c", SERVE, "{ip}"]})
PYTHON_CLIENT = """
import sys
from kubernetes import client, config
from kubernetes.stream import portforward, stream

config.load_kube_config(sys.argv[1])
api = client.CoreV1Api()
asked = {"command": ["sh", "-c", "echo a; echo b >&2; exit 3"], "container": "web", "stdout": True, "stderr": True}
running = stream(api.connect_get_namespaced_pod_exec, "box", "default", _preload_content=False, **asked)
running.run_forever(timeout=30)
print(running.read_stdout().strip(), running.read_stderr().strip(), running.returncode)
forwarded = portforward(api.connect_get_namespaced_pod_portforward, "box", "default", ports="8080,81")
web = forwarded.socket(8080)
web.setblocking(True)
web.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
print(web.recv(15).decode())
nobody = forwarded.socket(81)
nobody.setblocking(True)
while not forwarded.error(81):
    pass
print(forwarded.error(81).rpartition(": ")[2])
"""
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "box"},
    "spec": {
        "terminationGracePeriodSeconds": 0,
        "volumes": [{"name": "data", "emptyDir": {}}],
        "containers": [
            {
                "name": "talker",
                "image": "sh",
                "command": ["sh", "-c", "echo one; echo two; echo three; while read word; do echo got $word; done"],
                "stdin": True,
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            },
            {
                "name": "web",
                "image": "web",
                "args": ["/data"],
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                "readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 1},
            },
        ],
    },
}


@dataclass(frozen=True)
class Said:
    """How a program ended, and what it said."""

    code: int
    out: str
    err: str


async def ended(process: asyncio.subprocess.Process, input_: bytes = b"") -> Said:
    """Wait for a program's end; one that does not come to it is killed."""
    try:
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate(input_ or None)
    except TimeoutError:
        process.kill()
        raise
    return Said(process.returncode or 0, out.decode(), err.decode())


class Kubectl:
    """The stock kubectl, run beside the server in the same loop."""

    def __init__(self, kubeconfig: Path, home: Path, client: Client) -> None:
        self._program = str(binaries.find("kubectl")["kubectl"])
        self._options = (f"--kubeconfig={kubeconfig}", f"--cache-dir={home}")
        self.kubeconfig = kubeconfig
        self.client = client

    def environment(self, websockets: str) -> Mapping[str, str]:
        """Return what makes it speak one protocol or the other."""
        asked = {"KUBECTL_REMOTE_COMMAND_WEBSOCKETS": websockets, "KUBECTL_PORT_FORWARD_WEBSOCKETS": websockets}
        return {**os.environ, **asked}

    async def start(self, *args: str, websockets: str = "true", **streams: Any) -> asyncio.subprocess.Process:
        """Start it."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
        return await asyncio.create_subprocess_exec(
            self._program, *self._options, *args, env=self.environment(websockets), **{**pipes, **streams}
        )

    async def run(self, *args: str, input_: bytes = b"", websockets: str = "true") -> Said:
        """Run it to its end."""
        return await ended(await self.start(*args, websockets=websockets), input_)


@pytest.fixture
async def kubectl(tmp_path: Path) -> AsyncIterator[Kubectl]:
    """A kubectl of a cluster in which the pod is ready."""
    node = ProcessNode(IMAGES, folder=tmp_path / "node", server=lambda: cluster.url)

    def add(manager: Manager) -> None:
        controllers.add_to(manager, CONTROLLERS)
        scheduler.add_to(manager)
        node.add_to(manager)

    cluster = EmbeddedCluster(controllers=add, listen=True, loopback_endpoints=True, runtime=node.runtime)
    async with cluster:
        client = Client(cluster.transport()).in_namespace("default")
        await _create(client)
        yield Kubectl(cluster.kubeconfig, tmp_path / "cache", client)


async def _create(client: Client) -> None:
    async def has_account() -> bool:
        return any(each.metadata.name == "default" for each in await client.list(core_v1.ServiceAccount))

    async def is_ready() -> bool:
        pod = await client.get(core_v1.Pod, "box")
        return any(each.type == "Ready" and each.status == "True" for each in pod.status.conditions or ())

    await eventually(has_account)
    await client.create(core_v1.Pod.from_dict(POD))
    await eventually(is_ready, within=30.0)


async def test_logs(kubectl: Kubectl) -> None:
    """All of them, their end, with times; one that is followed goes on until the container ends."""
    assert (await kubectl.run("logs", "box", "-c", "talker")).out == "one\ntwo\nthree\n"
    assert (await kubectl.run("logs", "box", "-c", "talker", "--tail=1")).out == "three\n"
    [line] = (await kubectl.run("logs", "box", "-c", "talker", "--tail=1", "--timestamps")).out.splitlines()
    assert line.split(" ")[1] == "three"
    assert (await kubectl.run("logs", "box", "-c", "talker", "--limit-bytes=3")).out == "one"
    assert (await kubectl.run("logs", "box", "-c", "talker", "--since=1h", "--tail=2")).out == "two\nthree\n"
    previous = await kubectl.run("logs", "box", "-c", "talker", "--previous")
    assert 'previous terminated container "talker" in pod "box" not found' in previous.err
    following = await kubectl.start("logs", "-f", "box", "-c", "talker")
    assert following.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert await following.stdout.readline() == b"one\n"
        await kubectl.client.delete(core_v1.Pod, "box", grace_seconds=0)
        assert (await following.communicate())[0] == b"two\nthree\n"


async def test_exec(kubectl: Kubectl) -> None:
    """Output, errors and the exit code; input goes there and back whole; a program that is not there is told."""
    for websockets in PROTOCOLS:
        script = ("--", "sh", "-c", "echo a; echo b >&2; exit 7")
        said = await kubectl.run("exec", "box", "-c", "web", *script, websockets=websockets)
        assert (said.code, said.out) == (7, "a\n")
        assert said.err.splitlines() == ["b", "command terminated with exit code 7"]
        sent = "".join(f"{number}\n" for number in range(50_000))
        cat = ("exec", "-i", "box", "-c", "web", "--", "cat")
        assert (await kubectl.run(*cat, input_=sent.encode(), websockets=websockets)).out == sent
        said = await kubectl.run("exec", "box", "-c", "web", "--", "no-such-program", websockets=websockets)
        assert said.code == 1
        assert 'exec: "no-such-program"' in said.err


async def test_a_terminal_and_attach(kubectl: Kubectl) -> None:
    """A program has a terminal of the size of the client's; what is typed can reach the container itself."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
    ends: dict[str, Any] = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    script = 'until [ "$(stty size)" = "33 111" ]; do sleep 0.05; done; test -t 0 && echo a terminal'
    process = await kubectl.start("exec", "-it", "box", "-c", "web", "--", "sh", "-c", script, **ends)
    os.close(theirs)
    async with asyncio.timeout(PATIENCE):
        said = await asyncio.to_thread(_read_all, ours)
        assert await process.wait() == 0
    assert b"a terminal\r\n" in said
    await _attach(kubectl)


def _read_all(terminal: int) -> bytes:
    found = b""
    try:
        while piece := os.read(terminal, 4096):
            found += piece
    except OSError:
        pass  # how the other end of a terminal closes
    finally:
        os.close(terminal)
    return found


async def _attach(kubectl: Kubectl) -> None:
    process = await kubectl.start("attach", "-i", "box", "-c", "talker")
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        process.stdin.write(b"hello\n")
        assert await process.stdout.readline() == b"got hello\n"
        process.terminate()
        await process.communicate()
    assert "got hello" in (await kubectl.run("logs", "box", "-c", "talker")).out


async def test_cp(kubectl: Kubectl, tmp_path: Path) -> None:
    """A file into a volume by its path in the container, and back."""
    (tmp_path / "sent").write_text("some text")
    assert (await kubectl.run("cp", str(tmp_path / "sent"), "box:/data/kept", "-c", "web")).code == 0
    assert (await kubectl.run("exec", "box", "-c", "web", "--", "cat", "/data/kept")).out == "some text"
    back = await kubectl.run("cp", "box:/data/kept", str(tmp_path / "back"), "-c", "web")
    assert back.code == 0
    assert (tmp_path / "back").read_text() == "some text"


async def test_ports(kubectl: Kubectl) -> None:
    """Several connections at a time over one; and a page by way of the API."""
    for websockets in PROTOCOLS:
        answers = await _forwarded(kubectl, websockets)
        assert all(each.startswith(b"HTTP/1.0 200 OK") and each.endswith(b"</html>\n") for each in answers)
    said = await kubectl.run("get", "--raw", "/api/v1/namespaces/default/pods/box:8080/proxy/")
    assert "Directory listing" in said.out


async def _forwarded(kubectl: Kubectl, websockets: str) -> list[bytes]:
    process = await kubectl.start("port-forward", "box", ":8080", "--address=127.0.0.1", websockets=websockets)
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        line = (await process.stdout.readline()).decode()
        port = int(line.split(" -> ")[0].rpartition(":")[2])
        answers = await asyncio.gather(*(_get(port) for _ in range(8)))
        process.terminate()
        await process.communicate()
    return answers


async def _get(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.0\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return answer


async def test_the_official_python_client(kubectl: Kubectl) -> None:
    """A command with its exit code; a page over a forwarded port, beside one where nobody listens."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PYTHON_CLIENT,
        str(kubectl.kubeconfig),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert (await ended(process)).out.splitlines() == ["a b 3", "HTTP/1.0 200 OK", "connection refused"]
