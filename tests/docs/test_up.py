"""The page about `konverge up`: its commands are given one after the other, as they are printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import pytest
from typer.main import get_command

from konverge.cli.app import app
from konverge.testing import binaries

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "up.md").read_text(encoding="utf-8")
IMAGES, COMMANDS = (re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("yaml", "sh"))
PATIENCE: Final = 60.0  # seconds; a bound for a machine that does much else
PAUSE: Final = 0.05
OPENER: Final = build_opener(ProxyHandler({}))  # loopback is reached directly


class Home:
    """A user's home folder, in which commands are given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KUBE", "XDG"))}
        programs = (Path(sys.executable).parent, binaries.find("kubectl")["kubectl"].parent)
        path = os.pathsep.join([*map(str, programs), os.environ["PATH"]])
        self.env = {**kept, "HOME": str(folder), "PATH": path}

    def give(self, command: str) -> str:
        """Give a command; return what it says."""
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            self.env[name] = self._shell(f"echo {value}").strip()
            return ""
        if command.startswith("curl "):  # not everybody has it
            return _fetched(self._shell(f"echo {command.removeprefix('curl ')}").strip())
        return self._shell(command)

    def _shell(self, command: str) -> str:
        result = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert result.returncode == 0, f"{command}: {result.stderr}"
        return result.stdout


def _fetched(url: str) -> str:
    """Return a page; a server that has just been started may need a moment."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with OPENER.open(url, timeout=PATIENCE) as response:
                return str(response.read().decode())
        except (URLError, ConnectionError):
            assert time.monotonic() < deadline
            time.sleep(PAUSE)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home folder; nothing is up in it at the end."""
    home = Home(tmp_path)
    yield home
    home.give("konverge down")


def test_the_commands_of_the_page(home: Home) -> None:
    """A Deployment of Python's own web server, which shows the folder that it runs in."""
    assert IMAGES is not None
    assert COMMANDS is not None
    (home.folder / "images.yaml").write_text(IMAGES[1])
    said = {command: home.give(command) for command in COMMANDS[1].splitlines()}
    words = list(said.values())
    assert words[0].startswith("export KUBECONFIG=")
    assert words[4].endswith('deployment "site" successfully rolled out\n')
    assert "Directory listing" in words[5]
    assert words[-1].startswith("stopped (pid ")


def test_the_page_has_each_option() -> None:
    """Those of the command, no more and no fewer."""
    options = get_command(app).get_command(None, "up").params  # type: ignore[attr-defined]  # click's group
    shown = {name for option in options if not option.hidden for name in option.opts} - {"--help"}
    assert set(re.findall(r"`(-[\w-]+)[^`]*`", "".join(re.findall(r"^\| `-.*?\|", PAGE, re.MULTILINE)))) == shown
