"""Jobs: what of them may change."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.builtin.strategy import BuiltinStrategy

_STRATEGY = BuiltinStrategy("batch", "v1", "Job")


def _job(**spec: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "a", "image": "i"}], "restartPolicy": "Never"}
    metadata = {"name": "a", "namespace": "n", "uid": "u"}
    whole = {"template": {"spec": pod}, **spec}
    job: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": whole}
    _STRATEGY.prune(job)
    _STRATEGY.default(job)
    _STRATEGY.prepare_for_create(job)
    return job


def _faults(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return [str(error) for error in _STRATEGY.validate_update(new, old)]


def _changed(**spec: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    new, old = _job(**spec), _job(**spec)
    new["spec"]["template"]["spec"]["containers"][0]["image"] = "j"
    return new, old


def test_a_template_does_not_change() -> None:
    """Another image is refused; the message shows the template as the real server holds it."""
    (fault,) = _faults(*_changed())
    assert fault.startswith('spec.template: Invalid value: {"labels":{')
    assert '"Name":"a","Image":"j"' in fault
    assert fault.endswith(": field is immutable")


def test_a_suspended_job_may_be_given_other_resources() -> None:
    """A job that runs nothing yet takes resources and places of its pods, and nothing else."""
    new, old = _job(suspend=True), _job(suspend=True)
    new["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "1"}}
    new["spec"]["template"]["spec"]["nodeSelector"] = {"a": "b"}
    assert _faults(new, old) == []
    (fault,) = _faults(*_changed(suspend=True))
    assert fault.startswith('spec.template.spec: Invalid value: {"Volumes":null')
