"""The tutorial: its commands are given and its files are written in the order of the page, from an empty folder."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
SAMPLE: Final = ROOT / "samples" / "markdownview"
PROGRAMS: Final = Path(sys.executable).parent
PATIENCE: Final = 600.0  # seconds; a bound for a machine that does much else
_STEP: Final = re.compile(
    r"(?:^`(?P<path>[\w./]+)`:\n\n)?^```(?P<sort>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
# Each line is shown before it runs, and the first that fails ends it all. `shows` looks until it sees what is promised.
_PREFACE: Final = """
set -euxm
shows() {
  for attempt in $(seq 600); do eval "$2" 2>&1 | grep --quiet --extended-regexp "$1" && return; sleep 0.1; done
  echo "$2 does not show $1"; exit 1
}
"""
_ALL_GONE: Final = "kubectl get deployment,service,configmap --output name | grep --count sample || true"
# What the page says of a command, where the command itself would not fail if it were not so.
_PROMISED: Final = {
    "konverge create webhook --kind": "shows add_markdown_view_webhooks 'cat src/markdownview/main.py'",
    "kubectl port-forward": "shows 'Forwarding from' 'cat forward.log'",
    "curl --silent": "shows '<h1>Hello, konverge</h1>' 'curl --silent http://localhost:3000/'",
    "kubectl patch markdownview": "shows '<h1>Changed</h1>' 'curl --silent http://localhost:3000/'",
    "kubectl describe markdownview": r"shows 'TakenBack.*replicas \(kubectl\)' 'kubectl describe markdownview sample'",
    "kubectl wait --for=delete": f"shows '^0$' '{_ALL_GONE}'",
    "konverge down": "shows 'nothing' 'konverge down'",
    "make manifests": "shows registry.example.com 'cat config/install.yaml'",
}


def steps() -> Iterator[tuple[str, str]]:
    """Yield the files with their paths, and the commands with an empty one."""
    for found in _STEP.finditer(PAGE):
        if found["path"] or found["sort"] == "sh":
            yield found["path"] or "", found["text"]


def script(port: int) -> str:
    """Return the whole page as a program of the shell, with a port of our own: another program may have that one."""
    lines = [_PREFACE]
    for path, text in steps():
        if path:
            lines.append(f"mkdir -p {Path(path).parent}\ncat > {path} <<'END OF FILE'\n{text}END OF FILE")
        else:
            lines += [line for command in text.splitlines() for line in (command, *promised(command))]
    return "\n".join(lines).replace(" 3000:80", f" {port}:80").replace("localhost:3000", f"localhost:{port}")


def promised(command: str) -> Iterator[str]:
    """Yield the looks at what a command promises."""
    return (look for beginning, look in _PROMISED.items() if command.startswith(beginning))


@pytest.fixture
def environment(user_environment: dict[str, str]) -> dict[str, str]:
    """A user's."""
    return {**user_environment, "BIN": str(PROGRAMS)}  # it has all that the project needs: no other is made


@pytest.mark.usefixtures("real_cluster")  # for its skip rule: it comes with the stock kubectl
def test_the_page_leads_to_the_page(tmp_path: Path, environment: dict[str, str]) -> None:
    """From an empty folder to a web page, and back to nothing."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = tmp_path / "empty"
    folder.mkdir()
    with subprocess.Popen(
        ["bash", "-c", script(port)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        finally:
            down = [sys.executable, "-m", "konverge.cli", "down"]
            subprocess.run(down, env=environment, check=True, capture_output=True)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, said
    for line in (
        r"deployment\S+/viewer-sample +1/1 ",
        r"service/viewer-sample +ClusterIP +127\.\S+ +<none> +80/TCP",
        r"configmap/markdowns-sample +2 ",
        r"markdownview\S+/sample +1 +Healthy",
    ):
        assert re.search(line, said), line
    assert said.count("Success: no issues found") == 2


def test_each_promise_is_one_of_the_page() -> None:
    """A command that was reworded would otherwise lose its look."""
    commands = [line for path, text in steps() if not path for line in text.splitlines()]
    for beginning in _PROMISED:
        assert any(command.startswith(beginning) for command in commands), beginning


def test_what_it_builds_is_the_sample() -> None:
    """File by file, but for the tests, of which the page has the first ones only."""
    files = {path: text for path, text in steps() if path and not path.startswith("tests/")}
    assert len(files) == 11
    for path, text in files.items():
        assert text == (SAMPLE / path).read_text(encoding="utf-8"), path
