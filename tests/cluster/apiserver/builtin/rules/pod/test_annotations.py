"""Annotations of pods: what they say, and fields that say the same today."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.rules.pod.annotations import (
    MIRROR,
    annotation_change_errors,
    annotation_rule_errors,
    profile_mismatch_errors,
)
from konverge.cluster.apiserver.builtin.rules.pod.app_armor import (
    APP_ARMOR_PREFIX,
    annotated_profile_warnings,
    copy_annotated_profiles,
)

_KEY = f"{APP_ARMOR_PREFIX}a"
_SPEC: dict[str, Any] = {"containers": [{"name": "a"}]}


def _faults(annotations: dict[str, str]) -> list[str]:
    return [error.body() for error in annotation_rule_errors(annotations, _SPEC, path="m")]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[", "unexpected end of JSON input"),
        ("{}", "json: cannot unmarshal object into Go value of type []core.Toleration"),
        ('[{"Key": 1}]', "json: cannot unmarshal number into Go struct field Toleration.Key of type string"),
    ],
)
def test_tolerations_are_read_as_go_does(text: str, fault: str) -> None:
    """In its words, where they cannot be read."""
    key = "scheduler.alpha.kubernetes.io/tolerations"
    assert _faults({key: text}) == [f'Invalid value: "{key}": {fault}']
    assert _faults({key: '[{"KEY": "a", "operator": "Exists"}, null]'}) != []
    assert _faults({key: '[{"KEY": "a", "operator": "Exists"}]'}) == []


def test_the_cost_of_a_deletion_is_a_number() -> None:
    """Of 32 bits, without a sign or zeros in front."""
    key = "controller.kubernetes.io/pod-deletion-cost"
    assert all(_faults({key: text}) == [] for text in ("0", "-08", "2147483647"))
    assert all(_faults({key: text}) for text in ("", "+1", "08", "2147483648", "1" * 5000))


def test_a_profile_by_annotation_becomes_the_field() -> None:
    """Of a new pod; its author is told."""
    spec = {"containers": [{"name": "a"}, {"name": "b"}]}
    pod: dict[str, Any] = {"metadata": {"annotations": {_KEY: "localhost/p"}}, "spec": spec}
    (warning,) = annotated_profile_warnings(pod)
    copy_annotated_profiles(pod)
    profile = {"type": "Localhost", "localhostProfile": "p"}
    assert warning.startswith(f"metadata.annotations[{_KEY}]: deprecated")
    assert pod["spec"]["containers"] == [{"name": "a", "securityContext": {"appArmorProfile": profile}}, {"name": "b"}]
    assert annotated_profile_warnings(pod) == []


def test_a_field_may_not_contradict_its_annotation() -> None:
    """By its type, or by the file that it names."""
    profile = {"type": "Localhost", "localhostProfile": "p"}
    spec = {"containers": [{"name": "a", "securityContext": {"appArmorProfile": profile}}]}
    for text, field in (("unconfined", ["type"]), ("localhost/q", ["localhostProfile"]), ("localhost/p", [])):
        found = [error.field.rpartition(".")[2] for error in profile_mismatch_errors({_KEY: text}, spec, path="s")]
        assert found == field


def test_some_annotations_never_change() -> None:
    """Neither come nor go."""
    spec = {**_SPEC, "nodeName": "n"}
    for new, old in (({MIRROR: "a"}, {}), ({}, {MIRROR: "a"}), ({_KEY: "unconfined"}, {_KEY: ""})):
        assert len(list(annotation_change_errors(new, old, spec=spec))) == 1
    assert list(annotation_change_errors({"a": "b", MIRROR: "c"}, {MIRROR: "c"}, spec=spec)) == []
