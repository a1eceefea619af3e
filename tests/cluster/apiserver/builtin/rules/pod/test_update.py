"""Changes of pods: what may change, and what is said about the rest."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.builtin.rules.pod.update import added_only_errors, pod_change_errors

_OLD: dict[str, Any] = {
    "containers": [{"name": "a", "image": "i"}],
    "tolerations": [{"key": "k", "operator": "Exists"}],
    "terminationGracePeriodSeconds": 30,
}


def _faults(**changes: Any) -> list[str]:
    return [str(error) for error in pod_change_errors({**_OLD, **changes}, _OLD)]


def test_images_deadlines_and_tolerations_may_change() -> None:
    """An image becomes another, a deadline is set, a toleration joins."""
    more = [*_OLD["tolerations"], {"key": "l", "operator": "Exists"}]
    image = [{"name": "a", "image": "j"}]
    assert _faults(containers=image, activeDeadlineSeconds=5, tolerations=more) == []


def test_other_fields_may_not_change() -> None:
    """A change of any other field is refused with the list of those that may."""
    (fault,) = _faults(hostname="h")
    assert fault.startswith("spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,")


def test_containers_are_not_added() -> None:
    """A second container ends the judgement."""
    (fault,) = _faults(containers=[*_OLD["containers"], {"name": "b", "image": "i"}], hostname="h")
    assert fault == "spec.containers: Forbidden: pod updates may not add or remove containers"


def test_tolerations_are_not_dropped() -> None:
    """What a pod tolerates it goes on to tolerate."""
    text = "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"
    assert _faults(tolerations=[]) == [text]


def test_a_pod_that_waits_may_be_told_where_to_go() -> None:
    """A gated pod takes another node selector; gates can only go."""
    gated = {**_OLD, "schedulingGates": [{"name": "g"}]}
    assert list(pod_change_errors({**gated, "nodeSelector": {"a": "b"}}, gated)) == []
    assert list(pod_change_errors({**gated, "affinity": {"nodeAffinity": {"x": 1}}}, gated)) == []
    assert list(pod_change_errors({**gated, "affinity": {"podAffinity": {"x": 1}}}, gated)) != []
    (error,) = pod_change_errors({**gated, "schedulingGates": [{"name": "h"}]}, gated)
    assert str(error).endswith("only deletion is allowed, but found new scheduling gate 'h'")


def test_ephemeral_containers_stay_as_they_are() -> None:
    """They are neither removed nor changed."""
    old = {"ephemeralContainers": [{"name": "e", "image": "i"}]}
    (removed,) = added_only_errors({}, old)
    (changed,) = added_only_errors({"ephemeralContainers": [{"name": "e", "image": "j"}]}, old)
    assert "may not be removed" in removed.detail
    assert "may not be changed" in changed.detail
