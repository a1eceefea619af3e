"""Pods on Windows: names of users, processes of the host, and what excludes each other."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin.rules.pod.windows import (
    host_process_errors,
    system_errors,
    windows_option_errors,
)


@pytest.mark.parametrize("name", ["user", "DOMAIN\\user", "a.b-c.example\\user", "NT AUTHORITY\\SYSTEM"])
def test_users_may_have_a_domain(name: str) -> None:
    """Of either form."""
    assert list(windows_option_errors({"windowsOptions": {"runAsUserName": name}}, "c")) == []


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("", "cannot be an empty string"),
        ("a\\b\\c", "more than one backslash"),
        ("u\n", "control characters"),
        ("\\u", "Domain doesn't match"),
        ("d\\", "User cannot be empty"),
        (". .", "only periods or spaces"),
        ("u@x", "following characters"),
    ],
)
def test_other_names_are_refused(name: str, wrong: str) -> None:
    """Each for its own reason."""
    (error,) = windows_option_errors({"windowsOptions": {"runAsUserName": name}}, "c")
    assert wrong in error.detail


def test_all_containers_are_processes_of_the_host_or_none() -> None:
    """And the pod is on its network."""
    context = {"windowsOptions": {"hostProcess": True}}
    spec = {"containers": [{"securityContext": context}, {}]}
    assert [error.field for error in host_process_errors(spec, "spec")] == ["spec", "spec.hostNetwork"]
    whole = {**spec, "securityContext": context, "hostNetwork": True}
    assert list(host_process_errors(whole, "spec")) == []


def test_a_system_excludes_the_settings_of_the_other() -> None:
    """Of pods and of containers."""
    spec = {"containers": [{"securityContext": {"windowsOptions": {}, "privileged": False}}], "hostPID": False}
    linux = list(system_errors({**spec, "os": {"name": "linux"}}, "spec"))
    windows = list(system_errors({**spec, "os": {"name": "windows"}}, "spec"))
    assert [error.field for error in linux] == ["spec.containers[0].securityContext.windowsOptions"]
    assert [error.field for error in windows] == ["spec.containers[0].securityContext.privileged"]
