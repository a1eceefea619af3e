"""Go's types of built-in kinds (the messages are those of a real server's answers)."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.go_finding import Converted, Found, Place
from konverge.cluster.apiserver.builtin.go_type import type_of
from konverge.cluster.apiserver.builtin.go_value import Unreadable, bytes_text, quantity_text, time_text

DEPLOYMENT = "io.k8s.api.apps.v1.Deployment"


def read(name: str, value: Any) -> tuple[Any, Found]:
    """Read a value as a type."""
    found = Found()
    return type_of(name).read(value, Place(), found), found


def test_unknown_fields_are_dropped_and_named_by_their_path() -> None:
    """Lists count their items; maps have any key."""
    container = {"name": "c", "y": 1, "env": [{"name": "e", "z": 1}]}
    template = {"metadata": {"labels": {"any": "key"}}, "spec": {"containers": [container]}}
    value, found = read(DEPLOYMENT, {"q": 1, "spec": {"x": 1, "template": template}})
    assert found.unknown == [
        "q",
        "spec.x",
        "spec.template.spec.containers[0].y",
        "spec.template.spec.containers[0].env[0].z",
    ]
    assert "q" not in value
    assert value["spec"]["template"]["metadata"]["labels"] == {"any": "key"}


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"replicas": "x"}, "cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"),
        (
            {"replicas": 1.5},
            "cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        ([], "cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec"),
        (
            {"template": {"spec": {"containers": ["x"]}}},
            "cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container",
        ),
        (
            {"template": {"spec": {"containers": [{"imagePullPolicy": 1}]}}},
            (
                "cannot unmarshal number into Go struct field Container.spec.template.spec.containers.imagePullPolicy "
                "of type v1.PullPolicy"
            ),
        ),
    ],
)
def test_a_wrong_type_has_gos_words(spec: Any, error: str) -> None:
    """The struct, the path and the type are named as Go names them."""
    assert read(DEPLOYMENT, {"spec": spec})[1].error == f"json: {error}"


def test_the_first_wrong_type_is_told() -> None:
    """Go reads on after it, and so the unknown fields behind it are found too."""
    _, found = read(DEPLOYMENT, {"spec": {"replicas": "x", "paused": 1, "z": 1}})
    assert found.error.endswith("spec.replicas of type int32")
    assert found.unknown == ["spec.z"]


def test_a_type_with_code_of_its_own_ends_the_reading() -> None:
    """What such code says comes before the wrong types that Go has found until then, and ends it."""
    resources = {"requests": {"cpu": "x"}, "limits": {"cpu": "y"}}
    _, found = read(DEPLOYMENT, {"spec": {"replicas": "x", "template": {"spec": {"resources": resources}}}})
    assert found.error.startswith("quantities must match")


def test_embedded_types_stand_in_the_path() -> None:
    """Go names the types through which it comes to a field."""
    probe = {"containers": [{"livenessProbe": {"httpGet": 5}}]}
    _, found = read(DEPLOYMENT, {"spec": {"template": {"spec": probe}}})
    path = "spec.template.spec.containers.livenessProbe.ProbeHandler.httpGet"
    assert found.error == f"json: cannot unmarshal number into Go struct field Probe.{path} of type v1.HTTPGetAction"


def test_what_go_leaves_out_is_left_out() -> None:
    """Nulls, empty lists and maps, and zeros, but not the zero of a pointer."""
    spec = {"replicas": 0, "paused": False, "minReadySeconds": 0, "selector": None}
    value, _ = read(DEPLOYMENT, {"metadata": {"name": "d", "labels": {}, "finalizers": []}, "spec": spec})
    assert value == {"metadata": {"name": "d"}, "spec": {"replicas": 0}}


def test_a_null_in_a_map_or_list_is_a_zero() -> None:
    """Go has no null there."""
    value, _ = read("io.k8s.api.core.v1.ConfigMap", {"data": {"a": None}})
    assert value == {"data": {"a": ""}}
    pod, _ = read("io.k8s.api.core.v1.Pod", {"spec": {"containers": [None]}})
    assert pod == {"spec": {"containers": [{}]}}


def test_fill_puts_in_what_go_always_writes() -> None:
    """Structs that are no pointers, and nulls of required lists."""
    value: dict[str, Any] = {"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}
    type_of(DEPLOYMENT).fill(value)
    assert value["status"] == {}
    assert value["spec"]["template"]["spec"]["containers"][0]["resources"] == {}
    role: dict[str, Any] = {}
    type_of("io.k8s.api.rbac.v1.Role").fill(role)
    assert role["rules"] is None


def test_quantities_are_canonical() -> None:
    """As the real server gives them back."""
    assert [quantity_text(text) for text in ("1000m", "1024Mi", " 0.5 ", 2)] == ["1", "1Gi", "500m", "2"]
    for wrong in ("zz", ""):
        with pytest.raises(Unreadable, match="quantities must match the regular expression"):
            quantity_text(wrong)


def test_times_are_in_utc_with_whole_seconds() -> None:
    """Offsets and fractions go."""
    assert time_text("2020-01-01T00:00:00Z") == "2020-01-01T00:00:00Z"
    assert time_text("2020-01-01T01:00:00.5+01:00") == "2020-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("zz", 'parsing time "zz" as "2006-01-02T15:04:05Z07:00": cannot parse "zz" as "2006"'),
        ("2020-01-01", 'parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'),
        ("2020-13-01T00:00:00Z", 'parsing time "2020-13-01T00:00:00Z": month out of range'),
        ("2020-01-01T00:00:00Zx", 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"'),
        ('é"', r'parsing time "\xc3\xa9\"" as "2006-01-02T15:04:05Z07:00": cannot parse "\xc3\xa9\"" as "2006"'),
    ],
)
def test_what_is_no_time_has_gos_words(text: str, words: str) -> None:
    """The step of the layout that fails is named."""
    with pytest.raises(Unreadable) as refused:
        time_text(text)
    assert str(refused.value) == words


def test_bytes_are_base64() -> None:
    """Line ends inside are dropped; the first bad byte is named."""
    assert bytes_text("aG\nk=") == "aGk="
    with pytest.raises(Unreadable, match="illegal base64 data at input byte 0"):
        bytes_text("!!")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"data": {"a": 5}}, "cannot convert int64 to string"),
        ({"data": {"a": 1.5}}, "unrecognized type: string"),
        ({"data": [1]}, "cannot restore map from slice"),
        ({"metadata": []}, "cannot restore struct from: slice"),
        ({"metadata": {"finalizers": {}}}, "cannot restore slice from map"),
        ({"immutable": "x"}, "unrecognized type: bool"),
        ({"binaryData": {"a": "!!"}}, "error decoding from json: illegal base64 data at input byte 0"),
        ({"binaryData": {"a": 5}}, "cannot restore slice from int64"),
        ({"metadata": {"creationTimestamp": 5}}, "json: cannot unmarshal number into Go value of type string"),
    ],
)
def test_a_strategic_merge_patch_is_read_by_another_decoder(value: Any, words: str) -> None:
    """Its words are others."""
    found = Converted()
    type_of("io.k8s.api.core.v1.ConfigMap").read(value, Place(), found)
    assert found.error == words
