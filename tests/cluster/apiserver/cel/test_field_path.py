from typing import Any

import pytest

from konverge.cluster.apiserver.cel.field_path import BadPath, normalized_path

SCHEMA: dict[str, Any] = {
    "properties": {
        "spec": {"properties": {"a.b": {}, "it's": {}, "map": {"additionalProperties": {"properties": {"x": {}}}}}}
    }
}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (".spec", "spec"),
        ("['spec']", "spec"),
        (".spec['a.b']", "spec.a.b"),
        (".spec['it\\'s']", "spec.it's"),
        (".spec.map.key.x", "spec.map[key].x"),
        (".spec.map['k.e]y'].x", "spec.map[k.e]y].x"),
    ],
)
def test_path(path: str, shown: str) -> None:
    """A path that the schema has is shown as errors show it."""
    assert normalized_path(path, SCHEMA) == shown


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("spec", "expected [ or . but got: spec"),
        (".", "unexpected end of JSON path"),
        (".other", "does not refer to a valid field"),
        (".spec[map]", "expected single quoted string but got map"),
        (".spec['map'", "unexpected end of JSON path"),
        (".spec['map'.x", "expected ] but got ."),
        (".spec.map.k.x.y", "does not refer to a valid field"),
        (".spec['\\q']", "invalid string literal: invalid escape char \\q"),
    ],
)
def test_bad_path(path: str, reason: str) -> None:
    """A path that leads nowhere is refused with its reason."""
    with pytest.raises(BadPath) as refused:
        normalized_path(path, SCHEMA)
    assert str(refused.value) == reason
