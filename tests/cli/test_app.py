"""The command line as a whole: help that teaches, completion, versions, and no waiting for them."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from konverge.cli.app import app
from konverge.testing import Cluster
from konverge.version import KUBERNETES, __version__

COMMANDS = ["init", "create api", "create webhook", "run", "manifests", "models", "up", "down", "apiserver", "version"]
BASH = """
source <(konverge --show-completion bash)
COMP_WORDS=(konverge {words}) COMP_CWORD={count}
_konverge_completion konverge
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def helped(*words: str) -> str:
    """Return what `--help` says, with nothing of the terminal in it."""
    result = CliRunner().invoke(app, [*words, "--help"], env={"NO_COLOR": "1", "COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "version"])
def test_the_help_of_a_command_has_an_example(command: str) -> None:
    """One that names the command itself."""
    assert f"$ konverge {command}" in helped(*command.split())


def test_the_help_names_all_commands_and_where_to_begin() -> None:
    """A beginner needs no other page for the first minutes."""
    text = helped()
    for command in COMMANDS:
        assert f" {command.partition(' ')[0]} " in text
    assert "$ konverge init shop --kind Cart" in text
    assert "$ make -C shop test" in text


def test_help_and_completion_load_neither_server_nor_client() -> None:
    """Both are asked for while somebody types."""
    code = "import sys, konverge.cli.app; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = result.stdout.split()
    parts = {name.split(".")[1] for name in loaded if name.startswith("konverge.")}
    assert parts == {"cli", "clock", "errors", "log", "version"}
    assert not {"aiohttp", "cryptography", "yaml"} & set(loaded)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("cr", ["create"]),
        ("create ''", ["api", "webhook"]),
        ("run --lo", ["--local", "--log"]),
        ("create webhook --de", ["--defaulting"]),
    ],
)
def test_bash_completes(tmp_path: Path, words: str, expected: list[str]) -> None:
    """Commands and options, by the script that `--show-completion` prints, in a real bash."""
    programs = Path(sys.executable).parent
    script = BASH.format(words=words, count=len(words.split()))
    env = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, env=env)
    assert sorted(result.stdout.split()) == expected, result.stderr


def test_the_versions(cluster: Cluster) -> None:
    """Of konverge, of Python, and of the Kubernetes that the embedded server, and the one of the tests, is."""
    result = CliRunner().invoke(app, ["version"])
    words = dict(line.split() for line in result.output.splitlines())
    assert words == {"konverge": __version__, "Python": platform.python_version(), "Kubernetes": KUBERNETES}
    assert cluster.call("GET", "/version")["gitVersion"] == KUBERNETES
