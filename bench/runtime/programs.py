"""The programs that are measured, how they are built, and how they are called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE / "build"
OURS = "konverge"
PRIORITY = "controller-runtime"
FIFO = "controller-runtime, priority queue off"
RUST = "kube-rs"
CACHE = "konverge's cache alone"
GO_PEERS = (PRIORITY, FIFO)
DEFAULT = (OURS, PRIORITY, FIFO, RUST)
ALL = (*DEFAULT, CACHE)


def command(program: str, work: str, count: int) -> list[str]:
    """Return how a program is called for a work on so many objects."""
    arguments = [work, str(count)]
    if program == OURS:
        return [sys.executable, str(HERE / "python" / f"konverge_{work}.py"), *arguments]
    if program == CACHE:
        return [sys.executable, str(HERE / "python" / "cache_only.py"), *arguments]
    if program == RUST:
        return [str(BUILD / "rust" / "release" / "bench-runtime"), *arguments]
    flags = ["-priority-queue=false"] if program == FIFO else []
    return [str(BUILD / "controller-runtime"), *flags, *arguments]


def works(program: str, work: str) -> bool:
    """Whether a program can do a work."""
    return program != CACHE or work == "noop"


def environment(kubeconfig: Path) -> dict[str, str]:
    """Return the environment of every program.

    Python compiles a module once, as on a user's machine, even where the shell that runs this forbids it.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "KUBECONFIG": str(kubeconfig), "PYTHONPYCACHEPREFIX": str(BUILD / "pycache")}


def build(programs: list[str]) -> None:
    """Build what is not up to date."""
    if any(program in GO_PEERS for program in programs):
        _run(["go", "build", "-o", str(BUILD / "controller-runtime"), "."], HERE / "go")
    if RUST in programs:
        _run(["cargo", "build", "--quiet", "--release", "--target-dir", str(BUILD / "rust")], HERE / "rust")


def _run(arguments: list[str], folder: Path) -> None:
    subprocess.run(["nice", "-n", "15", *arguments], cwd=folder, check=True)
