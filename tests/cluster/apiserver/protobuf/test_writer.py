from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from konverge.cluster.apiserver.builtin.catalogue import resources
from konverge.cluster.apiserver.protobuf.captured import captured
from konverge.cluster.apiserver.protobuf.envelope import read_envelope
from konverge.cluster.apiserver.protobuf.message import FieldFacts, read_message
from konverge.cluster.apiserver.protobuf.own_form import EXTENSIONS, META
from konverge.cluster.apiserver.strategy import Strategy

Pairs = dict[str, list[dict[str, Any]]]
KINDS = (
    "v1/Pod",
    "apps/v1/Deployment",
    "autoscaling/v2/HorizontalPodAutoscaler",
    "coordination.k8s.io/v1/Lease",
    "authentication.k8s.io/v1/TokenReview",
    "apiextensions.k8s.io/v1/CustomResourceDefinition",
    "flowcontrol.apiserver.k8s.io/v1/FlowSchema",
)
_DEEPEST = 6
_JSON = st.dictionaries(st.text(max_size=3), st.integers(0, 9) | st.text(max_size=3), min_size=1, max_size=2)
_SCHEMA = f"{EXTENSIONS}.JSONSchemaProps"
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=5),
    "bytes": st.binary(max_size=5).map(lambda content: base64.b64encode(content).decode()),
    "bool": st.booleans(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "double": st.floats(allow_nan=False, allow_infinity=False),
    f"{META}.Time": st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + "Z"),
    f"{META}.MicroTime": st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S.%f}".rjust(26, "0") + "Z"),
    f"{META}.Duration": st.sampled_from(["0s", "1ms", "1h2m3.5s", "-4s"]),
    f"{META}.FieldsV1": _JSON,
    "k8s.io/apimachinery/pkg/api/resource.Quantity": st.sampled_from(["0", "1", "500m", "3Gi", "-2k"]),
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": st.integers(-9, 9) | st.text(max_size=5),
    "k8s.io/apimachinery/pkg/runtime.RawExtension": _JSON,
    f"{EXTENSIONS}.JSON": _JSON,
    f"{EXTENSIONS}.JSONSchemaPropsOrArray": st.just({"type": "string"}) | st.just([{"type": "string"}, {}]),
    f"{EXTENSIONS}.JSONSchemaPropsOrBool": st.booleans() | st.just({"type": "string"}),
    f"{EXTENSIONS}.JSONSchemaPropsOrStringArray": st.just({"type": "string"}) | st.just(["a", "b"]),
}


@st.composite
def values(draw: st.DrawFn, name: str, depth: int = 0) -> Any:
    """Draw a value of a message, as JSON: some of its fields."""
    if name in VALUES:
        return draw(VALUES[name])
    fields = captured()._messages._captured[name]
    if [facts.name for facts in fields.values() if facts.many] == [""]:
        return draw(st.lists(st.text(max_size=3), max_size=2))
    found: dict[str, Any] = {}
    some = draw(st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=4)) if fields else []
    for number in some:
        facts = fields[number]
        if facts.type not in VALUES and depth > _DEEPEST:
            continue
        value = _field(draw, facts, depth + 1)
        found |= value if not facts.name else {facts.name: value}
    return found


def _field(draw: st.DrawFn, facts: FieldFacts, depth: int) -> Any:
    one = values(facts.type, depth)
    if facts.many == "list":
        return draw(st.lists(one, max_size=2))
    return draw(st.dictionaries(st.text(max_size=3), one, max_size=2) if facts.many else one)


def test_every_golden_json_becomes_the_golden_body(pairs: Pairs) -> None:
    """Kubernetes' own test data, all of it: what Go writes as protobuf is what we write, byte for byte."""
    wrong = []
    for pair in pairs["golden"]:
        envelope = read_envelope(pair["protobuf"])
        writer = captured().writer(envelope.api_version or "v1", envelope.kind or "WatchEvent")
        if writer.content(pair["json"]) != envelope.raw:
            wrong.append(pair["name"])
    assert len(pairs["golden"]) > 180
    assert not wrong


def test_objects_with_nothing_set_are_written_as_go_does(pairs: Pairs) -> None:
    """A zero stands wherever Go has no pointer, in every kind."""
    nothing = pairs["zeros"][::2]
    written = [captured().writer(*pair["kind"].rsplit("/", 1)).content(pair["json"]) for pair in nothing]
    assert written == [pair["protobuf"] for pair in nothing]


def test_what_is_written_of_zeros_is_read_again(pairs: Pairs) -> None:
    """A time that is a pointer to nothing is null in JSON, and so written as none; everything else comes back."""
    wrong = []
    for pair in pairs["zeros"]:
        api_version, kind = pair["kind"].rsplit("/", 1)
        message = captured().find(api_version, kind)
        assert message is not None
        again = read_message(message, captured().writer(api_version, kind).content(pair["json"]))
        if _without_nulls(again) != _without_nulls(pair["json"]):
            wrong.append(pair["kind"])
    assert not wrong


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _without_nulls(each) for name, each in value.items() if each is not None}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_what_is_written_and_read_is_written_alike(kind: str, data: st.DataObject) -> None:
    """Whatever a client may have stored: reading our bytes and writing them once more gives the same bytes."""
    found = captured()
    value = data.draw(values(found._kinds[kind]))
    writer, message = found.writer(*kind.rsplit("/", 1)), found.find(*kind.rsplit("/", 1))
    assert message is not None
    body = writer.content(value)
    assert writer.content(read_message(message, body)) == body


def test_every_list_has_a_message() -> None:
    """Whatever is listed can be asked for as protobuf; its items are the second field."""
    listed = [each for each in resources(lambda *_, **__: Strategy()) if "list" in each.verbs]
    for resource in listed:
        name = captured().message_name(resource.api_version, resource.list_kind or f"{resource.kind}List")
        assert captured()._facts[name][2].name == "items"


def test_a_kind_without_a_message_is_a_fault_of_ours() -> None:
    """The server writes only kinds that it serves."""
    with pytest.raises(LookupError, match="was not captured"):
        captured().writer("v1", "Nothing")
