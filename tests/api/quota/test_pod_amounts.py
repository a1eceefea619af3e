"""What a pod as a whole asks for."""

from __future__ import annotations

from typing import Any

from konverge.api.quota.amounts import written
from konverge.api.quota.pod_amounts import pod_amounts


def _container(cpu: str, *, name: str = "c", **more: Any) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": {"cpu": cpu}, "limits": {"cpu": cpu}}, **more}


def _cpu(which: str = "requests", *, with_status: bool = True, status: Any = None, **spec: Any) -> str:
    return written(pod_amounts({"spec": spec, "status": status or {}}, which, with_status=with_status)).get("cpu", "")


def test_containers_and_init_containers() -> None:
    """Containers add up; an init container counts alone, with the sidecars that were started before it."""
    assert _cpu(containers=[_container("1"), _container("500m")]) == "1500m"
    assert _cpu(containers=[_container("1")], initContainers=[_container("3"), _container("2")]) == "3"
    sidecar = _container("1", restartPolicy="Always")
    assert _cpu(containers=[_container("1")], initContainers=[sidecar, _container("2")]) == "3"
    assert _cpu(containers=[_container("3")], initContainers=[sidecar, _container("2")]) == "4"


def test_the_pod_itself_and_overhead() -> None:
    """What a pod says of itself takes the place of the sum; overhead comes on top, of limits only where there are."""
    own = {"requests": {"cpu": "7", "example.com/gpu": "1"}}
    assert _cpu(containers=[_container("1")], resources=own) == "7"
    assert _cpu(containers=[_container("1")], overhead={"cpu": "250m"}) == "1250m"
    assert _cpu("limits", containers=[{"name": "c"}], overhead={"cpu": "250m"}) == ""
    assert _cpu(containers=[_container("1")], overhead={"cpu": "250m"}, with_status=False) == "1"


def test_a_pod_that_is_resized() -> None:
    """The greatest of what is wanted, allocated and in use counts; where it is not feasible, what there is."""
    states = [{"name": "c", "resources": {"requests": {"cpu": "2"}}, "allocatedResources": {"cpu": "3"}}]
    assert _cpu(containers=[_container("1")], status={"containerStatuses": states}) == "3"
    assert _cpu(containers=[_container("5")], status={"containerStatuses": states}) == "5"
    refused = {"conditions": [{"type": "PodResizePending", "reason": "Infeasible"}], "containerStatuses": states}
    assert _cpu(containers=[_container("5")], status=refused) == "3"
