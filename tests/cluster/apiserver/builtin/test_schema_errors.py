"""What a schema alone says against a spec."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.builtin.go_type import Struct, type_of
from konverge.cluster.apiserver.builtin.schema_errors import schema_errors


def errors(spec: dict[str, Any]) -> list[str]:
    """Judge the spec of a Deployment."""
    kind = type_of("io.k8s.api.apps.v1.Deployment")
    assert isinstance(kind, Struct)
    value = {"spec": spec}
    kind.fill(value)
    return [str(error) for error in schema_errors(kind.fields["spec"].kind, value["spec"], "spec")]


def test_what_is_asked_for_must_be_there() -> None:
    """Texts and objects, wherever they are."""
    template = {"spec": {"containers": [{"name": "c"}, {}]}}
    assert errors({"template": template}) == [
        "spec.selector: Required value",
        "spec.template.spec.containers[1].name: Required value",
    ]


def test_an_enumeration_names_its_values() -> None:
    """In the order of the alphabet."""
    template = {"spec": {"containers": [{"name": "c"}], "restartPolicy": "Sometimes"}}
    assert errors({"selector": {}, "template": template}) == [
        (
            'spec.template.spec.restartPolicy: Unsupported value: "Sometimes": '
            'supported values: "Always", "Never", "OnFailure"'
        )
    ]


def test_a_text_may_be_empty_where_the_real_server_takes_it() -> None:
    """The value of an HTTP header."""
    probe = {"httpGet": {"port": 1, "httpHeaders": [{"name": "a", "value": ""}]}}
    template = {"spec": {"containers": [{"name": "c", "livenessProbe": probe}]}}
    assert errors({"selector": {}, "template": template}) == []
