"""Managers as processes of their own, on a real API server: signals, crashes, stops and blocked loops.

Programs say on standard output what they do, a line each; tests wait for lines, and for the end of a process.
"""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from konverge.errors import Conflict
from konverge.testing import Cluster

PATIENCE = 60.0
LEASE = 8  # seconds: long enough for a busy machine to renew in time, short enough to wait for
RENEW = 6

PROGRAM = """
import asyncio, sys, threading, time
from konverge import Config, log
from konverge.errors import KonvergeError
from konverge.manager import LeaderElection, Manager, NotLeader
from konverge.models.core_v1 import ConfigMap

kubeconfig, namespace, name, mode, lease, renew = sys.argv[1:]
log.setup("info", style="json")
manager = Manager(
    Config.load(kubeconfig),
    metrics_address=None,
    health_address="127.0.0.1:0",
    leader_election=LeaderElection(
        id="lease",
        namespace=namespace,
        identity=name,
        lease_duration=int(lease),
        renew_deadline=float(renew),
        retry_period=0.25,
    ),
    blocked_after=0.5,
    unhealthy_after=1.0,
)

def say(text):
    print(text, flush=True)

async def write(number):
    made = ConfigMap()
    made.metadata.name, made.metadata.namespace = f"{name}-{number}", namespace
    await manager.client.create(made)

class Worker:
    name = "worker"

    def __init__(self):
        self.asked = asyncio.Event()

    async def run(self):
        say(f"health {manager.ports['health']}")
        say("leads")
        await getattr(self, mode)()

    async def write(self):
        number = 0
        try:
            while True:
                number += 1
                await write(number)
                await asyncio.sleep(0.05)
        finally:
            try:
                await write("late")
            except NotLeader as error:
                say(f"refused {error}")

    async def graceful(self):
        await self.asked.wait()
        await write("in-flight")
        say("work in flight ended")

    async def endless(self):
        await self.asked.wait()
        say("stopping for ever")
        await asyncio.get_running_loop().create_future()

    async def blocking(self):
        await asyncio.sleep(0)
        say("blocks")
        sys.stdin.readline()
        say("turns again")
        await self.asked.wait()

    async def failing(self):
        raise ValueError("broken")

    def stop(self):
        self.asked.set()

if mode == "write":
    del Worker.stop
manager.add(Worker())
manager.run()
say("returned")
"""


