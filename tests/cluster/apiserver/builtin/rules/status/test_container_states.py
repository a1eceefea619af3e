"""Containers that ended and run again: who says that they may."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.rules.status.container_states import state_errors


def _errors(code: int, *, pod: str = "Never", **container: Any) -> list[str]:
    spec = {"restartPolicy": pod, "containers": [{"name": "a", **container}]}
    before = {"containerStatuses": [{"name": "a", "state": {"terminated": {"exitCode": code}}}]}
    after = {"containerStatuses": [{"name": "a", "state": {"running": {}}}]}
    return [error.field for error in state_errors(after, before, spec=spec)]


@pytest.mark.parametrize(("pod", "code", "may"), [("Always", 0, True), ("OnFailure", 0, False), ("OnFailure", 1, True)])
def test_the_pod_says_it(pod: str, code: int, *, may: bool) -> None:
    """Where the container says nothing."""
    assert _errors(code, pod=pod) == ([] if may else ["status.containerStatuses[0].state"])


def test_the_container_says_it_first() -> None:
    """Its own policy counts in place of the pod's."""
    assert _errors(1, pod="Always", restartPolicy="Never")
    assert not _errors(1, pod="Never", restartPolicy="OnFailure")


def test_a_rule_for_the_exit_code_says_it_before_all() -> None:
    """The first rule that takes the code; rules without a policy do not count."""
    rules = [{"action": "Restart", "exitCodes": {"operator": "NotIn", "values": [0, 1]}}]
    assert not _errors(2, restartPolicy="Never", restartPolicyRules=rules)
    assert _errors(1, restartPolicy="Never", restartPolicyRules=rules)
    assert _errors(2, restartPolicyRules=rules)


def test_one_rule_can_restart_them_all() -> None:
    """Then any container may run again, whatever its code was."""
    rules = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [9]}}]
    assert not _errors(0, restartPolicyRules=rules)
