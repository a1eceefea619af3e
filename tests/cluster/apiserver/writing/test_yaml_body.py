"""YAML as go-yaml reads it."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.writing.yaml_body import InvalidYaml, as_object, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("off", False),
        ("~", None),
        ("0x10", 16),
        ("010", 8),
        ("0o10", 8),
        ("0b11", 3),
        ("-12", -12),
        ("1_000", 1000),
        ("1e3", 1000),
        ("1.5e-3", 0.0015),
        ("-.inf", float("-inf")),
        (".5", 0.5),
        ("2001-01-01", "2001-01-01"),
        ("2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z"),
        ("12:30", "12:30"),
        ("'12'", "12"),
        ("1.2.3", "1.2.3"),
        ("- a\n- 1", ["a", 1]),
    ],
)
def test_scalars_are_what_go_makes_of_them(text: str, value: object) -> None:
    """Times and numbers of base sixty stay texts."""
    found, repeated = read_yaml(text)
    assert found == value
    assert type(found) is type(value)
    assert repeated == []


def test_a_key_of_any_type_becomes_a_text() -> None:
    """JSON has no other keys."""
    assert read_yaml("1: a\ntrue: b\n~: c\n1.5: d") == ({"1": "a", "true": "b", "null": "c", "1.5": "d"}, [])


def test_a_key_that_stands_twice_is_reported_with_its_line() -> None:
    """The last one wins."""
    assert read_yaml("a: 1\nb:\n  c: 1\n  c: 2\n") == ({"a": 1, "b": {"c": 2}}, ['line 4: key "c" already set in map'])


def test_merge_keys_and_anchors_are_followed() -> None:
    """A mapping may take over another."""
    assert read_yaml("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n")[0] == {"a": {"b": 1}, "c": {"b": 1, "d": 2}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{", "yaml: line 1: did not find expected node content"),
        ("apiVersion: v1\nkind: [", "yaml: line 2: did not find expected node content"),
        ("a: b: c", "yaml: mapping values are not allowed in this context"),
    ],
)
def test_what_is_no_yaml_has_go_yamls_words(text: str, words: str) -> None:
    """The texts are those of a real server's answers."""
    with pytest.raises(InvalidYaml) as refused:
        read_yaml(text)
    assert str(refused.value) == words


def test_a_configuration_is_an_object() -> None:
    """An empty document is an empty object; a list is none."""
    assert as_object(None) == {}
    with pytest.raises(InvalidYaml, match="cannot unmarshal array into Go value of type map"):
        as_object([])
