"""`konverge up` as a whole: the stock kubectl, a Deployment of real processes, and a Service that answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import pytest

from konverge.testing import binaries

PATIENCE = 60.0
PAUSE = 0.05
OPENER = build_opener(ProxyHandler({}))  # whatever the environment says, loopback is reached directly

# Ends in order: what it has accepted is answered before it goes.
WEB = """
import http.server, os, signal, sys, threading

class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"{sys.argv[1]} {os.environ['POD_NAME']}\\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        print("answered", flush=True)

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

server = Server((sys.argv[2], 8080), Answer)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever(0.05)
server.server_close()
"""
# What `kubectl create deployment` cannot say.
PATCH = {
    "spec": {
        "template": {
            "spec": {
                "containers": [
                    {
                        "name": "web",
                        "readinessProbe": {"httpGet": {"port": 8080, "path": "/"}, "periodSeconds": 1},
                        "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
                    }
                ]
            }
        }
    }
}


class Shell:
    """A user with a home folder, who types commands."""

    def __init__(self, home: Path) -> None:
        self.data = home / "data"
        self.program = home / "web.py"
        self.program.write_text(WEB)
        command = [sys.executable, str(self.program)]
        images = {f"web:{each}": [*command, str(each), "{ip}"] for each in (1, 2)}
        (home / "images.yaml").write_text(json.dumps({"images": images}))
        self.images = home / "images.yaml"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KUBE", "XDG"))}
        self.env = {**kept, "HOME": str(home), "KUBECONFIG": str(self.data / "kubeconfig")}
        self.kubectl_program = str(binaries.find("kubectl")["kubectl"])

    def konverge(self, *args: str) -> str:
        """Run a command of ours, and return what it prints."""
        return self._run([sys.executable, "-m", "konverge.cli", *args, "--data", str(self.data)])

    def up(self) -> None:
        """Start it in the background."""
        self.konverge("up", "--images", str(self.images), "--detach")

    def kubectl(self, *args: str) -> str:
        """Run kubectl, and return what it prints."""
        return self._run([self.kubectl_program, *args])

    def _run(self, command: list[str]) -> str:
        result = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False, timeout=PATIENCE)
        log = self.data / "up.log"
        assert result.returncode == 0, f"{command}: {result.stderr}\n{log.read_text() if log.exists() else ''}"
        return result.stdout

    def processes(self) -> list[int]:
        """Return the processes of this machine that run the web server."""
        return [pid for pid in _pids() if str(self.program).encode() in _command_line(pid)]


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """A user with `konverge up` running, which is down again at the end, with all of its processes."""
    shell = Shell(tmp_path)
    shell.up()
    try:
        yield shell
    finally:
        shell.konverge("down")
    assert shell.processes() == []


def answer(url: str) -> tuple[str, str]:
    """Ask a web server; return its version and the name of its pod."""
    with OPENER.open(url, timeout=PATIENCE) as response:
        version, pod = response.read().decode().split()
    return version, pod


def until(met: Callable[[], bool]) -> None:
    """Wait for something that is on its way."""
    deadline = time.monotonic() + PATIENCE
    while not met():
        assert time.monotonic() < deadline
        time.sleep(PAUSE)


def answers(url: str) -> bool:
    """Whether anything answers."""
    try:
        answer(url)
    except (URLError, ConnectionError):
        return False
    return True


@contextmanager
def load(url: str) -> Iterator[Counter[str]]:
    """Ask without a pause as long as the block; count the versions that answered, and what failed."""
    seen: Counter[str] = Counter()
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            try:
                seen[answer(url)[0]] += 1
            except Exception as error:  # noqa: BLE001 - each kind of failure is counted
                seen[repr(error)] += 1

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield seen
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def deploy(shell: Shell) -> str:
    """Create, expose and scale a Deployment; return the address of its Service."""
    shell.kubectl("create", "deployment", "web", "--image=web:1", "--port=8080")
    shell.kubectl("patch", "deployment", "web", "-p", json.dumps(PATCH))
    shell.kubectl("expose", "deployment", "web", "--port=8080")
    shell.kubectl("scale", "deployment", "web", "--replicas=3")
    shell.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    return f"http://{shell.kubectl('get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}')}:8080/"


def test_a_deployment_from_its_creation_to_its_deletion(shell: Shell) -> None:
    """With the stock kubectl, and no request that fails while it is rolled out."""
    url = deploy(shell)
    until(lambda: answers(url))
    until(lambda: len({answer(url)[1] for _ in range(12)}) == 3)
    with load(url) as seen:
        for command in (("set", "image", "deployment/web", "web=web:2"), ("rollout", "undo", "deployment/web")):
            shell.kubectl(*command)
            shell.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    assert set(seen) == {"1", "2"}, seen
    until(lambda: len(shell.processes()) == 3)
    assert answer(url)[0] == "1"

    pod = answer(url)[1]
    assert shell.kubectl("exec", pod, "--", "printenv", "POD_NAME") == f"{pod}\n"
    assert "answered" in shell.kubectl("logs", pod, "--tail=1")
    with subprocess.Popen(
        [shell.kubectl_program, "port-forward", "service/web", ":8080"],
        env=shell.env,
        stdout=subprocess.PIPE,
        text=True,
    ) as forwarding:
        try:
            assert forwarding.stdout is not None
            local = forwarding.stdout.readline().split()[2]
            assert answer(f"http://{local}/")[0] == "1"
        finally:
            forwarding.terminate()

    shell.kubectl("delete", "service,deployment", "web", "--cascade=foreground", "--timeout=60s")
    until(lambda: not shell.processes())
    assert not answers(url)


def test_pods_end_with_it_and_are_started_again_the_next_time(shell: Shell) -> None:
    """The Service has the address that it had, and no pod is replaced by another."""
    url = deploy(shell)
    until(lambda: answers(url))
    pods = shell.kubectl("get", "pods", "-o", "name")
    shell.konverge("down")
    assert shell.processes() == []
    assert not answers(url)
    shell.up()
    until(lambda: answers(url))
    shell.kubectl("wait", "--for=condition=Ready", "pods", "-l", "app=web", "--timeout=60s")
    assert shell.kubectl("get", "pods", "-o", "name") == pods
    assert len(shell.processes()) == 3


def test_what_cannot_run_is_told_on_the_terminal(shell: Shell) -> None:
    """In a sentence with the pod and the remedy, once the pod's status says the same."""
    shell.kubectl("create", "deployment", "web", "--image=nginx:1")
    log = shell.data / "up.log"
    until(lambda: "default/web-" in log.read_text())
    line = next(each for each in log.read_text().splitlines() if "default/web-" in each)
    assert line.startswith("problem: ")
    assert "nginx:1" in line
    assert str(shell.images) in line
