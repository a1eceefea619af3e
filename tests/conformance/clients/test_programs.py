"""The clients of others, each in a small real program: they run on both servers and see the same."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from konverge.errors import AlreadyExists, NotFound, TooManyRequests
from konverge.testing.cluster import Cluster

PROGRAMS = Path(__file__).parent / "programs"
PATIENCE = 60.0  # seconds
PAUSE = 0.05


def define_cogs(cluster: Cluster) -> None:
    """Create the CRD that the programs use, unless it is there, and wait until it is served."""
    spec = {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}}
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": spec, "status": anything}}
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}, "scale": scale},
    }
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "cogs.cogs.example.com"},
        "spec": {
            "group": "cogs.example.com",
            "scope": "Namespaced",
            "names": {"plural": "cogs", "singular": "cog", "kind": "Cog"},
            "versions": [version],
        },
    }
    with suppress(AlreadyExists):
        cluster.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
    until(lambda: found(cluster, "/apis/cogs.example.com/v1/cogs"))


def found(cluster: Cluster, path: str) -> Any:
    """Return an answer, None where there is none."""
    try:
        return cluster.call("GET", path)
    except (NotFound, TooManyRequests, ValueError):  # not served yet: a 404 in plain text, a storage that begins
        return None


def until(check: Callable[[], Any]) -> Any:
    """Wait until a check returns something true."""
    deadline = time.monotonic() + PATIENCE
    while not (value := check()):
        assert time.monotonic() < deadline
        time.sleep(PAUSE)  # the operator is a process of its own: nothing tells us when it is done
    return value


def environment(cluster: Cluster) -> dict[str, str]:
    """Return what a program needs to find the server."""
    return {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), "PYTHONUNBUFFERED": "1"}


def run(cluster: Cluster, program: str, namespace: str) -> list[str]:
    """Run a program and return its lines."""
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / program), namespace],
        env=environment(cluster),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


def test_the_official_python_client(cluster: Cluster, namespace: str) -> None:
    """Typed objects, a watch, pages, a conflict, custom objects and their status."""
    define_cogs(cluster)
    assert run(cluster, "official.py", namespace) == [
        "conflict: 409 Conflict",
        "pages: ['one', 'three'] ['two']",
        "selected: [('settings', {'a': '1', 'b': '2', 'c': '3'})]",
        "ADDED settings [('a', '1')]",
        "MODIFIED settings [('a', '1'), ('b', '2')]",
        "MODIFIED settings [('a', '1'), ('b', '2'), ('c', '3')]",
        "DELETED settings [('a', '1'), ('b', '2'), ('c', '3')]",
        "custom: {'size': 3} {'phase': 'Ready'} 2",
        "scale: Scale {'replicas': 3}",
        "refused: 422 True",
        "left: []",
    ]


def test_lightkube(cluster: Cluster, namespace: str) -> None:
    """Four kinds of patches, server-side apply with a conflict, a watch, a wait for a condition."""
    define_cogs(cluster)
    assert run(cluster, "light.py", namespace) == [
        "defaults: 1 RollingUpdate Always",
        "strategic: ['side', 'web']",
        "scale: 5 5 app=web",
        "generation: 5",
        "conflict: 409 Conflict",
        "ADDED settings {'a': '1'} ['light']",
        "MODIFIED settings {'a': '2'} ['light']",
        "MODIFIED settings {'a': '2'} ['light', 'other']",
        "DELETED settings {'a': '2'} ['light', 'other']",
        "custom: {'size': 2} {'conditions': [{'status': 'True', 'type': 'Ready'}]}",
    ]


@contextmanager
def operator(cluster: Cluster, namespace: str) -> Iterator[None]:
    """Run the operator on kopf meanwhile."""
    program = str(PROGRAMS / "operator_of_cogs.py")
    command = [sys.executable, "-m", "kopf", "run", "--standalone", "--namespace", namespace, program]
    with subprocess.Popen(
        command, env=environment(cluster), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            yield
        finally:
            process.terminate()
            said, _ = process.communicate(timeout=PATIENCE)
    assert not process.returncode, said.decode()
    assert b"Traceback" not in said, said.decode()


def test_an_operator_on_kopf(cluster: Cluster, namespace: str) -> None:
    """It sees a new object, makes its child, follows a field, and lets go of what is deleted."""
    define_cogs(cluster)
    cogs = f"/apis/cogs.example.com/v1/namespaces/{namespace}/cogs"
    child = f"/api/v1/namespaces/{namespace}/configmaps/wheel"
    cog = {"apiVersion": "cogs.example.com/v1", "kind": "Cog", "metadata": {"name": "wheel"}, "spec": {"size": 1}}
    with operator(cluster, namespace):
        cluster.call("POST", cogs, cog)
        made = until(lambda: cluster.call("GET", f"{cogs}/wheel").get("status", {}).get("create"))
        assert made == {"child": "wheel"}
        assert cluster.call("GET", child)["data"] == {"size": "1"}
        now = cluster.call("GET", f"{cogs}/wheel")
        cluster.call("PUT", f"{cogs}/wheel", {**now, "spec": {"size": 2}})
        until(lambda: cluster.call("GET", f"{cogs}/wheel")["status"].get("phase") == "Resized")
        assert cluster.call("GET", child)["data"] == {"size": "2"}
        cluster.call("DELETE", f"{cogs}/wheel")
        until(lambda: found(cluster, f"{cogs}/wheel") is None)
        assert found(cluster, child) is None
