"""Random objects of every built-in kind, filled in as Kubernetes does (`tools/capture_builtin_defaults.py`)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.strategy import BuiltinStrategy

PAIRS = json.loads((Path(__file__).parent / "objects.json").read_text())
KINDS = sorted({(before["apiVersion"], before["kind"]) for before, _ in PAIRS})


def _strategy(api_version: str, kind: str) -> BuiltinStrategy:
    group, _, version = api_version.rpartition("/")
    return BuiltinStrategy(group, version, kind)


@pytest.mark.parametrize(("api_version", "kind"), KINDS)
def test_objects_are_filled_in_as_by_the_real_server(api_version: str, kind: str) -> None:
    """What is read and defaulted is what the Go code gives back."""
    strategy = _strategy(api_version, kind)
    for before, after in PAIRS:
        if (before["apiVersion"], before["kind"]) == (api_version, kind):
            value = copy.deepcopy(before)
            strategy.prune(value)
            strategy.default(value)
            strategy.canonicalize(value)
            assert value == after


@pytest.mark.parametrize(("api_version", "kind"), KINDS)
def test_filling_in_twice_is_filling_in_once(api_version: str, kind: str) -> None:
    """An object that was read back is full: nothing is added on the way to the next write."""
    strategy = _strategy(api_version, kind)
    for before, after in PAIRS:
        if (before["apiVersion"], before["kind"]) == (api_version, kind):
            value = copy.deepcopy(after)
            strategy.prune(value)
            strategy.default(value)
            assert value == after


def test_every_pull_policy_is_that_of_its_tag() -> None:
    """Only `latest`, said or unsaid, is always pulled; what is no name of an image has no tag."""
    digest = "sha256:" + "0" * 64
    images = {
        "nginx": "Always",
        "nginx:latest": "Always",
        f"nginx:latest@{digest}": "Always",
        "example.com:5000/a/b": "Always",
        "localhost/x": "Always",
        "nginx:1": "IfNotPresent",
        f"nginx@{digest}": "IfNotPresent",
        "nginx@sha256:00": "IfNotPresent",
        "Nginx": "IfNotPresent",
        "": "IfNotPresent",
        "0" * 64: "IfNotPresent",
    }
    strategy = _strategy("v1", "Pod")
    for image, policy in images.items():
        pod: dict[str, Any] = {"spec": {"containers": [{"name": "a", "image": image}]}}
        strategy.prune(pod)
        strategy.default(pod)
        assert pod["spec"]["containers"][0]["imagePullPolicy"] == policy, image
