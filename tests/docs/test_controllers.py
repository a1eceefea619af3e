"""The guide to controllers: its program runs as printed, its examples do what they say."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from konverge.testing import Cluster

PAGE = Path(__file__).resolve().parents[2] / "docs" / "controllers.md"
RunPage = Callable[[Path], int]


def blocks() -> list[str]:
    """Return the python blocks of the page."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def team_of(cluster: Cluster, namespace: str) -> str:
    """Return what the controller wrote into a namespace, or nothing."""
    found = cluster.call("GET", f"/api/v1/namespaces/{namespace}/configmaps")["items"]
    return next((item["data"]["team"] for item in found if item["metadata"]["name"] == "team"), "")


def wait_for(what: Callable[[], bool], program: subprocess.Popen[str]) -> None:
    """Look until something is so; the program under test must be alive meanwhile."""
    deadline = time.monotonic() + 60
    while not what():
        assert program.poll() is None, program.communicate()[0]
        assert time.monotonic() < deadline, "it did not happen within a minute"
        time.sleep(0.05)


def test_the_first_program_runs_as_it_is_printed(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    """Copied into a file and started, it reconciles, repairs, and ends in order at SIGTERM."""
    program = tmp_path / "teams.py"
    program.write_text(blocks()[0])
    assert len([line for line in blocks()[0].splitlines() if line.strip()]) <= 20
    env = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig)}
    with subprocess.Popen(
        [sys.executable, program], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        wait_for(lambda: team_of(cluster, namespace) == "nobody", running)
        cluster.kubectl("label", "namespace", namespace, "team=blue")
        wait_for(lambda: team_of(cluster, namespace) == "blue", running)
        cluster.kubectl("delete", "configmap", "team", "--namespace", namespace)
        wait_for(lambda: team_of(cluster, namespace) == "blue", running)
        running.send_signal(signal.SIGTERM)
        output, _ = running.communicate(timeout=60)
    assert running.returncode == 0, output


def test_the_other_examples_do_what_the_page_says(run_page: RunPage, tmp_path: Path) -> None:
    """All blocks after the first run, and every value the page shows is the real one."""
    page = tmp_path / "controllers.md"
    first = "import konverge as kv\nfrom konverge.models import core_v1\n"
    page.write_text("\n".join(f"```python\n{block}```\n" for block in [first, *blocks()[1:]]))
    assert run_page(page) == len(blocks())
