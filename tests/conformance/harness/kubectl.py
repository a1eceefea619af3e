"""What kubectl says on two servers, compared as text: what must differ between them is masked, spaces do not count."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml

_PATIENCE: Final = 30.0  # seconds

# What differs between any two servers, or between two moments of one.
_MASKS: Final = (
    (re.compile(r"https://127\.0\.0\.1:\d+"), "SERVER"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "UID"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]+ [+\w-]+"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [^\n]*"), "TIME"),
    (re.compile(r"(Resource Version: +|resourceVersion: |\"resourceVersion\": )[\"']?\d+[\"']?"), r"\1VERSION"),
    (re.compile(r"^I\d{4} [^\n]*\n", re.MULTILINE), ""),  # kubectl's own log, of how its watches fare
    (re.compile(r"^W\d{4} [\d:.]+ +\d+ ", re.MULTILINE), "W "),
    (re.compile(r"\b(\d+m)?\d+s\b"), "AGE"),
    (re.compile(r"<invalid>"), "AGE"),  # an age that is below zero, where a second passed between two programs
    (re.compile(r"/tmp/(LIVE|MERGED)-\d+"), r"/tmp/\1"),
    (re.compile(r"kubectl-edit-\d+"), "kubectl-edit"),
    (re.compile(r" +"), " "),
    (re.compile(r" $", re.MULTILINE), ""),
)


@dataclass(frozen=True, slots=True)
class Kubectl:
    """kubectl against one server, with a home of its own."""

    program: Path
    kubeconfig: Path
    home: Path
    namespace: str

    def command(self, *args: str) -> list[str]:
        """Return the command."""
        own = [f"--kubeconfig={self.kubeconfig}", f"--cache-dir={self.home}/cache", f"--namespace={self.namespace}"]
        return [str(self.program), *own, *args]

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the user's but the way to other programs, and an editor that changes one word."""
        editor = {"KUBE_EDITOR": "sed -i s/before/after/"}
        return {"PATH": os.environ.get("PATH", ""), "HOME": str(self.home), "TZ": "UTC", **editor}

    def run(self, *args: str, text: str = "") -> str:
        """Return all that it says, without what differs anyway."""
        return masked(self.said(*args, text=text))

    def said(self, *args: str, text: str = "") -> str:
        """Return all that it says: standard output, standard error and its exit code."""
        done = subprocess.run(
            self.command(*args),
            input=text,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return f"{done.stdout}{done.stderr}exit code {done.returncode}\n"


def masked(text: str) -> str:
    """Return a text without what differs anyway."""
    for pattern, other in _MASKS:
        text = pattern.sub(other, text)
    return text


@dataclass(slots=True)
class Transcript:
    """The same commands on both servers."""

    real: Kubectl
    embedded: Kubectl
    differences: list[str] = field(default_factory=list)

    def run(self, command: str, *more: str, text: str = "") -> None:
        """Run a command, and note where the answers differ."""
        args = (*command.split(), *more)
        self._compare(args, *self._both(lambda kubectl: kubectl.run(*args, text=text)))

    def show(self, name: str) -> None:
        """Compare an object whole, with its managers."""
        args = ("get", name, "-o", "yaml", "--show-managed-fields")
        self._compare(args, *self._both(lambda kubectl: masked(_by_manager(kubectl.said(*args)))))

    def until_served(self, name: str) -> None:
        """Wait until the real server serves a new kind and has published its schema, which it does in its own time."""
        deadline = time.monotonic() + _PATIENCE
        for verb in ("get", "explain"):
            while "exit code 0" not in (said := self.real.run(verb, name)):
                assert time.monotonic() < deadline, said

    def _both(self, ask: Callable[[Kubectl], str]) -> Iterator[str]:
        """Ask both at the same time: most of it is the start of a program."""
        with ThreadPoolExecutor() as threads:
            return threads.map(ask, (self.real, self.embedded))

    def _compare(self, args: Sequence[str], expected: str, found: str) -> None:
        if expected != found:
            lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "real", "embedded", lineterm="")
            self.differences.append("\n".join([f"$ kubectl {' '.join(args)}", *lines]))


def _by_manager(text: str) -> str:
    """Return an object with its managers by name: they stand in the order of time, and two servers have two clocks."""
    shown, _, code = text.rpartition("exit code")
    value = yaml.safe_load(shown)
    if not isinstance(value, dict):
        return text
    value["metadata"].get("managedFields", []).sort(key=lambda entry: (entry["manager"], entry["operation"]))
    return f"{yaml.safe_dump(value)}exit code{code}"
