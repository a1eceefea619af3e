"""YAML as go-yaml reads it."""

from __future__ import annotations

from itertools import pairwise

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


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 50_000, "{a: " * 50_000, "{a: " * 900 + "1" + "}" * 900])
def test_a_text_that_is_nested_too_deeply_is_refused(text: str) -> None:
    """PyYAML's C code has no bound of its own: the process would end."""
    with pytest.raises(InvalidYaml, match="exceeded max depth"):
        read_yaml(text)


@pytest.mark.parametrize("line", ["{0}: &{0} [{1}]", "{0}: &{0} {{<<: [{1}]}}"])
def test_aliases_that_repeat_more_and_more_are_refused(line: str) -> None:
    """Twelve lines would stand for nine to the power of twelve values."""
    names = [chr(ord("a") + number) for number in range(13)]
    lines = [line.format(name, ", ".join([f"*{last}"] * 9)) for last, name in pairwise(names)]
    with pytest.raises(InvalidYaml, match="excessive aliasing"):
        read_yaml("\n".join(["a: &a {x: 1}", *lines]))


def test_an_alias_repeats_a_value_without_sharing_it() -> None:
    """Two places of an object that share a value would change together."""
    value, _ = read_yaml("a: &a {x: [1]}\nb: *a")
    value["a"]["x"].append(2)
    assert value["b"] == {"x": [1]}


@pytest.mark.parametrize("text", ["a: !!int x", "a: !!int ''", "a: !!float x", "!!map 5", "a: &a [*a]"])
def test_what_is_not_what_its_tag_says_is_refused(text: str) -> None:
    """And so is a value that contains itself."""
    with pytest.raises(InvalidYaml):
        read_yaml(text)


def test_types_that_json_has_not_become_those_they_are_written_as() -> None:
    """Whatever is read can be encoded again."""
    value, _ = read_yaml(
        "{set: !!set {a}, pairs: !!pairs [a: 1], text: !!binary aGk=, sign: =, long: " + "9" * 5000 + "}"
    )
    assert value == {"set": {"a": None}, "pairs": [{"a": 1}], "text": "hi", "sign": "=", "long": "9" * 5000}
