"""Resources of pods: huge pages, the pod as a whole, and what a resize may change."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.rules.pod.container_resources import resource_errors
from konverge.cluster.apiserver.builtin.rules.pod.quality import quality_of_service
from konverge.cluster.apiserver.builtin.rules.pod.resize import resize_errors, resized
from konverge.cluster.apiserver.builtin.rules.pod.whole_resources import whole_resource_errors


def _container(name: str = "a", **resources: Any) -> dict[str, Any]:
    return {"name": name, "resources": resources}


@pytest.mark.parametrize(("name", "amount"), [("2Mi", "3Mi"), ("x", "1"), ("0", "1"), ("1m", "1")])
def test_huge_pages_are_whole(name: str, amount: str) -> None:
    """Of a size that is one."""
    found = list(resource_errors({"limits": {f"hugepages-{name}": amount, "cpu": "1"}}, "r"))
    assert found[-1].detail.endswith(f"is not positive integer multiple of hugepages-{name}")


def test_a_pod_asks_for_at_least_what_its_containers_do() -> None:
    """And lets none have more than itself."""
    resources = {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}
    spec = {"resources": resources, "containers": [_container(requests={"cpu": "3"}, limits={"cpu": "3"})]}
    fields = [error.field for error in whole_resource_errors(spec, "spec")]
    assert fields == ["spec.resources.requests[cpu]", "spec.resources.containers[0][cpu].limits"]
    others = {"resources": {"limits": {"ephemeral-storage": "1"}}}
    (error,) = whole_resource_errors(others, "spec")
    assert error.detail == 'supported values: "cpu", "hugepages-", "memory"'


def test_the_pod_as_a_whole_decides_on_its_quality() -> None:
    """Even where it says nothing."""
    spec = {"resources": {}, "containers": [_container(requests={"cpu": "1"})]}
    assert quality_of_service({"spec": spec}) == "BestEffort"
    assert quality_of_service({"spec": {"containers": spec["containers"]}}) == "Burstable"


def _pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"metadata": {}, "spec": {"containers": list(containers), **spec}}


def _resize_faults(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return [error.detail for error in resize_errors(new, old)]


def test_a_resize_changes_cpu_and_memory() -> None:
    """And takes nothing away."""
    old = _pod(_container(requests={"cpu": "1"}))
    assert _resize_faults(_pod(_container(requests={"cpu": "2", "memory": "1Gi"})), old) == []
    storage = _container(requests={"cpu": "1", "ephemeral-storage": "1"})
    assert _resize_faults(_pod(storage), old) == ["only cpu and memory resources are mutable"]
    found = _resize_faults(_pod(_container(requests={"memory": "1Gi"})), old)
    assert found == ["resource requests cannot be removed"]
    claimed = _pod(_container(requests={"cpu": "1"}, claims=[{"name": "c"}]))
    assert _resize_faults(claimed, claimed) == ["only cpu and memory resources are mutable"]


def test_a_resize_keeps_the_containers() -> None:
    """All else of them, and their order."""
    old = _pod(_container(), _container("b"))
    swapped = _pod(_container("b"), _container())
    assert len(_resize_faults(swapped, old)) == 2
    assert _resize_faults(_pod(_container()), old) == ["containers may not be added or removed on resize"]
    new = {"containers": [{**_container(limits={"cpu": "1"}), "image": "j"}, _container("b")], "hostname": "h"}
    assert resized(new, old["spec"]) == {"containers": [_container(limits={"cpu": "1"}), _container("b")]}


def test_a_resize_of_the_pod_as_a_whole() -> None:
    """What it has it keeps, at another size."""
    old = _pod(_container(), resources={"requests": {"cpu": "1"}})
    assert _resize_faults(_pod(_container(), resources={"requests": {"cpu": "2", "memory": "1Gi"}}), old) == []
    gone = _resize_faults(_pod(_container()), old)
    assert "pod-level resources cannot be removed" in gone
