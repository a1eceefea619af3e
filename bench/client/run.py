"""Measures konverge's client beside its peers on one real API server, in one run, and prints the table.

    python bench/client/run.py [--works list_custom,watch_custom] [--libraries konverge,lightkube] [--repeats 3]

Each measurement is a process of its own (`measure.py`). The repeats of all libraries are interleaved, so that a busy
moment of the machine hits them alike, and the median counts. Ratios within a run are the result; the seconds behind
them hold for this machine and moment only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sample

from konverge import Client, Config, Unstructured, errors, unstructured
from konverge.testing import RealCluster

HERE = Path(__file__).parent
OURS = ("konverge", "konverge_unstructured")
PEERS = ("kubernetes_asyncio", "lightkube", "lightkube_sync", "kr8s", "kubernetes")
OBJECTS = 10_000
CREATES = 1_000
FILLERS = 16
NOISE = 0.1  # of a ratio: what the same program differs by from one run to the next on a machine shared with others


@dataclass(frozen=True)
class Goal:
    """How konverge should stand to the best peer."""

    cpu: float
    wall: float | None = None  # None: the server's own time dominates


WORKS: dict[str, Goal] = {
    "list_custom": Goal(cpu=1 / 3),
    "list_pods": Goal(cpu=1 / 3),
    "watch_custom": Goal(cpu=1 / 3),
    "watch_pods": Goal(cpu=1 / 3),
    "create_sequential": Goal(cpu=1, wall=1),
    "create_concurrent": Goal(cpu=1, wall=1),
}


@dataclass(frozen=True)
class Filled:
    """What the server holds for the reads."""

    namespace: str
    custom_version: str  # before the first custom resource
    pod_version: str  # before the first pod


Measurement = dict[str, float]
Results = dict[str, list[Measurement]]  # by library


def main() -> None:
    """Start a server, fill it, measure, print."""
    options = _options()
    with RealCluster() as cluster:
        filled = asyncio.run(_fill(cluster, options.objects))
        if options.keep:
            _hold(cluster, filled)
        for work in options.works:
            print(_section(work, _measure_all(cluster, filled, work, options)), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure konverge's client beside its peers.")
    parser.add_argument("--works", type=_names, default=list(WORKS))
    parser.add_argument("--libraries", type=_names, default=[*OURS, *PEERS])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--objects", type=int, default=OBJECTS)
    parser.add_argument("--creates", type=int, default=CREATES)
    parser.add_argument("--keep", action="store_true", help="fill a server, say how to measure on it by hand, and wait")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return text.split(",")


# --- the server's content ---


async def _fill(cluster: RealCluster, count: int) -> Filled:
    started = time.perf_counter()
    namespace = cluster.create_namespace()
    async with Client.connect(Config.load(cluster.kubeconfig)) as client:
        for kind in (sample.LISTED, sample.CREATED):
            await client.create(Unstructured.from_dict(sample.definition(kind)))
            await _served(client, kind)
        filled = Filled(
            namespace, await _version(client, sample.API_VERSION, sample.LISTED), await _version(client, "v1", "Pod")
        )
        await _bounded(count, lambda i: client.create(_gadget(i, namespace)))
        await _bounded(count, lambda i: client.create(_pod(i, namespace)))
        sizes = [await _size(client, "gadgets", namespace), await _size(client, "pods", namespace)]
    print(f"{count} custom resources of {sizes[0]} bytes and as many pods of {sizes[1]} bytes, as the server sends")
    print(f"them, in {time.perf_counter() - started:.0f} s", flush=True)
    return filled


def _gadget(number: int, namespace: str) -> Unstructured:
    return Unstructured.from_dict(sample.custom(sample.LISTED, f"gadget-{number}", namespace))


def _pod(number: int, namespace: str) -> Unstructured:
    return Unstructured.from_dict(sample.pod(f"pod-{number}", namespace))


async def _served(client: Client, kind: str) -> None:
    while True:
        try:
            await client.list(unstructured(sample.API_VERSION, kind))
        except errors.KonvergeError:
            await asyncio.sleep(0.1)
        else:
            return


async def _version(client: Client, api_version: str, kind: str) -> str:
    return (await client.list(unstructured(api_version, kind))).resource_version


async def _size(client: Client, plural: str, namespace: str) -> int:
    root = "/api/v1" if plural == "pods" else f"/apis/{sample.API_VERSION}"
    name = f"{plural.removesuffix('s')}-0"
    return len(await client.get_raw(f"{root}/namespaces/{namespace}/{plural}/{name}"))


async def _bounded(count: int, work: Callable[[int], Awaitable[Any]]) -> None:
    numbers = iter(range(count))

    async def worker() -> None:
        for number in numbers:
            await work(number)

    await asyncio.gather(*(worker() for _ in range(FILLERS)))


def _hold(cluster: RealCluster, filled: Filled) -> None:
    print(f"KUBECONFIG={cluster.kubeconfig}")
    print(json.dumps(_task(filled, "watch_custom", OBJECTS)), json.dumps(_task(filled, "watch_pods", OBJECTS)))
    input("press Enter to end")
    sys.exit()


# --- measuring ---


def _measure_all(cluster: RealCluster, filled: Filled, work: str, options: argparse.Namespace) -> Results:
    results: Results = {library: [] for library in options.libraries}
    count = options.creates if work.startswith("create") else options.objects
    for repeat in range(options.repeats):
        for library in options.libraries:
            task = _task(filled, work, count) | {"prefix": f"{library}-{work}-{repeat}".replace("_", "-")}
            found = _measure(cluster, library, work, task)
            results[library].append(found)
            print(f"{work} {library} {json.dumps(found)}", file=sys.stderr, flush=True)
    return results


def _task(filled: Filled, work: str, count: int) -> dict[str, Any]:
    version = {"watch_custom": filled.custom_version, "watch_pods": filled.pod_version}.get(work, "")
    return {"namespace": filled.namespace, "count": count, "version": version}


def _measure(cluster: RealCluster, library: str, work: str, task: dict[str, Any]) -> Measurement:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "measure.py"), f"with_{library}", work, json.dumps(task)],
        env={**os.environ, "KUBECONFIG": str(cluster.kubeconfig)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{library} {work} failed:\n{done.stderr[-2000:]}")
    measurement: Measurement = json.loads(done.stdout)
    return measurement


# --- the table ---


def _section(work: str, by_library: Results) -> str:
    middle = {library: _median(found) for library, found in by_library.items()}
    peers = {library: found for library, found in middle.items() if library in PEERS} or middle
    best = {key: min(found[key] for found in peers.values()) for key in ("cpu", "wall")}
    head = "| library | CPU s | of the best peer's | time s | of the best peer's | peak MB | import CPU s |"
    rows = [_row(library, found, best) for library, found in middle.items()]
    verdicts = [_verdict(library, middle[library], best, WORKS[work]) for library in OURS if library in middle]
    return "\n".join([f"### {work}\n", head, "|---|--:|--:|--:|--:|--:|--:|", *rows, "", *verdicts, ""])


def _median(found: list[Measurement]) -> Measurement:
    return {key: statistics.median(one[key] for one in found) for key in found[0]}


def _row(library: str, found: Measurement, best: Measurement) -> str:
    cpu, wall = (f"{found[key]:.2f} | {found[key] / best[key]:.2f}" for key in ("cpu", "wall"))
    return f"| {library} | {cpu} | {wall} | {found['peak_mb']:.0f} | {found['import']:.2f} |"


def _verdict(library: str, found: Measurement, best: Measurement, goal: Goal) -> str:
    limits = {"cpu": goal.cpu} | ({} if goal.wall is None else {"wall": goal.wall})
    ratios = {key: found[key] / best[key] for key in limits}
    told = ", ".join(f"{key} {ratios[key]:.2f} (goal {limit:.2f})" for key, limit in limits.items())
    return f"- {library}: {_word(ratios, limits)}: {told}"


def _word(ratios: Measurement, limits: Measurement) -> str:
    if all(ratios[key] <= limit for key, limit in limits.items()):
        return "**pass**"
    if all(ratios[key] <= limit * (1 + NOISE) for key, limit in limits.items()):
        return "**pass within noise**"
    return "**fail**"


if __name__ == "__main__":
    main()
