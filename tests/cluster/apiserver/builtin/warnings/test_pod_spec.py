"""Warnings of a pod's spec."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.builtin.warnings.pod_spec import pod_warnings


def warnings(**spec: Any) -> list[str]:
    """Return the warnings of a pod."""
    return pod_warnings({"spec": {"containers": [{"name": "c"}], **spec}}, "")


def test_paths_inside_each_other() -> None:
    """The later one of two is told with the earlier one, in their order; a name that begins alike is another."""
    paths = ["a/b", "a", "ab", "a/b/c/", "x", "", "a-b"]
    found = warnings(volumes=[{"name": "v", "configMap": {"name": "m", "items": [{"path": path} for path in paths]}}])
    begin = 'volume "v" (ConfigMap "m"): overlapping paths: '
    assert found == [f"{begin}{pair}" for pair in ('"a" with "a/b"', '"a/b/c" with "a/b"', '"a/b/c" with "a"')]


def test_a_pod_that_would_have_millions() -> None:
    """Every two of some thousand ports, or paths, would be a warning: no answer can carry them."""
    many = 3000
    assert len(warnings(containers=[{"name": "c", "ports": [{"containerPort": 80}] * many}])) < 2 * many
    assert len(warnings(volumes=[{"name": "v", "downwardAPI": {"items": [{"path": "a"}] * many}}])) < 2 * many


def test_variables_that_hide_others() -> None:
    """One that is set twice is told, unless it is made of the one before."""
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "A", "value": "$(A)/3"}]
    [found] = warnings(containers=[{"name": "c", "env": env}])
    assert found.startswith('spec.containers[0].env[1]: hides previous definition of "A"')
