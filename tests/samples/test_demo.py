"""`make demo`: a custom resource becomes a web page, seen in a real browser."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from chromium import Browser, browser

from konverge.testing.binaries import find

ROOT: Final = Path(__file__).resolve().parents[2]
DEMO: Final = ROOT / "samples" / "markdownview" / "demo.py"
SCREENSHOT: Final = "KONVERGE_SCREENSHOT"  # where to write the README's picture; nowhere unless it is set


@dataclass(frozen=True)
class Demo:
    """A demo at work, and what it says."""

    said: str
    url: str
    kubeconfig: Path
    cache: Path

    def kubectl(self, *args: str) -> list[str]:
        """Return a command of the stock kubectl."""
        program = find("kubectl")["kubectl"]
        return [str(program), f"--kubeconfig={self.kubeconfig}", f"--cache-dir={self.cache}", *args]


def lines_until(process: subprocess.Popen[str], text: str) -> str:
    """Return what a program says, up to the line with a text."""
    said: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        if text in line:
            return "".join(said)
    raise AssertionError(f"it ended without {text!r}: {''.join(said)}")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The demo, which stays while the tests look at it, and ends in order with nothing left behind."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, str(DEMO), "--stay", "--data", str(folder)]
    environ = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            said = lines_until(process, "Ctrl-C ends it.")
            url, kubeconfig = re.search(r"http://127\S+", said), re.search(r"KUBECONFIG=(\S+)", said)
            assert url, said
            assert kubeconfig, said
            yield Demo(said, url[0], Path(kubeconfig[1]), tmp_path_factory.mktemp("cache"))
        finally:
            process.send_signal(signal.SIGTERM)
            rest, _ = process.communicate(timeout=120)
    assert process.returncode == 0, rest
    assert "All of it has ended." in rest
    assert not (folder / "memory").exists()


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser's window."""
    with browser(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


def edit(demo: Demo, heading: str) -> None:
    """Change the Markdown with kubectl."""
    patch = json.dumps({"spec": {"markdowns": {"README.md": f"# {heading}\n\nWith **kubectl**.\n"}}})
    subprocess.run(demo.kubectl("patch", "markdownview", "sample", "--type=merge", "-p", patch), check=True)


@contextmanager
def forwarding(demo: Demo) -> Iterator[str]:
    """Forward a port of this machine to the Service, by kubectl; gives the address of the page."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = demo.kubectl("port-forward", "svc/viewer-sample", f"{port}:80", "--address=127.0.0.1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            lines_until(process, "Forwarding from")
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()


@pytest.mark.usefixtures("real_cluster")  # for its skip rule: it comes with the stock kubectl
class TestPage:
    """The page, once on the Service's own address and once through a forwarded port."""

    def test_the_demo_says_what_there_is(self, demo: Demo) -> None:
        """A table of four objects, the page's address, and what to try next."""
        for line in (
            "deployment/viewer-sample",
            "service/viewer-sample",
            "configmap/markdowns-sample",
            "markdownview/sample",
            "status Healthy",
            "edit markdownview sample",
            "delete deployment viewer-sample",
            "port-forward svc/viewer-sample 3000:80",
        ):
            assert line in demo.said

    def test_a_second_demo_of_the_same_folder_is_refused(self, demo: Demo) -> None:
        """It would take down the cluster of the first."""
        command = [sys.executable, str(DEMO), "--data", str(demo.kubeconfig.parents[1])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("a demo is at work already")

    def test_the_page_shows_the_rendered_markdown(self, demo: Demo, window: Browser) -> None:
        """Its heading, its table, its links; on the Service's own address."""
        window.open(demo.url)
        window.wait_for_text("h1", "Hello, konverge")
        assert window.text("th") == "you write"
        assert window.text("nav a[aria-current]") == "README"
        if path := os.environ.get(SCREENSHOT):
            window.screenshot(Path(path))

    def test_the_page_follows_the_object(self, demo: Demo, window: Browser) -> None:
        """A change with kubectl is seen without a reload, there and through a forwarded port."""
        window.open(demo.url)
        edit(demo, "Edited")
        window.wait_for_text("h1", "Edited")
        assert window.text("main strong") == "kubectl"
        with forwarding(demo) as url:
            window.open(url)
            window.wait_for_text("h1", "Edited")
            edit(demo, "Edited again")
            window.wait_for_text("h1", "Edited again")

    def test_a_deleted_child_returns(self, demo: Demo, window: Browser) -> None:
        """And the page with it."""
        subprocess.run(demo.kubectl("delete", "deployment", "viewer-sample"), check=True)
        ready = demo.kubectl("wait", "--for=condition=Available", "deployment/viewer-sample", "--timeout=90s")
        subprocess.run(demo.kubectl("wait", "--for=create", "deployment/viewer-sample", "--timeout=90s"), check=True)
        subprocess.run(ready, check=True)
        window.open(demo.url)
        window.wait_for_text("h1", "Edited again")


def test_without_a_terminal_it_ends_by_itself(tmp_path: Path) -> None:
    """With all that it shows, from any folder; where there is no kubectl it says how to get one."""
    command = [sys.executable, str(DEMO), "--data", str(tmp_path / "data")]
    # Neither in the PATH nor in the cache that `make kube` fills.
    nowhere = {name: value for name, value in os.environ.items() if name != "KONVERGE_KUBE_ASSETS"}
    nowhere |= {"PATH": str(tmp_path / "empty"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(command, cwd=tmp_path, env=nowhere, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "make kube builds one" in done.stdout
    assert 'the page says "Hello, konverge"' in done.stdout
    assert "It ends here" in done.stdout


def test_what_it_names_is_there() -> None:
    """The tutorial, the sample, and the target of the Makefile that runs it."""
    text = DEMO.read_text(encoding="utf-8")
    for name in ("docs/tutorial.md", "samples/markdownview"):
        assert name in text
        assert (ROOT / name).exists()
    assert "python samples/markdownview/demo.py" in (ROOT / "Makefile").read_text(encoding="utf-8")
