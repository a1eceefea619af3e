from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.catalogue import resources
from konverge.cluster.apiserver.protobuf.bad_message import BadMessage
from konverge.cluster.apiserver.protobuf.body import read_content, read_delete_options
from konverge.cluster.apiserver.protobuf.captured import captured
from konverge.cluster.apiserver.protobuf.envelope import Envelope, read_envelope
from konverge.cluster.apiserver.protobuf.message import read_message
from konverge.cluster.apiserver.strategy import Strategy

Pairs = dict[str, list[dict[str, Any]]]


def test_every_golden_body_becomes_the_golden_json(pairs: Pairs) -> None:
    """Kubernetes' own test data, all of it: what Go writes as JSON is what we read from protobuf."""
    wrong = []
    for pair in pairs["golden"]:
        envelope = read_envelope(pair["protobuf"])
        if not envelope.kind:  # one message has no type of its own
            envelope = Envelope("v1", "WatchEvent", envelope.raw)
        found = read_content(envelope, envelope.api_version, envelope.kind)
        expected = {"kind": envelope.kind, "apiVersion": envelope.api_version, **pair["json"]}
        if found != expected:
            wrong.append(pair["name"])
    assert len(pairs["golden"]) > 180
    assert not wrong


def test_zeros_stay_where_go_writes_them(pairs: Pairs) -> None:
    """Nothing set, or a zero in every place: left out, null, empty or zero as Go's types say, in every kind."""
    wrong = []
    for pair in pairs["zeros"]:
        message = captured().find(*pair["kind"].rsplit("/", 1))
        assert message is not None
        if read_message(message, pair["protobuf"]) != pair["json"]:
            wrong.append(pair["kind"])
    assert len(pairs["zeros"]) > 1400
    assert not wrong


def test_every_built_in_kind_has_a_message() -> None:
    """Whatever the server serves by default, a Go client may send."""
    missing = [
        f"{resource.api_version} {resource.kind}"
        for resource in resources(lambda *_, **__: Strategy())
        if captured().find(resource.api_version, resource.kind) is None
    ]
    assert not missing


def test_a_kind_without_a_message_is_a_fault_of_ours() -> None:
    """The server asks only for kinds that it serves."""
    with pytest.raises(LookupError, match="was not captured"):
        read_content(Envelope("v1", "Nothing", b""), "v1", "Nothing")


def test_options_of_a_deletion_keep_the_group_they_came_with() -> None:
    """Every group has a kind of this name, and they are one message."""
    found = read_delete_options(Envelope("apps/v1", "DeleteOptions", b"\x08\x00"))
    assert found == {"kind": "DeleteOptions", "apiVersion": "apps/v1", "gracePeriodSeconds": 0}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"\x08\x03", "proto: wrong wireType = 0 for field ObjectMeta"),
        (b"\x0a\x05\x0a", "unexpected EOF"),
        (b"\x0a\x0a\x42\x08\x08\xff\xff\xff\xff\xff\xff\x7f", "Time.MarshalJSON: year outside of range [0,9999]"),
        (b"\x0a\x02\x8a\x01", "unexpected EOF"),
    ],
)
def test_a_broken_message_is_refused_in_go_s_words(raw: bytes, words: str) -> None:
    """What is wrong is said, and nothing else is raised."""
    with pytest.raises(BadMessage) as error:
        read_content(Envelope("v1", "ConfigMap", raw), "v1", "ConfigMap")
    assert str(error.value) == words


def test_messages_that_go_very_deep_are_refused() -> None:
    """A schema in a schema in a schema, some thousand times, does not break the server."""
    raw = b""
    for _ in range(5_000):
        size = len(raw)
        length = b""
        while size > 0x7F:
            length += bytes([size & 0x7F | 0x80])
            size >>= 7
        raw = b"\xda\x01" + length + bytes([size]) + raw  # field 27 of JSONSchemaProps: `not`
    message = captured()._messages.find("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaProps")
    with pytest.raises(BadMessage, match="exceeded max depth"):
        read_message(message, raw)
