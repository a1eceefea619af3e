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

from konverge.testing.binaries import find

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
SAMPLE: Final = ROOT / "samples" / "markdownview"
PROGRAMS: Final = Path(sys.executable).parent
PATIENCE: Final = 600.0  # seconds; a bound for a machine that does much else
_STEP: Final = re.compile(
    r"(?:^`(?P<path>[\w./]+)`:\n\n)?^```(?P<sort>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
# Each line is shown before it runs, and the first that fails ends it all.
_PREFACE: Final = "set -euxm\n"


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
            lines.append(f"mkdir -p {Path(path).parent}\ncat > {path} <<'END OF FILE'\n{text}END OF FILE\n")
        else:
            lines.append(text.replace(" 3000:80", f" {port}:80").replace("localhost:3000", f"localhost:{port}"))
    return "".join(lines)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A user's, with konverge and kubectl in PATH, and with places of its own for everything that is kept."""
    folders = (str(PROGRAMS), str(find("kubectl")["kubectl"].parent), os.environ["PATH"])
    return {
        **{name: value for name, value in os.environ.items() if name != "KUBECONFIG"},
        "PATH": os.pathsep.join(folders),
        "BIN": str(PROGRAMS),  # this environment has all that the project needs: no other is made
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "HOME": str(tmp_path / "home"),
        "KUBECACHEDIR": str(tmp_path / "kubectl"),
        "KONVERGE_KUBE_ASSETS": str(find("kubectl")["kubectl"].parent),
        "NO_COLOR": "1",
    }


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
    assert "<h1>Hello, konverge</h1>" in said
    assert re.search(r"markdownview\S+/sample\s+1\s+Healthy", said)
    assert said.count("Success: no issues found") == 2
    assert "Forwarding from" in (folder / "markdownview" / "forward.log").read_text()


def test_what_it_builds_is_the_sample() -> None:
    """File by file, but for the tests, of which the page has the first ones only."""
    files = {path: text for path, text in steps() if path and not path.startswith("tests/")}
    assert len(files) == 11
    for path, text in files.items():
        assert text == (SAMPLE / path).read_text(encoding="utf-8"), path
