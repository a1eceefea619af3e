"""Measures the embedded API server beside kube-apiserver with etcd, in one run, and prints the ratios.

    python bench/apiserver/run.py [--repeats 3] [--count 10000]

Ready: from the start of the processes to the first 200 of /readyz. Creates: custom resources of 1.6 KB by 64 writers
over TLS. Memory: what the processes hold then (RSS). Watch: from the sending of a create to its event at each of 100
watchers. The load comes from one Go program (`load`), which speaks HTTP/2 to the server that has it. The embedded
server writes each create to the disk before it answers; etcd is told not to, which helps the real one.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from konverge import BlockingClient, Config, Unstructured, unstructured
from konverge.errors import NotFound
from konverge.testing import RealCluster

HERE = Path(__file__).parent
BUILD = HERE / "build"
sys.path.insert(0, str(HERE.parent / "runtime"))
from sample import gadget  # noqa: E402 - the same objects as the runtime's benchmark

GOALS = {  # of the embedded server's figure to the real one's
    "ready_s": ("at most", 0.15),
    "creates_per_s": ("at least", 2.0),
    "memory_mb": ("at most", 0.15),
    "watch_p99_ms": ("at most", 1.0),
}


@dataclass(frozen=True, slots=True)
class Running:
    """A server that is ready."""

    kubeconfig: Path
    ready_s: float
    memory: Callable[[], float]  # MB


@contextmanager
def real() -> Iterator[Running]:
    """Run kube-apiserver with etcd."""
    started = time.monotonic()
    with RealCluster() as cluster:
        ready = time.monotonic() - started
        yield Running(cluster.kubeconfig, ready, lambda: sum(map(_rss_mb, cluster.processes.values())))


@contextmanager
def embedded() -> Iterator[Running]:
    """Run `konverge apiserver` on a folder; its modules are compiled once, as on a user's machine."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env = {**kept, "PYTHONPYCACHEPREFIX": str(BUILD / "pycache")}
    with TemporaryDirectory() as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        program = Path(sys.executable).with_name("konverge")
        command = [program, "apiserver", "--data", f"{folder}/data", "--kubeconfig", kubeconfig]
        started = time.monotonic()
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
            try:
                _first_line(process)
                yield Running(kubeconfig, time.monotonic() - started, lambda: _rss_mb(process.pid))
            finally:
                process.terminate()
                process.wait()


def _first_line(process: subprocess.Popen[str]) -> None:
    """Wait for what the server prints when it listens and is ready."""
    if process.stdout is None or not process.stdout.readline():
        raise SystemExit("konverge apiserver did not start")


def _rss_mb(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


# --- one run ---


def measure(running: Running, count: int) -> dict[str, float]:
    """Put a server under load and return its figures."""
    with TemporaryDirectory() as folder:
        server = _prepare(running.kubeconfig, Path(folder))
        created = _load("create", server, folder, count, 64)
        memory = running.memory()
        watched = _load("watch", server, folder, 200, 100)
    return {
        "ready_s": running.ready_s,
        "creates_per_s": created["per_second"],
        "create_p99_ms": created["p99_ms"],
        "memory_mb": memory,
        "watch_p50_ms": watched["p50_ms"],
        "watch_p99_ms": watched["p99_ms"],
    }


def _prepare(kubeconfig: Path, folder: Path) -> str:
    """Write what the load needs, define the kind, and return the server's address."""
    config = yaml.safe_load(kubeconfig.read_text())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    for name, data in (
        ("ca.crt", cluster["certificate-authority-data"]),
        ("client.crt", user["client-certificate-data"]),
        ("client.key", user["client-key-data"]),
    ):
        (folder / name).write_bytes(base64.b64decode(data))
    body = json.dumps(gadget(0)).replace("gadget-0", "gadget-%d")
    (folder / "body.json").write_text(body)
    _define(kubeconfig)
    server: str = cluster["server"]
    return server


def _define(kubeconfig: Path) -> None:
    """Create the CRD and wait until its kind is served."""
    crd = yaml.safe_load((HERE.parent / "runtime" / "crd.yaml").read_text())
    with BlockingClient.connect(Config.load(kubeconfig)) as client:
        client.create(Unstructured.from_dict(crd))
        while True:
            try:
                client.list(unstructured("bench.konverge.dev/v1", "Gadget"))
            except NotFound:
                time.sleep(0.05)
            else:
                return


def _load(mode: str, server: str, folder: str, count: int, width: int) -> dict[str, float]:
    command = [BUILD / "load", mode, server, folder, str(count), str(width)]
    figures: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return figures


# --- all runs ---


def main() -> int:
    """Measure both, interleaved, print the medians, and tell whether all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()
    subprocess.run(["go", "build", "-o", str(BUILD / "load"), "."], cwd=HERE / "load", check=True)
    runs: dict[str, list[dict[str, float]]] = {"embedded": [], "real": []}
    for _ in range(options.repeats):
        for name, start in (("embedded", embedded), ("real", real)):
            with start() as running:
                runs[name].append(measure(running, options.count))
            print(f"  {name}: {_shown(runs[name][-1])}", flush=True)
    return _judge({name: _medians(found) for name, found in runs.items()})


def _medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def _shown(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in figures.items())


def _judge(figures: dict[str, dict[str, float]]) -> int:
    ours, theirs = figures["embedded"], figures["real"]
    print("\n| | embedded | kube-apiserver + etcd | ratio | goal |\n|---|--:|--:|--:|---|")
    met = True
    for name, value in ours.items():
        ratio = value / theirs[name]
        words, limit = GOALS.get(name, ("", 0.0))
        fine = not words or (ratio <= limit if words == "at most" else ratio >= limit)
        met &= fine
        goal = f"{words} {limit:g}: {'met' if fine else 'MISSED'}" if words else ""
        print(f"| {name} | {value:.2f} | {theirs[name]:.2f} | {ratio:.2f} | {goal} |")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
