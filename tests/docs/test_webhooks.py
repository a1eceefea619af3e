"""The guide to webhooks: its program runs as printed and is asked by a real server; its examples do what they say."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from konverge.errors import ApiError
from konverge.testing import Cluster

PAGE = Path(__file__).resolve().parents[2] / "docs" / "webhooks.md"
GROUP = "docs.konverge.dev"
HOOKS = "/apis/admissionregistration.k8s.io/v1"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
RunPage = Callable[[Path], int]


def blocks() -> list[str]:
    """Return the python blocks of the page."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def wait_for(what: Callable[[], bool], program: subprocess.Popen[str]) -> None:
    """Look until something is so; the program under test must be alive meanwhile."""
    deadline = time.monotonic() + 60
    while not what():
        assert program.poll() is None, program.communicate()[0]
        assert time.monotonic() < deadline, "it did not happen within a minute"
        time.sleep(0.05)


@pytest.fixture
def installed(cluster: Cluster) -> Iterator[None]:
    """The kind of the page, while the test runs, and no webhooks after it."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "pages", "singular": "page", "kind": "Page", "listKind": "PageList"}
    spec = {"group": GROUP, "names": names, "scope": "Namespaced", "versions": [version]}
    cluster.call("POST", CRDS, {"metadata": {"name": f"pages.{GROUP}"}, "spec": spec})
    yield
    for path in (
        f"{HOOKS}/mutatingwebhookconfigurations/pages-mutating-webhook-configuration",
        f"{HOOKS}/validatingwebhookconfigurations/pages-validating-webhook-configuration",
        f"{CRDS}/pages.{GROUP}",
    ):
        cluster.call("DELETE", path)


@pytest.mark.cluster("real")
@pytest.mark.usefixtures("installed")
def test_the_program_runs_as_it_is_printed(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    """Copied into a file and started, it fills in, refuses with the field's name, and ends in order at SIGTERM."""
    program = tmp_path / "pages.py"
    program.write_text(blocks()[0])
    path = f"/apis/{GROUP}/v1/namespaces/{namespace}/pages"

    def page(name: str, **spec: Any) -> dict[str, Any]:
        return {"apiVersion": f"{GROUP}/v1", "kind": "Page", "metadata": {"name": name}, "spec": spec}

    def answer(name: str, **spec: Any) -> Any:
        try:
            return cluster.call("POST", f"{path}?dryRun=All", page(name, **spec))["spec"]
        except ApiError as error:
            return error.message

    def is_at_work() -> bool:
        mistake = 'Page.docs.konverge.dev "large" is invalid: spec.replicas: Invalid value: 9: must be 5 or less'
        return answer("probe") == {"theme": "plain"} and str(answer("large", replicas=9)).endswith(mistake)

    env = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig)}
    with subprocess.Popen(
        [sys.executable, program], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        wait_for(is_at_work, running)
        running.send_signal(signal.SIGTERM)
        output, _ = running.communicate(timeout=60)
    assert running.returncode == 0, output


def test_the_other_examples_do_what_the_page_says(run_page: RunPage) -> None:
    """All blocks run, and every value the page shows is the real one."""
    assert run_page(PAGE) == len(blocks())
