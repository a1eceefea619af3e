"""Values as the real server holds them: the expected texts are answers of kube-apiserver 1.36.3."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_difference, internal_text


def _shown(kind: str, value: Any) -> str:
    return field_error.invalid("f", internal_text(kind, value), "").body().removeprefix("Invalid value: ")


def test_every_field_is_shown_in_order() -> None:
    """What is not there is shown too, under Go's names."""
    term = {"matchExpressions": [{"operator": "In", "key": "k", "values": ["<"]}]}
    expression = '{"Key":"k","Operator":"In","Values":["\\u003c"]}'
    assert _shown("core.NodeSelectorTerm", term) == f'{{"MatchExpressions":[{expression}],"MatchFields":null}}'


def test_lists_and_what_a_pointer_leads_to_may_be_absent() -> None:
    """They are null."""
    assert _shown("[]core.NodeSelectorTerm", None) == "null"
    assert _shown("*batch.SuccessPolicy", None) == "null"


def test_amounts_are_in_the_order_of_their_names() -> None:
    """As Go shows a map, each in its shortest form."""
    shown = _shown("core.ResourceRequirements", {"limits": {"memory": "1024Mi", "cpu": "1000m"}})
    assert shown == '{"Limits":{"cpu":"1","memory":"1Gi"},"Requests":null,"Claims":null}'


def test_the_spaces_of_the_host_stand_in_the_security_context() -> None:
    """The published spec of a pod has them beside it."""
    shown = _shown("core.PodSpec", {"hostNetwork": True, "hostUsers": False, "securityContext": {"runAsUser": 1}})
    context = '"SecurityContext":{"HostNetwork":true,"HostPID":false,"HostIPC":false,"ShareProcessNamespace":null,'
    assert context + '"HostUsers":false,"SELinuxOptions":null' in shown


def test_metadata_and_selectors_have_their_published_form() -> None:
    """What is empty in them is left out."""
    selector = {"matchExpressions": [{"key": "k", "operator": "Exists"}], "matchLabels": {"b": "c", "a": "b"}}
    template = {"metadata": {"labels": {"b": "c", "a": "b"}, "creationTimestamp": None}, "spec": {}}
    assert _shown("core.PodTemplateSpec", template).startswith('{"labels":{"a":"b","b":"c"},"Spec":{"Volumes":null')
    assert _shown("*metav1.LabelSelector", selector) == (
        '{"matchLabels":{"a":"b","b":"c"},"matchExpressions":[{"key":"k","operator":"Exists"}]}'
    )


def test_the_difference_of_two_is_in_lines() -> None:
    """With three lines around each change; of equal ones there is none."""
    old = {"name": "e", "image": "i"}
    lines = internal_difference("core.EphemeralContainer", old, {**old, "tty": True}).splitlines()
    assert lines[0] == "@@ -27,6 +27,6 @@"
    assert [line for line in lines if line[0] in "+-"] == ['- "TTY": false,', '+ "TTY": true,']
    assert internal_difference("core.EphemeralContainer", old, dict(old)) == ""
