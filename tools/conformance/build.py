"""Build Kubernetes' own tests as one program, once, into the user's cache folder.

The folder's name has the version of Kubernetes and a digest of the sources here, so a change of either builds anew. The
program appears there whole or not at all; a lock makes a second run wait for the first.
"""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from konverge.testing import binaries
from tools.kube.build import find_go, linker_flags, locked, run, version_of

HERE = Path(__file__).resolve().parent
SOURCES = ("go.mod", "go.sum", "main.go")
PROGRAM = "conformance"


def cached() -> Path:
    """Return where the program is, or will be."""
    digest = hashlib.sha256(b"\0".join((HERE / name).read_bytes() for name in SOURCES)).hexdigest()
    return binaries.cache_root() / PROGRAM / f"{binaries.KUBERNETES}-{digest[:12]}" / PROGRAM


def built() -> Path:
    """Return the program, built if it is not there yet. Raises `CannotBuild`."""
    program = cached()
    if not program.exists():
        with locked(program.parent.parent / f".{PROGRAM}.lock") as lock:
            if not program.exists():  # another run may just have built it
                _build(program, lock)
    return program


def _build(program: Path, lock: int) -> None:
    go = find_go(version_of((HERE / "go.mod").read_text()))
    program.parent.mkdir(parents=True, exist_ok=True)
    print("conformance: building Kubernetes' tests, once; from nothing this takes 5 to 10 minutes …", flush=True)
    started = time.monotonic()
    partial = program.with_name(f".{program.name}.partial")
    run(build_command(go, partial), cwd=HERE, lock=lock)
    partial.chmod(0o755)
    partial.replace(program)
    print(f"conformance: built in {time.monotonic() - started:.0f} s", flush=True)


def build_command(go: Path, output: Path) -> list[str]:
    """Return the command; the version stands in the program, since some tests compare it with the server's."""
    return [str(go), "build", "-trimpath", "-ldflags", linker_flags(binaries.KUBERNETES), "-o", str(output), "."]
