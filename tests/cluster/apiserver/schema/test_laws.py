"""What holds for every schema and every value."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.schema import apply_defaults, prune, structural, validate
from konverge.cluster.apiserver.schema.accept import accepts
from konverge.cluster.apiserver.schema.check import check

_NAMES = st.sampled_from(["a", "b", "c", "metadata"])
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**66), 2**66),
    st.integers(-4, 4),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.5, 1.0, 2.0, "", "a", "ab", "2024-01-01", "1.2.3.4"]),
)
VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=3)),
    max_leaves=8,
)
_LIMITS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "maxLength": st.integers(0, 2),
        "minLength": st.integers(0, 2),
        "pattern": st.sampled_from(["^a", "b$", "["]),
        "format": st.sampled_from(["date", "ipv4", "int32", "float", "odd"]),
        "minimum": st.sampled_from([-1, 0, 0.5, 2]),
        "maximum": st.sampled_from([-1, 0, 1.5, 3]),
        "exclusiveMinimum": st.booleans(),
        "exclusiveMaximum": st.booleans(),
        "multipleOf": st.sampled_from([1, 2, 0.5, 0]),
        "enum": st.lists(_SCALARS, min_size=1, max_size=3),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "required": st.lists(_NAMES, max_size=2),
    },
)


def _with_shape(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    shape = st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string", "integer", "number", "boolean"]),
            "nullable": st.booleans(),
            "properties": st.dictionaries(_NAMES, inner, max_size=2),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "items": inner,
            "default": VALUES,
            "allOf": st.lists(inner, max_size=2),
            "anyOf": st.lists(inner, max_size=2),
            "oneOf": st.lists(inner, max_size=2),
            "not": inner,
            "x-kubernetes-preserve-unknown-fields": st.booleans(),
            "x-kubernetes-int-or-string": st.booleans(),
            "x-kubernetes-list-type": st.sampled_from(["set", "map", "atomic"]),
            "x-kubernetes-list-map-keys": st.lists(_NAMES, min_size=1, max_size=2),
            "x-kubernetes-embedded-resource": st.booleans(),
        },
    )
    return st.builds(lambda one, other: {**one, **other}, shape, _LIMITS)


SCHEMAS = st.recursive(_LIMITS, _with_shape, max_leaves=6)


@settings(deadline=None)
@given(SCHEMAS, VALUES)
def test_both_checks_agree(schema: Any, value: Any) -> None:
    """The quick check says no exactly where the thorough one finds something."""
    node = structural(schema)
    assert accepts(value, node) is not bool(check(value, node, ""))


@settings(deadline=None)
@given(SCHEMAS, VALUES)
def test_pruning_twice_is_pruning_once(schema: Any, value: Any) -> None:
    """What is pruned holds nothing more to prune."""
    node = structural(schema)
    prune(value, node)
    once = json_copy(value)
    assert prune(value, node) == []
    assert value == once


@settings(deadline=None)
@given(SCHEMAS, VALUES)
def test_defaulting_twice_is_defaulting_once(schema: Any, value: Any) -> None:
    """What is defaulted has nothing more to fill in."""
    node = structural(schema)
    apply_defaults(value, node)
    once = json_copy(value)
    apply_defaults(value, node)
    assert value == once


@settings(deadline=None)
@given(SCHEMAS, VALUES, VALUES)
def test_validation_never_raises(schema: Any, value: Any, old: Any) -> None:
    """Any value gets an answer under any schema, and every cause can be told."""
    node = structural(schema)
    for error in (*validate(value, node), *validate(value, node, old=old)):
        assert str(error)