class Program:
    """One process; its lines can be waited for."""

    def __init__(self, *args: str) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", PROGRAM, *args]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.errors: list[str] = []
        self._logged = threading.Condition()
        self._readers = [threading.Thread(target=self._read_output), threading.Thread(target=self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._logged:
                self.errors.append(line)
                self._logged.notify_all()

    def wait_for(self, start: str) -> str:
        """Wait for a line that starts so, and return it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            assert line is not None, f"ended without {start!r}: {''.join(self.errors)}"
            if line.startswith(start):
                return line

    def wait_for_log(self, *texts: str) -> str:
        """Wait for a line of the log that holds all of some texts, and return it."""
        with self._logged:
            found = self._logged.wait_for(lambda: self.log(*texts), PATIENCE)
        assert found, f"no {texts} in: {''.join(self.errors)}"
        return found[0]

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def wait(self) -> int:
        """Wait for the end, and return the exit code."""
        code = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        return code

    def close(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.send_signal(signal.SIGCONT)
        self.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def log(self, *texts: str) -> list[str]:
        """The lines of the log that hold all of some texts."""
        return [line for line in self.errors if all(text in line for text in texts)]


class Replicas:
    """Starts programs in one namespace, and looks at what they do there."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self._cluster = cluster
        self.namespace = namespace
        self.programs: list[Program] = []

    def start(self, name: str, mode: str) -> Program:
        """Start a replica."""
        program = Program(str(self._cluster.kubeconfig), self.namespace, name, mode, str(LEASE), str(RENEW))
        self.programs.append(program)
        return program

    @property
    def _lease_path(self) -> str:
        return f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases/lease"

    def lease(self) -> dict[str, Any]:
        """The spec of the lease."""
        spec: dict[str, Any] = self._cluster.call("GET", self._lease_path)["spec"]
        return spec

    def steal(self) -> None:
        """Write another holder over the lease, again if a renewal was faster."""
        while True:
            lease = self._cluster.call("GET", self._lease_path)
            lease["spec"] |= {"holderIdentity": "thief", "renewTime": "2026-01-01T00:00:00.000000Z"}
            try:
                self._cluster.call("PUT", self._lease_path, lease)
            except Conflict:
                continue
            return

    def config_maps(self) -> list[str]:
        """The names of the ConfigMaps that replicas wrote."""
        items = self._cluster.call("GET", f"/api/v1/namespaces/{self.namespace}/configmaps")["items"]
        return [item["metadata"]["name"] for item in items]


@pytest.fixture
def replicas(cluster: Cluster, namespace: str) -> Iterator[Replicas]:
    """Replicas in a namespace of their own; none outlives the test."""
    made = Replicas(cluster, namespace)
    yield made
    for program in made.programs:
        program.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_gracefully(replicas: Replicas, number: signal.Signals) -> None:
    """Work in flight ends and may write, the lease is given back, and the process exits with 0."""
    program = replicas.start("a", "graceful")
    program.wait_for("leads")
    program.send(number)
    program.wait_for("work in flight ended")
    program.wait_for("returned")
    assert program.wait() == 0
    assert replicas.config_maps() == ["a-in-flight"]
    assert not replicas.lease().get("holderIdentity")


def test_a_second_signal_exits_at_once(replicas: Replicas) -> None:
    """Who asks twice does not want to wait; the lease is not given back, since work may be going on."""
    program = replicas.start("a", "endless")
    program.wait_for("leads")
    program.send(signal.SIGTERM)
    program.wait_for("stopping for ever")
    program.send(signal.SIGTERM)
    assert program.wait() == 1
    assert replicas.lease()["holderIdentity"] == "a"


def test_a_runnable_that_fails_ends_the_process_with_an_error(replicas: Replicas) -> None:
    """The error is logged, the exit code is not 0, and the lease is given back."""
    program = replicas.start("a", "failing")
    assert program.wait() == 1
    assert program.log("ValueError: broken")
    assert not replicas.lease().get("holderIdentity")


def test_after_sigkill_the_next_one_takes_over_within_the_lease_time(replicas: Replicas) -> None:
    """A leader that is killed gives nothing back; the other replica leads after the lease duration and one try."""
    first = replicas.start("a", "write")
    first.wait_for("leads")
    second = replicas.start("b", "write")
    # Wait until it follows, so that the start of the process is not measured.
    second.wait_for_log("another replica leads")
    first.send(signal.SIGKILL)
    killed = time.monotonic()
    second.wait_for("leads")
    took = time.monotonic() - killed
    assert took >= LEASE - RENEW  # its last renewal may have been up to a renew deadline ago
    assert took <= LEASE + 10  # a try is half a second; the rest is for a busy machine
    assert replicas.lease()["holderIdentity"] == "b"
    assert replicas.lease()["leaseTransitions"] == 1


def test_a_leader_that_was_stopped_and_woken_writes_no_more(replicas: Replicas) -> None:
    """SIGSTOP, another leader, SIGCONT: the old leader's writes are refused, and it exits with 1."""
    first = replicas.start("a", "write")
    first.wait_for("leads")
    second = replicas.start("b", "graceful")
    first.send(signal.SIGSTOP)
    second.wait_for("leads")
    before = replicas.config_maps()
    first.send(signal.SIGCONT)
    refused = first.wait_for("refused")
    assert 'create configmaps "' in refused
    assert "another replica may lead now" in refused
    assert first.wait() == 1
    assert first.log("the leadership is lost")
    # At most the one write that was between the fence and the network when the process was stopped.
    assert len(set(replicas.config_maps()) - set(before)) <= 1
    assert "a-late" not in replicas.config_maps()
    assert replicas.lease()["holderIdentity"] == "b"


def test_a_blocked_loop_costs_neither_the_lease_nor_the_probes(replicas: Replicas) -> None:
    """While a call blocks the loop: renewals go on, probes answer, the log and a dump name the line, liveness fails."""
    program = replicas.start("a", "blocking")
    port = int(program.wait_for("health").split()[1])
    program.wait_for("blocks")
    blocked = time.monotonic()
    renewals = set[str]()
    while time.monotonic() - blocked < LEASE + 1:
        renewals.add(replicas.lease()["renewTime"])
    assert len(renewals) > 3
    line = program.wait_for_log("a call blocks the event loop", "in blocking")
    assert '"reconciling":"worker"' in line
    assert probe(port, "/readyz") == (200, "ok")
    assert probe(port, "/healthz") == (500, "[-]event-loop failed: reason withheld\nhealthz check failed\n")
    program.send(signal.SIGUSR1)
    program.wait_for_log("konverge manager, process")
    assert program.process.stdin is not None
    program.process.stdin.write("\n")
    program.process.stdin.flush()
    program.wait_for("turns again")
    program.wait_for_log("the event loop turns again")
    assert probe(port, "/healthz") == (200, "ok")
    program.send(signal.SIGTERM)
    assert program.wait() == 0
    assert len(program.log("a call blocks the event loop", "in blocking")) == 1
    assert program.log("MainThread")
    assert program.log("informers")


def probe(port: int, path: str) -> tuple[int, str]:
    """Return the status and the text of a probe."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_a_lease_lost_while_the_loop_is_blocked_ends_the_process(replicas: Replicas) -> None:
    """A loop that cannot be told to stop is not waited for."""
    program = replicas.start("a", "blocking")
    program.wait_for("blocks")
    replicas.steal()
    assert program.wait() == 1
    assert program.log("the event loop is blocked")
    assert replicas.lease()["holderIdentity"] == "thief"
