"""One run of one program: its figures."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import programs

Figures = dict[str, float]

HERE = Path(__file__).parent
UNITS = {"seconds": "time", "cpu": "CPU", "rss_mb": "memory", "p50": "p50", "p99": "p99"}
_RATE = 200.0  # writes a second
_LIMIT = 900  # seconds: a program that hangs is an error, not a wait


def run(arguments: list[str], kubeconfig: Path, work: str, count: int) -> Figures:
    """Run a program once, with a writer beside it where latency is measured."""
    environment = programs.environment(kubeconfig)
    measured = ["timeout", str(_LIMIT), sys.executable, "-I", "-S", str(HERE / "measure.py"), *arguments]
    log = programs.BUILD / "last.log"
    lines: dict[str, Any] = {}
    with (
        log.open("wb") as errors,
        subprocess.Popen(measured, stdout=subprocess.PIPE, stderr=errors, env=environment, text=True) as process,
    ):
        for line in process.stdout or ():
            lines.update(json.loads(line))
            if "ready" in line:
                _write(count, environment)
    if lines.get("code") != 0 or "done" not in lines:
        raise SystemExit(f"{' '.join(arguments)} failed: see {log}")
    return _figures(lines, work)


def _write(count: int, environment: dict[str, str]) -> None:
    subprocess.Popen(
        [sys.executable, str(HERE / "writer.py"), str(count), str(_RATE)], env=environment, stdout=subprocess.DEVNULL
    )


def _figures(lines: dict[str, Any], work: str) -> Figures:
    used = {"cpu": lines["cpu"], "rss_mb": lines["rss_mb"]}
    if work == "latency":
        hundredths = statistics.quantiles(lines["delays"], n=100)
        return {"p50": hundredths[49] * 1000, "p99": hundredths[98] * 1000, **used}
    return {"seconds": lines["done"] - lines["started"], **used}


def number(name: str, value: float) -> str:
    """Show a figure with its unit."""
    if name == "rss_mb":
        return f"{value:.0f} MB"
    return f"{value:.2f} ms" if name in ("p50", "p99") else f"{value:.2f} s"


def shown(figures: Figures) -> str:
    """Show all figures of a run."""
    return ", ".join(f"{UNITS[name]} {number(name, value)}" for name, value in figures.items())
