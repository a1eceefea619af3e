from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.label_selector import LabelSelector, Operator, Requirement

# Spellings with what k8s.io/apimachinery v0.36.3 makes of them (null where it refuses); "==" is written "=" here and
# requirements on one key are sorted.
GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "label_selectors.jsonl").read_text("utf-8").splitlines()
]

keys = st.sampled_from(["a", "b", "in", "notin", "example.com/a"])
values = st.sampled_from(["", "x", "y", "in", "3", "12"])
numbers = st.integers(0, 20).map(str)
requirements = st.one_of(
    st.builds(
        lambda k, o, v: Requirement(k, o, (v,)), keys, st.sampled_from([Operator.EQUALS, Operator.NOT_EQUALS]), values
    ),
    st.builds(
        lambda k, o, v: Requirement(k, o, tuple(v)),
        keys,
        st.sampled_from([Operator.IN, Operator.NOT_IN]),
        st.lists(values, min_size=1),
    ),
    st.builds(Requirement, keys, st.sampled_from([Operator.EXISTS, Operator.DOES_NOT_EXIST])),
    st.builds(
        lambda k, o, v: Requirement(k, o, (v,)),
        keys,
        st.sampled_from([Operator.GREATER_THAN, Operator.LESS_THAN]),
        numbers,
    ),
)
selectors = st.lists(requirements, max_size=5).map(lambda found: LabelSelector(tuple(found)))
labels = st.dictionaries(keys, values)


@pytest.mark.parametrize(("text", "canonical"), GOLDEN, ids=[text for text, _ in GOLDEN])
def test_reads_as_the_server_does(text: str, canonical: str | None) -> None:
    """What the real library takes is taken and written alike; what it refuses is refused with the place."""
    if canonical is not None:
        assert str(LabelSelector.parse(text)) == canonical
        return
    with pytest.raises(ValueError, match=r"label selector .*, position \d+: "):
        LabelSelector.parse(text)


def test_an_error_points_at_its_place() -> None:
    """The position is that of the token, counted from 1."""
    with pytest.raises(ValueError, match=r"'a in \(b c\)', position 9: found 'c', expected ',' or '\)'"):
        LabelSelector.parse("a in (b c)")


@pytest.mark.parametrize(
    ("text", "matching", "other"),
    [
        ("a=x", [{"a": "x"}], [{"a": "y"}, {}]),
        ("a!=x", [{"a": "y"}, {}], [{"a": "x"}]),
        ("a in (x,y)", [{"a": "x"}, {"a": "y"}], [{"a": "z"}, {}]),
        ("a notin (x,y)", [{"a": "z"}, {}], [{"a": "x"}]),
        ("a", [{"a": ""}], [{"b": "x"}, {}]),
        ("!a", [{}, {"b": "x"}], [{"a": ""}]),
        ("a>5", [{"a": "6"}, {"a": "10"}], [{"a": "5"}, {"a": "x"}, {"a": "9" * 30}, {}]),
        ("a<5", [{"a": "4"}, {"a": "-7"}], [{"a": "5"}, {"a": ""}, {}]),
        ("a=", [{"a": ""}], [{}]),
        ("a=x,b=y", [{"a": "x", "b": "y"}], [{"a": "x"}, {"b": "y"}]),
        ("", [{}, {"a": "x"}], []),
    ],
)
def test_matches(text: str, matching: list[dict[str, str]], other: list[dict[str, str]]) -> None:
    """Each operator, with present and absent labels."""
    selector = LabelSelector.parse(text)
    assert all(selector.matches(found) for found in matching)
    assert not any(selector.matches(found) for found in other)


def test_built_from_a_spec() -> None:
    """The JSON of a metav1.LabelSelector means what it means to the server."""
    spec = {
        "matchLabels": {"app": "web"},
        "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["b", "a"]},
            {"key": "old", "operator": "DoesNotExist"},
            {"key": "env", "operator": "Exists", "values": None},
            {"key": "zone", "operator": "NotIn", "values": ["x"]},
        ],
    }
    assert str(LabelSelector.from_spec(spec)) == "app=web,env,!old,tier in (a,b),zone notin (x)"
    assert LabelSelector.from_spec({}).matches({})
    assert not LabelSelector.from_spec(None).matches({})
    with pytest.raises(ValueError, match="'Gt' is none of In, NotIn, Exists, DoesNotExist"):
        LabelSelector.from_spec({"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]})


@pytest.mark.parametrize(
    ("operator", "values"),
    [
        (Operator.IN, ()),
        (Operator.NOT_IN, ()),
        (Operator.EXISTS, ("a",)),
        (Operator.DOES_NOT_EXIST, ("a",)),
        (Operator.EQUALS, ()),
        (Operator.EQUALS, ("a", "b")),
        (Operator.GREATER_THAN, ("1", "2")),
    ],
)
def test_a_wrong_number_of_values_is_refused(operator: Operator, values: tuple[str, ...]) -> None:
    """Each operator takes as many values as it has a use for."""
    with pytest.raises(ValueError, match="takes"):
        Requirement("a", operator, values)


def test_forms_are_interchangeable() -> None:
    """A text, the labels and a selector give the same selector; `&` joins two; the empty one is false."""
    selector = LabelSelector.of({"b": "2", "a": "1"})
    assert selector == LabelSelector.of("a=1,b==2") == LabelSelector.of(selector)
    assert len({selector, LabelSelector.parse("b=2,a=1,a=1")}) == 1
    assert LabelSelector.of("a=1") & LabelSelector.of("b=2") == selector
    assert not LabelSelector()
    assert LabelSelector().matches(None)


@given(labels)
def test_nothing_matches_nothing(found: dict[str, str]) -> None:
    """Here and, by its text, on the server."""
    assert not LabelSelector.nothing().matches(found)
    assert LabelSelector.parse(str(LabelSelector.nothing())) == LabelSelector.nothing()


@given(selectors)
def test_the_text_reads_back(selector: LabelSelector) -> None:
    """Writing and reading loses nothing."""
    assert LabelSelector.parse(str(selector)) == selector


@given(selectors, selectors, labels)
def test_and_is_a_conjunction(left: LabelSelector, right: LabelSelector, found: dict[str, str]) -> None:
    """Joined selectors match what both match."""
    assert (left & right).matches(found) == (left.matches(found) and right.matches(found))
    assert left & right == right & left


@given(st.text("ab!=<>(),in \t'\"\\/-.0", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but a ValueError comes out of a bad text."""
    try:
        selector = LabelSelector.parse(text)
    except ValueError:
        return
    assert LabelSelector.parse(str(selector)) == selector
