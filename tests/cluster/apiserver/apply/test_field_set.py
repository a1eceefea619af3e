from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.apply import field_set
from konverge.cluster.apiserver.apply.field_set import FieldSet, Path
from konverge.cluster.apiserver.apply.typed_error import TypedError

ELEMENTS = ["f:a", "f:b", "f:c", 'k:{"name":"a"}', 'k:{"name":"b","port":80}', 'v:"a"', "v:1", "i:0"]
MODELS = st.sets(st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=3).map(tuple), max_size=8)


def made(model: set[Path]) -> FieldSet:
    """Return the set that has these paths."""
    return field_set.of_paths(*sorted(model))


@given(MODELS)
def test_a_set_has_its_paths(model: set[Path]) -> None:
    """A set lists exactly what was put in, and has nothing else."""
    fields = made(model)
    assert set(field_set.paths(fields)) == model
    assert all(field_set.has(fields, path) for path in model)
    assert not field_set.has(fields, ())
    assert all(field_set.has(fields, path[:-1]) == (path[:-1] in model) for path in model)


@given(MODELS, MODELS)
def test_the_algebra_is_that_of_sets_of_paths(left: set[Path], right: set[Path]) -> None:
    """Union, intersection and difference are those of the paths, in the one form a set has, and change no operand."""
    one, other = made(left), made(right)
    before = copy.deepcopy((one, other))
    assert field_set.union(one, other) == made(left | right)
    assert field_set.intersection(one, other) == made(left & right)
    assert field_set.difference(one, other) == made(left - right)
    assert (one, other) == before


@given(MODELS, MODELS)
def test_a_recursive_difference_takes_all_below(left: set[Path], right: set[Path]) -> None:
    """Nothing is left of which a beginning is in the other set."""
    rest = {path for path in left if not any(path[:length] in right for length in range(1, len(path) + 1))}
    assert field_set.recursive_difference(made(left), made(right)) == made(rest)


@given(MODELS)
def test_operations_that_change_nothing_return_the_operand(model: set[Path]) -> None:
    """So that an entry that nobody touched is written back as it was."""
    fields = made(model)
    assert field_set.union(fields, copy.deepcopy(fields)) is fields or not fields
    assert field_set.difference(fields, {"f:zzz": {}}) is fields
    assert field_set.recursive_difference(fields, {"f:zzz": {}}) is fields


@given(MODELS)
def test_reading_what_was_written(model: set[Path]) -> None:
    """The form on the wire is the set itself, in any order."""
    fields = made(model)
    assert field_set.ordered(fields) == fields
    assert field_set.read(field_set.ordered(fields)) == fields


def test_the_order_on_the_wire() -> None:
    """Fields come first, then keys, values and indexes; numbers by their value."""
    elements = ["i:1", "v:10", "v:9", 'v:"a"', 'k:{"name":"b"}', 'k:{"name":"a"}', 'k:{"a":2}', "f:b", "f:a", "v:true"]
    expected = ["f:a", "f:b", 'k:{"a":2}', 'k:{"name":"a"}', 'k:{"name":"b"}', "v:9", "v:10", 'v:"a"', "v:true", "i:1"]
    assert list(field_set.ordered({element: {} for element in elements})) == expected
    assert list(field_set.ordered({"f:b": {}, ".": {}, "f:a": {}})) == [".", "f:a", "f:b"]


@pytest.mark.parametrize(
    ("given_form", "expected"),
    [
        ({"f:a": {".": {}}}, {"f:a": {}}),
        ({".": {}, "f:a": {}}, {"f:a": {}}),
        ({'k:{"b": 1, "a": 2.0}': {}}, {'k:{"a":2,"b":1}': {}}),
        ({'v:"<"': {}}, {'v:"\\u003c"': {}}),
        ({"x:new": {"f:a": {}}, "f:a": {}}, {"f:a": {}}),
        ({"f:a": {"x:new": {}}}, {"f:a": {}}),
        ({"f:a": None}, {"f:a": {}}),
        ({}, {}),
    ],
)
def test_reading_what_others_wrote(given_form: Any, expected: FieldSet) -> None:
    """Other spellings of the same are the same; elements of unknown kinds are dropped."""
    assert field_set.read(given_form) == expected


@pytest.mark.parametrize("malformed", [{"f": {}}, {"field": {}}, {"k:{": {}}, {"v:": {}}, {"i:a": {}}, {"f:a": 1}, []])
def test_reading_what_is_malformed(malformed: Any) -> None:
    """It is said, and not guessed at."""
    with pytest.raises(TypedError):
        field_set.read(malformed)
