from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.equality import equal
from konverge.cluster.apiserver.cel.schema_value import converter
from konverge.cluster.apiserver.cel.values import Duration, Timestamp

TEXT = {"type": "string"}


def test_only_what_is_touched_is_converted() -> None:
    """A field that no rule looks at may be of another type than its schema says."""
    convert = converter({"type": "object", "properties": {"good": TEXT, "bad": {"type": "integer"}}})
    view = convert({"good": "x", "bad": "not a number"})
    assert view.find("good") == ("x", True)
    with pytest.raises(CelError, match="expected int, got string"):
        view.find("bad")


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        ("date-time", "1970-01-01T00:00:01Z", Timestamp(10**9)),
        ("date-time", "", Timestamp(0)),
        ("date", "1970-01-02", Timestamp(86_400 * 10**9)),
        ("duration", "1m", Duration(60 * 10**9)),
        ("duration", "2 days", Duration(2 * 86_400 * 10**9)),
        ("byte", "_-8=", b"\xff\xef"),
        ("hostname", "a", "a"),
    ],
)
def test_formats_make_values(form: Any, text: Any, value: Any) -> None:
    """Times, durations and bytes are values; any other format leaves a text."""
    assert converter({"type": "string", "format": form})(text) == value


@pytest.mark.parametrize(
    ("form", "text"), [("date-time", "x"), ("date", "2020-13-01"), ("duration", "x"), ("byte", "+/")]
)
def test_malformed_texts_are_errors(form: Any, text: Any) -> None:
    """A text that does not have its format fails the rule that reads it."""
    with pytest.raises(CelError, match="Invalid"):
        converter({"type": "string", "format": form})(text)


def test_null_is_absent_in_an_object_and_present_in_a_map() -> None:
    """Properties that are null are as if they were not set; entries of a map are not."""
    nullable = {"type": "string", "nullable": True}
    assert converter({"type": "object", "properties": {"a": nullable}})({"a": None}).find("a") == (None, False)
    assert converter({"type": "object", "additionalProperties": nullable})({"a": None}).find("a") == (None, True)


def test_null_needs_a_nullable_schema() -> None:
    """Null where the schema does not allow it is an error."""
    with pytest.raises(CelError, match="got null for schema with nullable=false"):
        converter({"type": "array", "items": TEXT})([None]).at(0)


def test_sets_ignore_order_and_lists_do_not() -> None:
    """A list of type set is compared and joined by its elements."""
    ordered = converter({"type": "array", "items": TEXT})
    unordered = converter({"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"})
    assert not equal(ordered(["a", "b"]), ordered(["b", "a"]))
    assert equal(unordered(["a", "b"]), unordered(["b", "a"]))
    assert unordered(["a", "b"]).joined(["b", "c"]).raw == ["a", "b", "c"]


def test_elements_with_the_same_keys_are_replaced() -> None:
    """Joining lists of type map keeps the places of the first and the values of the second."""
    keyed = converter(
        {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "properties": {"k": TEXT, "v": TEXT}},
        }
    )
    first, second = keyed([{"k": "a", "v": "1"}, {"k": "b", "v": "1"}]), keyed([{"k": "b", "v": "2"}, {"k": "c"}])
    assert first.joined(second).raw == [{"k": "a", "v": "1"}, {"k": "b", "v": "2"}, {"k": "c"}]


def test_a_repr_shows_no_contents() -> None:
    """A view may show a Secret: its repr does not."""
    view = converter({"type": "object", "properties": {"password": TEXT}})({"password": "hunter2"})
    assert "hunter2" not in repr(view)
    assert "hunter2" not in repr(converter({"type": "array", "items": TEXT})(["hunter2"]))
