from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from konverge.api.field_selector import FieldRequirement, FieldSelector

# Spellings with what k8s.io/apimachinery v0.36.3 makes of them; null where it refuses.
GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "field_selectors.jsonl").read_text("utf-8").splitlines()
]
selectors = st.lists(
    st.builds(FieldRequirement, st.sampled_from(["metadata.name", "a", "b!c"]), st.text(), st.booleans()), max_size=4
).map(lambda found: FieldSelector(tuple(found)))


@pytest.mark.parametrize(("text", "canonical"), GOLDEN, ids=[text for text, _ in GOLDEN])
def test_reads_as_the_server_does(text: str, canonical: str | None) -> None:
    """What the real library takes is taken and written alike; what it refuses is refused."""
    if canonical is not None:
        assert str(FieldSelector.parse(text)) == canonical
        return
    with pytest.raises(ValueError, match="field selector"):
        FieldSelector.parse(text)


def test_matches_fields_or_a_function() -> None:
    """An absent field is an empty one."""
    selector = FieldSelector.parse("status.phase!=Failed,spec.nodeName=")
    assert selector.matches({"status.phase": "Running"})
    assert not selector.matches({"status.phase": "Failed"})
    assert not selector.matches({"spec.nodeName": "one"})
    assert FieldSelector.parse("metadata.name=a").matches(lambda path: {"metadata.name": "a"}[path])


def test_forms_are_interchangeable() -> None:
    """A text, the fields and a selector give the same selector; `&` joins two; the empty one is false."""
    selector = FieldSelector.of({"b": "2", "a": "x,y"})
    assert selector == FieldSelector.of(r"a=x\,y,b==2") == FieldSelector.of(selector)
    assert FieldSelector.of({"b": "2"}) & FieldSelector.of({"a": "x,y"}) == selector
    assert not FieldSelector()
    assert FieldSelector().matches({})


@pytest.mark.parametrize("field", ["", "a=b", "a,b", "a\\", "a!"])
def test_a_path_that_would_read_differently_is_refused(field: str) -> None:
    """Only values can be escaped."""
    with pytest.raises(ValueError, match="is not a field path"):
        FieldSelector.from_fields({field: "x"})


@given(selectors)
def test_the_text_reads_back(selector: FieldSelector) -> None:
    """Any value survives its escapes."""
    assert FieldSelector.parse(str(selector)) == selector
