"""Specs of pods: a good one has no faults, and the faults of a bad one come in the order of the real server."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.builtin.strategy import BuiltinStrategy


def _faults(spec: dict[str, Any]) -> list[str]:
    strategy = BuiltinStrategy("", "v1", "Pod")
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "n"}, "spec": spec}
    strategy.prune(pod)
    strategy.default(pod)
    return [error.field for error in strategy.validate(pod)]


def test_a_good_pod_has_no_faults() -> None:
    """Volumes, mounts, probes and resources that fit together."""
    container = {
        "name": "a",
        "image": "i",
        "ports": [{"containerPort": 80, "name": "http"}],
        "volumeMounts": [{"name": "v", "mountPath": "/v"}],
        "livenessProbe": {"httpGet": {"port": "http"}},
        "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1", "example.com/gpu": "1"}},
    }
    assert _faults({"containers": [container], "volumes": [{"name": "v"}]}) == []


def test_faults_come_in_order() -> None:
    """Volumes come first, then containers, then the rest of the spec."""
    container = {"name": "a", "ports": [{}], "volumeMounts": [{"name": "x", "mountPath": "/v"}]}
    found = _faults({"dnsPolicy": "x", "containers": [container], "volumes": [{"name": "V"}], "hostname": "H"})
    assert found == [
        "spec.volumes[0].name",
        "spec.containers[0].image",
        "spec.containers[0].ports[0].containerPort",
        "spec.containers[0].volumeMounts[0].name",
        "spec.dnsPolicy",
        "spec.hostname",
    ]
