"""The runner of Kubernetes' own tests: its decisions, and runs of it with a program that only pretends."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from konverge.testing import binaries

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tools" / "conformance"
NAME = "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 DeviceClass [Conformance]"

# It writes the results that its test expects of a name, or hangs.
PRETENDER = """#!{python}
import pathlib, sys, time
options = dict(argument.lstrip("-").split("=", 1) for argument in sys.argv[1:] if "=" in argument)
name = pathlib.Path(options["names"]).read_text().strip()
print("running", name, flush=True)
if "hangs" in name:
    time.sleep(600)
pathlib.Path(options["results"]).write_text('{{"name": "%s", "state": "passed", "seconds": 1.5, "failure": ""}}' % name)
"""


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The runner as a module."""
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.conformance import run as module  # noqa: PLC0415 - importable with the path above alone

    return module


@pytest.fixture
def outcome(runner: ModuleType) -> ModuleType:
    """The module of outcomes."""
    from tools.conformance import outcome as module  # noqa: PLC0415 - importable with the runner's path alone

    assert runner
    return module


def test_the_tests_are_those_of_the_kubernetes_that_is_compared_with() -> None:
    """One version everywhere: the tests, their libraries, and the server that is the oracle."""
    module = (FOLDER / "go.mod").read_text()
    minor = binaries.KUBERNETES.removeprefix("v1.")
    assert f"k8s.io/kubernetes {binaries.KUBERNETES}" in module
    assert set(re.findall(r"=> k8s\.io/\S+ (v\S+)", module)) == {f"v0.{minor}"}


def test_each_name_is_listed_once_and_has_a_file_of_its_own(runner: ModuleType, outcome: ModuleType) -> None:
    """No test is counted twice, and none writes over the output of another."""
    names = runner.read_names(runner.NAMES.read_text())
    assert len(names) == len(set(names)) == len({outcome.slug(name) for name in names})
    assert all(name.startswith("[sig-") for name in names)


def test_comments_are_no_names(runner: ModuleType) -> None:
    """A list may explain itself, and a part of it can be asked for."""
    assert runner.read_names("# why\n\n a b \nc d\n") == ["a b", "c d"]
    assert runner.read_names("a b\nc d\n", only="c") == ["c d"]


def test_a_slug_is_the_words_of_a_name(outcome: ModuleType) -> None:
    """The output of a test is found by its name."""
    assert outcome.slug(NAME) == "sig-node.crud-tests-resource-k8s-io-v1-deviceclass"


def test_long_names_that_begin_alike_have_files_of_their_own(outcome: ModuleType) -> None:
    """A slug that is cut ends with a digest of the whole name."""
    first, second = (outcome.slug(f"[sig-apps] StatefulSet {'should do as it is told ' * 9}{which}") for which in "ab")
    assert first != second
    assert len(first) < 140


def test_only_a_pass_of_the_very_name_counts(outcome: ModuleType) -> None:
    """What was skipped, never found, ended or broken by a hook is no pass, and the reason is told."""
    passed = outcome.Result(name=NAME, state="passed", seconds=2.0, failure="")
    skipped = outcome.Result(name=NAME, state="skipped", seconds=0.0, failure="no\n  nodes")
    hook = outcome.Result(name="SynchronizedBeforeSuite", state="failed", seconds=1.0, failure="no server")
    assert outcome.judge(NAME, [passed], seconds=3, ended=False).passed
    assert outcome.judge(NAME, [skipped], seconds=3, ended=False).reason == "no nodes"
    assert not outcome.judge(NAME, [skipped], seconds=3, ended=False).passed
    assert outcome.judge("other", [], seconds=3, ended=False).reason == "no test has this name"
    assert outcome.judge(NAME, [hook], seconds=3, ended=False).reason == "SynchronizedBeforeSuite: no server"
    assert outcome.judge(NAME, [], seconds=3, ended=True).state == "timed out"


def test_results_are_lines_of_json(outcome: ModuleType) -> None:
    """A program that was ended before it wrote any gives none."""
    line = b'{"name": "a", "state": "passed", "seconds": 1, "failure": ""}\n'
    assert [result.name for result in outcome.decode(line * 2)] == ["a", "a"]
    assert outcome.decode(b"") == []


def test_tests_that_must_be_alone_come_last(runner: ModuleType, outcome: ModuleType) -> None:
    """The answer is in the order of the names all the same."""
    began: list[str] = []

    def run(name: str) -> object:
        began.append(name)
        return outcome.Outcome(name, "passed", 0.0)

    names = ["[Serial] one", "two", "[Disruptive] three", "four"]
    done = runner.play(run, names, jobs=1)
    assert began == ["two", "four", "[Serial] one", "[Disruptive] three"]
    assert [each.name for each in done] == names


def test_a_test_that_hangs_is_ended_and_its_output_kept(runner: ModuleType, tmp_path: Path) -> None:
    """One process for each test: the next one is not touched."""
    program = tmp_path / "pretender"
    program.write_text(PRETENDER.format(python=sys.executable))
    program.chmod(0o755)
    suite = runner.Suite(program, program, tmp_path / "kubeconfig", tmp_path, 3.0, runner.PROTOBUF, grace=0.0)
    assert suite.run("this hangs").state == "timed out"
    assert "running this hangs" in (tmp_path / ".this-hangs.log").read_text()
    passed = suite.run("this ends")
    assert (passed.state, passed.seconds) == ("passed", 1.5)


def test_the_report_has_the_score_and_each_failure(runner: ModuleType, outcome: ModuleType) -> None:
    """What a reader needs: how many, by group, and why not."""
    outcomes = [
        outcome.Outcome("[sig-apps] a [Conformance]", "passed", 1.0),
        outcome.Outcome("[sig-node] b [Conformance]", "failed", 2.0, "expected a cat"),
    ]
    text = runner.report.markdown("embedded", outcomes, version="v1.36.3")
    assert "conformance: the embedded server passed 1 of 2." in text
    assert "| sig-apps | 1 | 1 |" in text
    assert "**[sig-node] b [Conformance]**: failed after 2.0 s: expected a cat ([output](sig-node.b.log))" in text
