"""Keys that stand twice in a body."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from konverge.cluster.apiserver.writing.duplicate_keys import duplicate_fields


def _found(text: str) -> list[str]:
    return duplicate_fields(text.encode(), msgspec.json.decode(text))


def test_a_repetition_is_named_by_its_path() -> None:
    """Objects and lists on the way are named as field validation does."""
    text = '{"a":1,"a":{"b":[{"c":1},{"c":1,"c":2}]},"d":1}'
    assert _found(text) == ["a", "a.b[1].c"]


def test_a_body_without_repetitions_has_none() -> None:
    """Spaces around the colon and colons in texts are no repetition."""
    assert _found('{"a" : ":", "b":{"a":"\\u003a:"}}') == []


def test_a_repetition_is_named_once() -> None:
    """However often a key stands there."""
    assert _found('{"a":1,"a":2,"a":3}') == ["a"]


def test_an_escaped_colon_hides_no_repetition() -> None:
    """A colon may be written as an escape, and then the body is scanned."""
    assert _found('{"a":"\\u003a","b":1,"b":2}') == ["b"]


_KEYS = st.sampled_from(["a", "b", ":", '"'])
_TEXTS = st.text(alphabet=':"\\', max_size=3)
_PAIRS: st.SearchStrategy[Any] = st.recursive(
    st.integers() | _TEXTS, lambda inner: st.lists(st.tuples(_KEYS, inner), max_size=4), max_leaves=8
).filter(lambda found: isinstance(found, list))


def _written(pairs: Any) -> str:
    if not isinstance(pairs, list):
        return json.dumps(pairs)
    return "{" + ",".join(f"{json.dumps(key)}:{_written(value)}" for key, value in pairs) + "}"


def _repeated(pairs: Any, path: str = "") -> set[str]:
    if not isinstance(pairs, list):
        return set()
    keys = [f"{path}.{key}" if path else key for key, _ in pairs]
    inside = [_repeated(value, key) for key, (_, value) in zip(keys, pairs, strict=True)]
    return {key for key in keys if keys.count(key) > 1}.union(*inside)


@given(_PAIRS)
def test_every_repetition_is_found(pairs: Any) -> None:
    """Each is named, and named once, whatever keys and texts look like."""
    found = _found(_written(pairs))
    assert set(found) == _repeated(pairs)
    assert len(found) == len(set(found))
