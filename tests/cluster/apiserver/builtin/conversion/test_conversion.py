"""Conversions beside the real server's: an object is written in one form and read in both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from konverge.cluster.apiserver.builtin.conversion import conversion_of
from konverge.testing import RealCluster

OBJECTS = (Path(__file__).parent / "objects.yaml").read_text(encoding="utf-8")
NAMES = [f"{found['kind']}-{found['metadata']['name']}" for found in yaml.safe_load_all(OBJECTS)]
# Events of the old form are refused in the new one, which asks for more.
WRITABLE = [index for index, found in enumerate(yaml.safe_load_all(OBJECTS)) if found["apiVersion"] != "v1"]
EVENTS = ("/api/v1", "/apis/events.k8s.io/v1", "events")
AUTOSCALERS = ("/apis/autoscaling/v2", "/apis/autoscaling/v1", "horizontalpodautoscalers")

pytestmark = pytest.mark.cluster("real")


def bare(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object without the record of who wrote what, which names the form."""
    value["metadata"].pop("managedFields", None)
    return value


def written(cluster: RealCluster, path: str, value: dict[str, Any]) -> None:
    """Create an object with its status."""
    status = value.pop("status", None)
    made = cluster.call("POST", path, value)
    if status is not None:
        annotations = made["metadata"].get("annotations", {}) | value["metadata"].get("annotations", {})
        made["metadata"]["annotations"] = annotations
        cluster.call("PUT", f"{path}/{value['metadata']['name']}/status", {**made, "status": status})


def views(cluster: RealCluster, namespace: str, value: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write an object and return it as it is stored and as it is converted."""
    stored, converted, plural = EVENTS if value["kind"] == "Event" else AUTOSCALERS
    root = stored if stored.endswith(f"/{value['apiVersion']}") else converted
    written(cluster, f"{root}/namespaces/{namespace}/{plural}", value)
    name = value["metadata"]["name"]
    first = cluster.call("GET", f"{stored}/namespaces/{namespace}/{plural}/{name}")
    return bare(first), bare(cluster.call("GET", f"{converted}/namespaces/{namespace}/{plural}/{name}"))


def conversion(value: dict[str, Any]) -> Any:
    """Return the conversion of a kind."""
    key = ("events.k8s.io", "v1") if value["kind"] == "Event" else ("autoscaling", "v1")
    found = conversion_of(*key, value["kind"])
    assert found is not None
    return found


@pytest.mark.parametrize("index", range(len(NAMES)), ids=NAMES)
def test_what_is_stored_is_shown_as_the_real_server_shows_it(cluster: RealCluster, namespace: str, index: int) -> None:
    """The stored form, converted, is the other form."""
    value = list(yaml.safe_load_all(OBJECTS.replace("NAMESPACE", namespace)))[index]
    stored, converted = views(cluster, namespace, value)
    assert conversion(value).from_storage(stored) == converted
    if value["kind"] == "Event":  # nothing of an event is lost on the way
        assert conversion(value).to_storage(converted) == stored


@pytest.mark.parametrize("index", WRITABLE, ids=[NAMES[index] for index in WRITABLE])
def test_what_is_written_is_stored_as_the_real_server_stores_it(
    cluster: RealCluster, namespace: str, index: int
) -> None:
    """The other form, with all its annotations, is written again and gives the stored form."""
    value = list(yaml.safe_load_all(OBJECTS.replace("NAMESPACE", namespace)))[index]
    _, converted = views(cluster, namespace, value)
    again = {**converted, "metadata": {**converted["metadata"], "name": "again"}}
    for name in ("uid", "resourceVersion", "creationTimestamp", "generation"):
        again["metadata"].pop(name, None)
    ours = conversion(value).to_storage(again)
    stored, _ = views(cluster, namespace, again)
    for given in ("uid", "resourceVersion", "creationTimestamp", "generation"):
        stored["metadata"].pop(given, None)
    assert ours == stored


def test_other_kinds_are_stored_as_they_are() -> None:
    """There is nothing to convert."""
    assert conversion_of("apps", "v1", "Deployment") is None
    assert conversion_of("autoscaling", "v2", "HorizontalPodAutoscaler") is None
    assert conversion_of("", "v1", "Event") is None


def test_a_conversion_leaves_its_input_alone() -> None:
    """The object that was read is not changed."""
    value: dict[str, Any] = {
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a", "annotations": {"autoscaling.alpha.kubernetes.io/behavior": "{}", "b": "c"}},
        "spec": {"maxReplicas": 1},
    }
    before = yaml.safe_dump(value)
    assert conversion(value).to_storage(value)["metadata"]["annotations"] == {"b": "c"}
    conversion(value).from_storage(value)
    assert yaml.safe_dump(value) == before
