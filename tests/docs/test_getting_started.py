"""The page for beginners: its commands are given one after the other, as they are printed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import konverge as kv
from konverge.client.config import Config
from konverge.testing import eventually

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
BEGIN, MORE, RUN = (block.splitlines() for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL))
PROGRAMS: Final = Path(sys.executable).parent
CART: Final = kv.unstructured("shop.example.com/v1", "Cart")
PATIENCE: Final = 600.0  # seconds; a bound for a machine that does much else
ENVIRONMENT: Final = {
    **os.environ,
    "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
    "BIN": str(PROGRAMS),  # this environment has all that the project needs: no other is made
    "NO_COLOR": "1",
    "CI": "true",  # a real server that is missing is a failure
}


def shell(command: str, cwd: Path) -> str:
    """Give a command as a person would, but where nobody can answer questions; return what it says."""
    result = subprocess.run(
        ["sh", "-c", command],
        cwd=cwd,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert result.returncode == 0, f"{command}:\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the first command was given, and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    shell(BEGIN[0], folder)
    return folder


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with all that can be added: the page's commands, a kind without namespaces or without a controller."""
    folder = tmp_path_factory.mktemp("grown")
    shell(BEGIN[0], folder)
    for command in MORE:
        shell(command, folder / "shop")
    for command in (
        "konverge create api --kind MarkdownView --version v1beta1 --cluster-scoped --plural pages",
        "konverge create webhook --kind MarkdownView --defaulting",
        "konverge create api --group other.konverge.dev --kind Import --no-controller",
    ):
        shell(command, folder / "shop")
    return folder / "shop"


def test_it_is_three_commands() -> None:
    """As README and `konverge --help` say, too."""
    assert len(BEGIN) == 3
    assert all(command in (ROOT / "README.md").read_text(encoding="utf-8") for command in BEGIN)


def test_the_second_command_passes(begun: Path) -> None:
    """The project's own tests, untouched."""
    assert re.search(r"\b2 passed", shell(BEGIN[1], begun))


@pytest.fixture
def third(begun: Path) -> Iterator[subprocess.Popen[str]]:
    """The third command, until the test ends."""
    with subprocess.Popen(
        ["sh", "-c", f"exec {BEGIN[2]}"],
        cwd=begun,
        env=ENVIRONMENT,
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


async def test_the_third_command_runs_the_operator(begun: Path, third: subprocess.Popen[str]) -> None:
    """With the kubeconfig that it names anyone can use the kind, and the operator acts on it."""
    assert third.stdout is not None
    for line in third.stdout:
        if "starting workers" in line:
            break
    kubeconfig = begun / "shop" / ".konverge" / "kubeconfig"
    async with kv.Client.connect(Config.load(kubeconfig)) as client:
        shop = client.in_namespace("default")
        made = {"apiVersion": "shop.example.com/v1", "kind": "Cart", "metadata": {"name": "first"}}
        await shop.create(kv.Unstructured.from_dict(made))

        async def is_ready() -> bool:
            found = (await shop.get(CART, "first")).to_dict()
            return [each["status"] for each in found.get("status", {}).get("conditions", ())] == ["True"]

        await eventually(is_ready, within=PATIENCE)


def test_a_grown_project_is_clean(grown: Path) -> None:
    """Ruff and mypy strict have nothing to say of what was written; a command that is given again changes nothing."""
    assert "Success: no issues found" in shell("make check", grown)
    assert shell(MORE[0], grown) == "all of it is there already\n"


def test_a_grown_project_passes_on_both_servers(grown: Path) -> None:
    """Its own tests, untouched, with every kind of webhook; none is left out."""
    for command in ("make test", "make test-real"):
        said = shell(command, grown)
        assert re.search(r"=+ 8 passed in", said), said


def test_a_grown_project_has_manifests(grown: Path) -> None:
    """Its webhooks and all versions are in them."""
    shell("make manifests IMAGE=registry.example.com/shop:1.0", grown)
    text = (grown / "config" / "install.yaml").read_text(encoding="utf-8")
    for word in (
        "registry.example.com/shop:1.0",
        "strategy: Webhook",
        "name: v2",
        "name: shop-webhooks",
        "pages.shop",
        "imports.other",
    ):
        assert word in text


def test_an_edited_file_is_kept_where_nobody_can_be_asked(begun: Path) -> None:
    """The command fails, names the file, and writes nothing."""
    path = begun / "shop" / "src" / "shop" / "controllers" / "cart.py"
    edited = path.read_text(encoding="utf-8") + "\n# mine\n"
    path.write_text(edited, encoding="utf-8")
    with pytest.raises(AssertionError, match=r"controllers/cart\.py: there already, so nothing was written; --force"):
        shell("konverge create api --kind Cart", begun / "shop")
    assert path.read_text(encoding="utf-8") == edited


def test_the_page_names_every_option_of_run() -> None:
    """And none that there is not."""
    said = shell("konverge run --help", ROOT)
    table = PAGE.partition("## `konverge run`")[2].partition("\n## ")[0]
    named = set(
        re.findall(r"(?<=[`, ])--[a-z]+", "\n".join(line for line in table.splitlines() if line.startswith("|")))
    )
    assert named == set(re.findall(r" (--[a-z]+)", said)) - {"--help"}
    assert RUN[0] in said
