"""Fields of features that are off: dropped from what a request brings, kept where they are in use."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.builtin.disabled_fields import drop_disabled_fields, pod_spec_path


def _pod() -> dict[str, Any]:
    source = {"clusterTrustBundle": {"name": "x", "path": "p"}}
    return {
        "spec": {
            "containers": [
                {"name": "a", "lifecycle": {"stopSignal": "SIGTERM"}},
                {"name": "b", "lifecycle": {"stopSignal": "SIGTERM", "preStop": {}}},
            ],
            "volumes": [{"name": "v", "projected": {"sources": [source]}}],
            "schedulingGroup": {"podGroupName": "g"},
        }
    }


def test_a_new_pod_loses_them() -> None:
    """A lifecycle that said nothing else goes too."""
    pod = _pod()
    drop_disabled_fields(pod, None, pod_spec_path("", "Pod"))
    assert pod["spec"] == {
        "containers": [{"name": "a"}, {"name": "b", "lifecycle": {"preStop": {}}}],
        "volumes": [{"name": "v", "projected": {"sources": [{}]}}],
    }


def test_a_pod_that_has_them_keeps_them() -> None:
    """It was written where the features were on."""
    pod = _pod()
    drop_disabled_fields(pod, _pod(), pod_spec_path("", "Pod"))
    assert pod == _pod()


def test_templates_are_found_in_every_workload() -> None:
    """At any depth; a kind without pods has none."""
    job = {"spec": {"jobTemplate": {"spec": {"template": _pod()}}}}
    drop_disabled_fields(job, None, pod_spec_path("batch", "CronJob"))
    assert "schedulingGroup" not in job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert pod_spec_path("", "ConfigMap") == ()
