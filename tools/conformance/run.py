"""Run Kubernetes' own conformance tests on the embedded or the real server, and write a score and a report.

`make conformance SERVER=embedded` (or `real`) calls it; `python -m tools.conformance.run --help` has the options. Each
test runs in a process of its own, so that one that hangs takes nothing with it; its output is kept. Tests that must be
alone come last, one by one.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from konverge.testing import binaries
from konverge.testing.binaries import MissingBinaries
from tools.conformance import report, servers
from tools.conformance.build import HERE, built
from tools.conformance.outcome import Outcome, decode, is_alone, judge, slug
from tools.kube.build import CannotBuild

NAMES: Final = HERE / "names.txt"
OUTPUT: Final = HERE.parents[1] / "build" / "conformance"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"  # what Go's clients send unless they are told otherwise


@dataclass(slots=True)
class Suite:
    """What all tests of a run share, and the processes that run now."""

    program: Path
    kubectl: Path
    kubeconfig: Path
    output: Path
    limit: float  # seconds for one test
    content_type: str
    grace: float = 20.0  # seconds in which a test whose time is up may clean up and say where it was
    _running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)  # by process id; written by threads

    def command(self, names: Path, results: Path) -> list[str]:
        """Return the command that runs the tests that a file names."""
        return [
            str(self.program),
            f"--names={names}",
            f"--results={results}",
            f"--kubeconfig={self.kubeconfig}",
            f"--kubectl-path={self.kubectl}",
            f"--kube-api-content-type={self.content_type}",
            "--provider=skeleton",
            "--num-nodes=2",  # else it would look for them
            "--allowed-not-ready-nodes=-1",
            "--dump-logs-on-failure=false",
            "--disable-log-dump=true",
            "--ginkgo.no-color",
            "--ginkgo.silence-skips",
            "--ginkgo.v",
            f"--ginkgo.timeout={self.limit:.0f}s",
        ]

    def run(self, name: str) -> Outcome:
        """Run one test."""
        place = self.output / slug(name)
        names, results = place.with_name(f".{place.name}.name"), place.with_name(f".{place.name}.result")
        names.write_text(f"{name}\n")
        results.unlink(missing_ok=True)
        started = time.monotonic()
        ended = self._finish(self.command(names, results), place.with_name(f"{place.name}.log"))
        found = decode(results.read_bytes()) if results.exists() else []
        for file in (names, results):
            file.unlink(missing_ok=True)
        return judge(name, found, seconds=time.monotonic() - started, ended=ended)

    def _finish(self, command: list[str], log: Path) -> bool:
        """Run a process to its end; return whether it, and what it started, had to be ended."""
        environment = {key: value for key, value in os.environ.items() if key != "KUBECONFIG"}
        with log.open("wb") as file:
            process = subprocess.Popen(
                command, stdout=file, stderr=subprocess.STDOUT, cwd=log.parent, env=environment, start_new_session=True
            )
        self._running[process.pid] = process
        try:
            process.wait(self.limit + self.grace)
        except subprocess.TimeoutExpired:
            return True
        finally:
            _end(process)
            del self._running[process.pid]
        return False

    def stop(self) -> None:
        """End all tests that run."""
        for process in list(self._running.values()):
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started, unless it has ended by itself."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def read_names(text: str, *, only: str = "") -> list[str]:
    """Return the names of a list, without comments; with `only`, those that have this text in them."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#") and only in line]


def play(
    run: Callable[[str], Outcome], names: Sequence[str], *, jobs: int, stop: Callable[[], None] = lambda: None
) -> list[Outcome]:
    """Run all tests, several side by side where they allow it, and return what became of them in their order.

    Where it is interrupted it calls `stop`, which must end those that run: it does not wait for them otherwise.
    """
    together = [name for name in names if not is_alone(name)]
    done: dict[str, Outcome] = {}

    def note(outcome: Outcome) -> None:
        done[outcome.name] = outcome
        print(f"  {len(done):3}/{len(names)} {outcome.state:9} {outcome.seconds:6.1f} s  {outcome.name}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            for running in as_completed([pool.submit(run, name) for name in together]):
                note(running.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
    for name in names:
        if is_alone(name):
            note(run(name))
    return [done[name] for name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests that the arguments ask for; return 0 if all have passed, 2 if they could not be run."""
    try:
        return _main(arguments)
    except (CannotBuild, MissingBinaries, servers.NoServer) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _main(arguments: Sequence[str] | None) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server and the tests are ended too
    asked = _parser().parse_args(arguments)
    names = read_names(asked.names.read_text(), only=asked.only)
    output: Path = (asked.output / asked.server).absolute()
    output.mkdir(parents=True, exist_ok=True)
    program, kubectl = built(), binaries.find("kubectl")["kubectl"]
    with servers.started(asked.server, output) as kubeconfig:
        suite = Suite(program, kubectl, kubeconfig, output, asked.limit, asked.content_type)
        outcomes = play(suite.run, names, jobs=asked.jobs, stop=suite.stop)
    (output / "report.md").write_text(report.markdown(asked.server, outcomes, version=binaries.KUBERNETES))
    (output / "results.json").write_bytes(msgspec.json.format(msgspec.json.encode(outcomes)))
    print(f"the report is {output / 'report.md'}; the output of each test lies beside it")
    print(report.score(asked.server, outcomes))
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="conformance", description="Run Kubernetes' own conformance tests.")
    parser.add_argument("--server", choices=servers.NAMES, default="embedded")
    parser.add_argument(
        "--names", type=Path, default=NAMES, help="a list of names; those that need no node if not given"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="run the names with this text in them")
    parser.add_argument("--jobs", type=int, default=6, help="how many run side by side")
    parser.add_argument("--limit", type=float, default=420, metavar="SECONDS", help="the time that one test may take")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="DIR", help="where the report is written")
    parser.add_argument("--content-type", default=PROTOBUF, help="what the tests' clients send")
    return parser


if __name__ == "__main__":
    sys.exit(main())
