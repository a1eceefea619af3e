"""Measures konverge's runtime beside controller-runtime and kube-rs on one real API server, in one run.

    python bench/runtime/run.py [--work noop,children,latency,noop100k] [--only konverge,kube-rs] [--repeats 3]

Each measurement is a process of its own. The repeats of all programs are interleaved, so that a busy moment of the
machine hits them alike, and the median counts. The exit code is 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import programs
import trial
from content import Content
from goals import GOALS, verdicts
from trial import Figures

from konverge.testing import RealCluster

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Work:
    """What is measured, on how many objects."""

    name: str  # as the programs call it
    count: int


WORKS = {
    "latency": Work("latency", 1_000),
    "noop": Work("noop", 10_000),
    "children": Work("children", 10_000),
    "noop100k": Work("noop", 100_000),
}


def main() -> int:
    """Start a server, measure each work, print, and tell whether all goals are met."""
    options = _options()
    programs.build(options.only)
    met = True
    with RealCluster() as cluster:
        content = Content(cluster.kubeconfig)
        content.define(HERE / "crd.yaml")
        for title in options.work:
            work = WORKS[title]
            results = _measure(Work(work.name, options.count or work.count), cluster.kubeconfig, content, options)
            print(_table(title, results), flush=True)
            met &= _judge(title, results)
    return 0 if met else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure konverge's runtime beside its peers.")
    parser.add_argument("--work", type=_names, default=list(WORKS), help="of latency, noop, children, noop100k")
    parser.add_argument("--only", type=_programs, default=list(programs.DEFAULT), help="beginnings of programs' names")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--count", type=int, help="objects, where it is to differ from what the goals are for")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return text.split(",")


def _programs(text: str) -> list[str]:
    return [program for program in programs.ALL if any(program.startswith(start) for start in text.split(","))]


# --- measuring ---


def _measure(work: Work, kubeconfig: Path, content: Content, options: argparse.Namespace) -> dict[str, Figures]:
    chosen = [program for program in options.only if programs.works(program, work.name)]
    runs: dict[str, list[Figures]] = {program: [] for program in chosen}
    for _ in range(options.repeats):
        for program in chosen:
            runs[program].append(_once(program, work, kubeconfig, content))
    return {program: _median(figures) for program, figures in runs.items()}


def _once(program: str, work: Work, kubeconfig: Path, content: Content) -> Figures:
    if work.name == "children":
        content.clear()  # every program finds the same
    content.fill(work.count)
    time.sleep(1.0)  # the server has done with what the filling left behind
    figures = trial.run(programs.command(program, work.name, work.count), kubeconfig, work.name, work.count)
    if work.name == "children" and content.ready() != (work.count, work.count):
        raise SystemExit(f"{program}: {content.ready()} objects have a status and a child, not all {work.count}")
    print(f"  {program}: {trial.shown(figures)}", file=sys.stderr, flush=True)
    return figures


def _median(runs: list[Figures]) -> Figures:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


# --- showing ---


def _table(title: str, results: dict[str, Figures]) -> str:
    names = list(next(iter(results.values())))
    lines = [f"\n### {title}", "", f"| program | {' | '.join(trial.UNITS[name] for name in names)} |"]
    lines.append("|---|" + "---|" * len(names))
    lines += [
        f"| {program} | {' | '.join(trial.number(name, figures[name]) for name in names)} |"
        for program, figures in results.items()
    ]
    return "\n".join(lines)


def _judge(title: str, results: dict[str, Figures]) -> bool:
    if programs.OURS not in results:
        return True
    found = list(verdicts(results, GOALS[title]))
    print()
    for verdict in found:
        print(f"- {verdict}")
    return all(verdict.met for verdict in found)


if __name__ == "__main__":
    sys.exit(main())
