"""Measures how soon a cluster is of use: `konverge up` beside kube-apiserver, etcd and kube-controller-manager.

    python bench/up/run.py [--repeats 5]

Ready: from the start of the processes until they say so (`konverge up`: API server, controllers and node; the real one:
/readyz of the API server). First pod: until a Deployment that is created then has its first pod object, which is as far
as both can go, since the real one has no node here. `konverge up` writes all of it to the disk; etcd is told not to.
CPU: what the processes have used by then, of all cores; it depends the least on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from konverge import BlockingClient, Config, ObjectMeta
from konverge.api.meta import LabelSelector
from konverge.models import apps_v1, core_v1
from konverge.testing import RealCluster

HERE = Path(__file__).parent
GOALS = {"ready_s": 0.5, "first_pod_s": 0.5, "cpu_s": 0.5}  # at most so much of the real one's
LOOK_EVERY = 0.01  # seconds


Running = tuple[Path, list[int]]  # a kubeconfig, and the processes behind it


@contextmanager
def real() -> Iterator[Running]:
    """Run the real programs."""
    with RealCluster(controllers=True) as cluster:
        yield cluster.kubeconfig, list(cluster.processes.values())


@contextmanager
def embedded() -> Iterator[Running]:
    """Run `konverge up` on a new folder; its modules are compiled once, as on a user's machine."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env = {**kept, "PYTHONPYCACHEPREFIX": str(HERE / "build" / "pycache")}
    with TemporaryDirectory() as folder:
        command: list[str | Path] = [
            Path(sys.executable).with_name("konverge"),
            "up",
            "--data",
            folder,
            "--node",
            "simulate",
        ]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
            try:
                if process.stdout is None or not process.stdout.readline():
                    raise SystemExit("konverge up did not start")
                yield Path(folder) / "kubeconfig", [process.pid]
            finally:
                process.terminate()
                process.wait()


def measure(name: str) -> dict[str, float]:
    """Start one, use it, and return its times."""
    started = time.monotonic()
    with CLUSTERS[name]() as (kubeconfig, pids):
        ready = time.monotonic() - started
        with BlockingClient.connect(Config.load(kubeconfig)) as client:
            client.create(_deployment())
            while not client.list(core_v1.Pod, namespace="default"):
                time.sleep(LOOK_EVERY)
        return {"ready_s": ready, "first_pod_s": time.monotonic() - started, "cpu_s": sum(map(_cpu_s, pids))}


def _cpu_s(pid: int) -> float:
    """Return what a process has used, with its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def _deployment() -> apps_v1.Deployment:
    labels = {"app": "web"}
    template = core_v1.PodTemplateSpec(
        metadata=ObjectMeta(labels=labels),
        spec=core_v1.PodSpec(containers=[core_v1.Container(name="web", image="web:1")]),
    )
    spec = apps_v1.DeploymentSpec(replicas=1, selector=LabelSelector(match_labels=labels), template=template)
    return apps_v1.Deployment(metadata=ObjectMeta(name="web", namespace="default"), spec=spec)


CLUSTERS = {"konverge up": embedded, "real": real}


def main() -> int:
    """Measure both, interleaved, print the medians, and tell whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    measure("konverge up")  # compiles
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in CLUSTERS}
    for _ in range(options.repeats):
        for name, found in runs.items():
            found.append(measure(name))
    return _judge({name: _medians(found) for name, found in runs.items()})


def _medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def _judge(figures: dict[str, dict[str, float]]) -> int:
    ours, theirs = figures.values()
    print("| | konverge up | real | ratio | goal |\n|---|--:|--:|--:|---|")
    met = True
    for name, limit in GOALS.items():
        ratio = ours[name] / theirs[name]
        met &= ratio <= limit
        print(f"| {name} | {ours[name]:.2f} | {theirs[name]:.2f} | {ratio:.2f} | at most {limit:g} |")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
