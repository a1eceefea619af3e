"""What objects use, and which scopes they are in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from konverge.api.quota import Evaluator, evaluator_of, quota_used
from konverge.api.quota.amounts import written
from konverge.api.time import format_time

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _used(group: str, plural: str, value: dict[str, Any]) -> dict[str, str]:
    evaluator = evaluator_of(group, plural)
    assert evaluator is not None
    return written(evaluator.usage(value, NOW))


def _pod(requests: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": requests or {}}}
    return {"metadata": {}, "spec": {"containers": [container]}, **more}


def test_most_kinds_are_counted() -> None:
    """By one name; a few have an older one too, and some are never counted."""
    assert _used("apps", "deployments", {}) == {"count/deployments.apps": "1"}
    assert _used("", "secrets", {}) == {"count/secrets": "1", "secrets": "1"}
    assert evaluator_of("", "events") is None


def test_pods_by_what_they_ask_for() -> None:
    """Requests have two names, what vendors add one; a pod that has ended is an object and no more."""
    pod = _pod({"cpu": "1", "hugepages-2Mi": "4Mi", "example.com/gpu": "2"})
    assert _used("", "pods", pod) == {
        "count/pods": "1",
        "pods": "1",
        "cpu": "1",
        "requests.cpu": "1",
        "hugepages-2Mi": "4Mi",
        "requests.hugepages-2Mi": "4Mi",
        "requests.example.com/gpu": "2",
    }
    assert _used("", "pods", {**pod, "status": {"phase": "Failed"}}) == {"count/pods": "1"}


@pytest.mark.parametrize(("seconds", "counts"), [(29, True), (31, False)])
def test_a_pod_that_should_be_gone(seconds: int, counts: bool) -> None:
    """A pod whose node is lost counts until twice its grace has passed."""
    deletion = format_time(NOW - timedelta(seconds=seconds))
    pod = _pod(metadata={"deletionTimestamp": deletion, "deletionGracePeriodSeconds": 30})
    assert ("pods" in _used("", "pods", pod)) is counts


def test_services() -> None:
    """Node ports count for each port, unless the load balancer does without."""
    ports = [{"port": 1, "nodePort": 30000}, {"port": 2}]
    balancer = {"type": "LoadBalancer", "ports": ports}
    assert _used("", "services", {"spec": balancer})["services.nodeports"] == "2"
    without = {**balancer, "allocateLoadBalancerNodePorts": False}
    assert _used("", "services", {"spec": without})["services.nodeports"] == "1"
    assert _used("", "services", {"spec": {"ports": ports}})["services.loadbalancers"] == "0"


def test_claims_of_storage() -> None:
    """What is allocated counts where it is more; a claim also counts for its class."""
    claim = {
        "spec": {"storageClassName": "gold", "resources": {"requests": {"storage": "1500m"}}},
        "status": {"allocatedResources": {"storage": "1"}},
    }
    used = _used("", "persistentvolumeclaims", claim)
    assert used["requests.storage"] == used["gold.storageclass.storage.k8s.io/requests.storage"] == "2"
    larger = {**claim, "status": {"allocatedResources": {"storage": "1Gi"}}}
    assert _used("", "persistentvolumeclaims", larger)["requests.storage"] == "1Gi"


def test_claims_of_devices() -> None:
    """All of them is as many as can be given; of alternatives the most of each class."""
    requests = [
        {"exactly": {"deviceClassName": "gpu", "allocationMode": "All"}},
        {
            "firstAvailable": [
                {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2},
                {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1},
            ]
        },
    ]
    used = _used("resource.k8s.io", "resourceclaims", {"spec": {"devices": {"requests": requests}}})
    assert used["gpu.deviceclass.resource.k8s.io/devices"] == "34"


def test_what_a_pod_must_tell() -> None:
    """A quota of cpu makes every container say how much it wants, unless the pod says it for all."""
    evaluator = evaluator_of("", "pods")
    assert evaluator is not None
    assert (
        evaluator.missing(["cpu", "pods", "limits.memory"], _pod()) == "must specify cpu for: c; limits.memory for: c"
    )
    assert evaluator.missing(["cpu"], _pod({"cpu": "1"})) == ""
    whole = _pod()
    whole["spec"]["resources"] = {"limits": {"cpu": "1"}}
    assert evaluator.missing(["cpu"], whole) == ""


@pytest.mark.parametrize(
    ("scope", "pod", "is_in"),
    [
        ({"scopeName": "BestEffort"}, _pod(), True),
        ({"scopeName": "BestEffort"}, _pod({"cpu": "1"}), False),
        ({"scopeName": "NotBestEffort"}, _pod(status={"qosClass": "Burstable"}), True),
        ({"scopeName": "NotTerminating"}, _pod(), True),
        ({"scopeName": "PriorityClass", "operator": "DoesNotExist"}, _pod(), True),
        ({"scopeName": "PriorityClass", "operator": "In", "values": ["a"]}, _pod(), False),
        ({"scopeName": "Other"}, _pod(), False),
    ],
)
def test_scopes(scope: dict[str, Any], pod: dict[str, Any], is_in: bool) -> None:
    """Which pods are in which scope."""
    evaluator = evaluator_of("", "pods")
    assert evaluator is not None
    assert evaluator.is_in(scope, pod) is is_in


def test_what_a_namespace_uses() -> None:
    """The controller's sum: of what the quota limits, of the objects in its scopes."""
    pods, maps = evaluator_of("", "pods"), evaluator_of("", "configmaps")
    assert pods is not None
    assert maps is not None
    quota = {"spec": {"hard": {"pods": "5", "cpu": "1", "configmaps": "1", "x": "1"}}}
    objects: dict[Evaluator, list[dict[str, Any]]] = {pods: [_pod({"cpu": "100m"}), _pod({"cpu": "1"})], maps: [{}]}
    assert written(quota_used(quota, objects, NOW)) == {"configmaps": "1", "cpu": "1100m", "pods": "2"}
    scoped = {"spec": {"hard": {"pods": "5"}, "scopes": ["BestEffort"]}}
    assert written(quota_used(scoped, {pods: [_pod({"cpu": "1"}), _pod()]}, NOW)) == {"pods": "1"}
