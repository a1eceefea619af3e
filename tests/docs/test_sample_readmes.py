"""The samples' READMEs: each command is given as printed, in a copy of the checkout, and shows what it promises."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest

from konverge.testing import eventually

ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = sorted(file.parent for file in (ROOT / "samples").glob("*/pyproject.toml"))
PATIENCE: Final = 300.0  # seconds; a bound for a machine that does much else
_BLOCK: Final = re.compile(r"(?P<skip><!-- not run: .+ -->\n)?^```sh\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LOOKS: Final = ("kubectl get", "kubectl describe", "kubectl auth can-i")

# What each look at the cluster shows in the end, in the order of the page.
PROMISED: Final[dict[str, list[str]]] = {
    "mariadb": [
        r"mariadb\S+/shop(?s:.*)service/shop(?s:.*)statefulset\S+/shop +2/2(?s:.*)pod/shop-1",
        r"^shop +2/2",
        r"^shop +3/3",
        r"No resources found",
    ],
    "markdownview": [
        r"viewer-sample +1/1(?s:.*)service/viewer-sample(?s:.*)markdowns-sample +2(?s:.*)/sample +1 +Healthy",
        r"^viewer-sample +1/1",
        r"TakenBack.*\.spec\.replicas \(kubectl\)",
        r"\A\S+ .*\n\S+/kubernetes .*\n\Z",
    ],
    "myresource": [
        r"^web +nginx:1\.29 +512Mi +Ready",
        r"^\S+ +1/1 .* nginx:1\.29 ",
        r"FieldConflict.*image of kubectl",
        r"No resources found",
    ],
    "tenant": [
        r"tenant\S+/shop .* True(?s:.*)namespace/shop-dev +Active(?s:.*)namespace/shop-prod +Active",
        r"^yes$",
        r"^no$",
        r"\A(?!(?s:.*)shop-(dev|prod) +Active)",
        r"Reason: +EscalationRefused",
        r"^no$",
        r"^yes$",
    ],
    "vcap": [
        r"\"uri\": ?\"postgres://orders:change-me@db\.example\.com/orders\"",
        r"\"uri\": ?\"postgres://elsewhere\"",
        r"\A(?!(?s:.*)secret/orders)(?s:.*)vcapservicesconverter\S+/orders .*False",
    ],
    "visitors": [
        r"^site .* Ready",
        r"site-backend +2/2(?s:.*)site-database(?s:.*)site-frontend",
        r"\A\S+ .*\n\S+/kubernetes .*\n\Z",
    ],
}


def commands(readme: Path) -> Iterator[str]:
    """Yield the lines of a page's commands, without what is said behind them; a watch, as a look that ends."""
    for block in _BLOCK.finditer(readme.read_text(encoding="utf-8")):
        for line in block["text"].splitlines() if not block["skip"] else ():
            yield re.sub(r"\s+# .*$", "", line).replace(" --watch", "")


class Reader:
    """Someone who follows a page in a terminal: `cd` and `export` last, and what does not end goes on beside."""

    def __init__(self, clone: Path, environment: dict[str, str], stack: ExitStack) -> None:
        self._clone, self._environment, self._stack = clone, environment, stack
        self._before: list[str] = ["set -euo pipefail"]

    def give(self, command: str) -> str:
        """Give a command; return what it says, or fail with that."""
        done = self._run(command)
        assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
        return done.stdout

    def look(self, command: str) -> str:
        """Give a command that shows something; return all of that, for "no" and "none" are answers, too."""
        done = self._run(command)
        return done.stdout + done.stderr

    def remember(self, command: str) -> None:
        """Change the folder or a variable for all that follows."""
        self._before.append(command)

    def begin(self, command: str, sign: str) -> None:
        """Start what does not end by itself, and go on when it says a text."""
        process = self._stack.enter_context(_beside(self._script(command), self._clone, self._environment))
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line)
            if sign in line:
                return
        raise AssertionError(f"{command} ended:\n{''.join(said)}")

    def _run(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._script(command),
            cwd=self._clone,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    def _script(self, command: str) -> list[str]:
        return ["bash", "-c", "\n".join([*self._before, command])]


@contextmanager
def _beside(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=PATIENCE)


@pytest.fixture
def reader(tmp_path: Path, user_environment: dict[str, str]) -> Iterator[Callable[[str], Reader]]:
    """A reader in a copy of the checkout that has one sample, and this environment as its own."""
    clone = tmp_path / "clone"
    with ExitStack() as stack:

        def reader_of(sample: str) -> Reader:
            unwanted = shutil.ignore_patterns(".*_cache", "__pycache__", ".konverge", "config")
            shutil.copytree(ROOT / "samples" / sample, clone / "samples" / sample, ignore=unwanted)
            (clone / ".venv").symlink_to(sys.prefix)
            return Reader(clone, user_environment, stack)

        try:
            yield reader_of
        finally:  # a cluster in the background that a page which failed did not come to end
            for folder in clone.glob("samples/*/.konverge/up"):
                down = [sys.executable, "-m", "konverge.cli", "down", "--data", str(folder)]
                subprocess.run(down, env=user_environment, check=True, capture_output=True)


@pytest.mark.usefixtures("real_cluster")  # for its skip rule: it comes with the stock kubectl
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
async def test_the_commands_of_the_readme_do_what_it_says(sample: Path, reader: Callable[[str], Reader]) -> None:
    """From the first to the last, and there is an expectation for each look at the cluster."""
    someone, promised = reader(sample.name), iter(PROMISED[sample.name])
    for command in commands(sample / "README.md"):
        if command.startswith(("cd ", "export ")):
            someone.remember(command)
        elif command.startswith("make test"):
            someone.give(command.replace("make", "make --dry-run", 1))  # tests/samples runs them all, on both servers
        elif "make run" in command or "konverge run" in command:
            someone.begin(f"exec {shlex.join(['env', *shlex.split(command)])}", "starting workers")
        elif command.startswith(_LOOKS):
            await _shows(someone, command, next(promised))
        else:
            someone.give(command)
    assert list(promised) == []


async def _shows(reader: Reader, command: str, pattern: str) -> None:
    said = ""

    async def is_shown() -> bool:
        nonlocal said
        said = reader.look(command)
        return re.search(pattern, said, re.MULTILINE) is not None

    try:
        await eventually(is_shown, within=60)
    except AssertionError as error:
        raise AssertionError(f"{command} does not show {pattern}:\n{said}") from error
