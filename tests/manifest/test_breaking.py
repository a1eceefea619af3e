import copy
from typing import Any

import marker_kinds
import pytest

from konverge import manifest
from konverge.manifest import breaking_changes

Json = dict[str, Any]


def crd(schema: Json, **version: Any) -> Json:
    """A CRD with one field, `value`, of this schema."""
    whole = {"type": "object", "properties": {"value": schema}}
    return {
        "spec": {
            "group": "shop.example.com",
            "scope": "Namespaced",
            "names": {"plural": "carts", "kind": "Cart", "shortNames": ["ca"]},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": whole}, **version}
            ],
        }
    }


def told(old: Json, new: Json) -> list[str]:
    """The changes between two CRDs, without the reasons."""
    found = breaking_changes(old, new)
    assert all(change.why for change in found)
    return [f"{change.path}: {change.change}" for change in found]


STRING, NUMBER = {"type": "string"}, {"type": "integer"}
LIST: Json = {"type": "array", "items": STRING}
KEYED: Json = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}
OBJECT: Json = {"type": "object", "properties": {"a": STRING}}
OPEN: Json = {"x-kubernetes-preserve-unknown-fields": True}
RULE: Json = {"x-kubernetes-validations": [{"rule": "self > 1"}]}

# What is tightened from the first to the second; the other way round it must not break, unless told too.
TIGHTENED: list[tuple[Json, Json, str, str | None]] = [
    (NUMBER, {**NUMBER, "minimum": 1}, "minimum 1 is new", None),
    ({**NUMBER, "minimum": 1}, {**NUMBER, "minimum": 2}, "minimum 1 became 2", None),
    ({**NUMBER, "maximum": 2}, {**NUMBER, "maximum": 1}, "maximum 2 became 1", None),
    (STRING, {**STRING, "minLength": 1}, "minLength 1 is new", None),
    (STRING, {**STRING, "maxLength": 1}, "maxLength 1 is new", None),
    (LIST, {**LIST, "minItems": 1}, "minItems 1 is new", None),
    (LIST, {**LIST, "maxItems": 1}, "maxItems 1 is new", None),
    (OBJECT, {**OBJECT, "minProperties": 1}, "minProperties 1 is new", None),
    (OBJECT, {**OBJECT, "maxProperties": 1}, "maxProperties 1 is new", None),
    (LIST, {**LIST, "uniqueItems": True}, "uniqueItems is new", None),
    ({**NUMBER, "minimum": 1}, {**NUMBER, "minimum": 1, "exclusiveMinimum": True}, "exclusiveMinimum is new", None),
    ({**NUMBER, "maximum": 1}, {**NUMBER, "maximum": 1, "exclusiveMaximum": True}, "exclusiveMaximum is new", None),
    (NUMBER, {**NUMBER, "multipleOf": 5}, "multipleOf 5 is new", None),
    ({**NUMBER, "multipleOf": 5}, {**NUMBER, "multipleOf": 10}, "multipleOf 5 became 10", None),
    (STRING, {**STRING, "pattern": "^a"}, "pattern ^a is new", None),
    ({**STRING, "pattern": "^a"}, {**STRING, "pattern": "^b"}, "pattern ^a became ^b", "pattern ^b became ^a"),
    (STRING, {**STRING, "format": "email"}, "format email is new", None),
    ({**NUMBER, "format": "int64"}, {**NUMBER, "format": "int32"}, "format int64 became int32", None),
    (STRING, {**STRING, "enum": ["a"]}, "enum ['a'] is new", None),
    ({**STRING, "enum": ["a", "b"]}, {**STRING, "enum": ["a"]}, "enum lost b", None),
    ({**STRING, "nullable": True}, STRING, "nullable is gone", None),
    ({"type": "number"}, NUMBER, "the type was number and is integer", None),
    (STRING, NUMBER, "the type was string and is integer", "the type was integer and is string"),
    ({"x-kubernetes-int-or-string": True}, STRING, "the type was int-or-string and is string", None),
    (NUMBER, {**NUMBER, "allOf": [{"minimum": 1}]}, "allOf is new", None),
    (NUMBER, {**NUMBER, **RULE}, "the rule 'self > 1' is new", None),
    ({**STRING, "default": "a"}, STRING, "the default is gone", None),
    ({**STRING, "default": "a"}, {**STRING, "default": "b"}, "the default a became b", "the default b became a"),
    ({**OBJECT, **OPEN}, OBJECT, "x-kubernetes-preserve-unknown-fields is gone", None),
    (
        LIST,
        {**LIST, "x-kubernetes-list-type": "set"},
        "the list type was atomic and is set",
        "the list type was set and is atomic",
    ),
    (
        {**LIST, **KEYED},
        {**LIST, **KEYED, "x-kubernetes-list-map-keys": ["b"]},
        "the keys ['a'] became ['b']",
        "the keys ['b'] became ['a']",
    ),
    (
        OBJECT,
        {**OBJECT, "x-kubernetes-map-type": "atomic"},
        "the map type was granular and is atomic",
        "the map type was atomic and is granular",
    ),
    (OBJECT, {**OBJECT, "required": ["a"]}, "a is required now", None),
    (OBJECT, {**OBJECT, "x-kubernetes-embedded-resource": True}, "x-kubernetes-embedded-resource is new", None),
    (
        {"type": "object", "additionalProperties": STRING},
        {"type": "object"},
        "the map is one no longer",
        None,
    ),
]


@pytest.mark.parametrize(
    ("wide", "tight", "change", "back"), TIGHTENED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_each_keyword_breaks_in_the_direction_that_tightens_it(
    wide: Json, tight: Json, change: str, back: str | None
) -> None:
    """What was allowed and no longer is breaks; what is allowed in addition does not."""
    assert told(crd(wide), crd(tight)) == [f"v1.value: {change}"]
    assert told(crd(tight), crd(wide)) == ([f"v1.value: {back}"] if back else [])


@pytest.mark.parametrize(
    "nest",
    [
        lambda schema: {"type": "array", "items": schema},
        lambda schema: {"type": "object", "additionalProperties": schema},
    ],
)
def test_items_and_values_are_compared(nest: Any) -> None:
    """A change below a list or a map is told with a path that shows it."""
    (change,) = told(crd(nest(STRING)), crd(nest({**STRING, "maxLength": 1})))
    assert change in ("v1.value[]: maxLength 1 is new", "v1.value{}: maxLength 1 is new")


def test_a_field_that_is_gone_loses_its_values() -> None:
    """The server drops what the schema does not name, unless unknown fields are kept."""
    empty = {"type": "object"}
    assert told(crd(OBJECT), crd(empty)) == ["v1.value.a: the field is gone"]
    assert told(crd(OBJECT), crd({**empty, **OPEN})) == []
    assert told(crd(empty), crd(OBJECT)) == []


def test_a_new_field_breaks_where_it_is_required_without_a_default() -> None:
    """Stored objects do not have it; a default gives it to them."""
    required = {**OBJECT, "required": ["a"]}
    defaulted = {"type": "object", "properties": {"a": {**STRING, "default": "x"}}, "required": ["a"]}
    assert told(crd({"type": "object"}), crd(required)) == ["v1.value.a: the new field is required"]
    assert told(crd({"type": "object"}), crd(defaulted)) == []


def test_a_field_gets_a_schema_where_anything_was_kept() -> None:
    """Objects may be stored with any value there."""
    assert told(crd({"type": "object", **OPEN}), crd({**OBJECT, **OPEN})) == ["v1.value.a: the field has a schema now"]


def test_versions_names_and_scope() -> None:
    """What clients and stored objects call the kind by must stay."""
    old = crd(STRING)
    new = copy.deepcopy(old)
    new["spec"] |= {"scope": "Cluster", "names": {"plural": "baskets", "kind": "Basket"}}
    new["spec"]["versions"][0] |= {"name": "v2"}
    assert told(old, new) == [
        "spec.scope: Namespaced became Cluster",
        "spec.names.plural: carts became baskets",
        "spec.names.kind: Cart became Basket",
        "spec.names.shortNames: ca is gone",
        "v1: the version is gone",
    ]


def test_serving_and_subresources() -> None:
    """A version that is not served, a subresource and a selectable field that are gone are told."""
    old = crd(STRING, subresources={"status": {}, "scale": {}}, selectableFields=[{"jsonPath": ".value"}])
    assert told(old, crd(STRING, served=False)) == [
        "v1: the version is no longer served",
        "v1.subresources.status: the subresource is gone",
        "v1.subresources.scale: the subresource is gone",
        "v1.selectableFields: .value is gone",
    ]
    assert told(crd(STRING), old) == ["v1.subresources.status: the subresource is new"]


@pytest.mark.parametrize("classes", marker_kinds.CRDS, ids=lambda classes: classes[0].__name__)
def test_nothing_breaks_where_nothing_changes(classes: Any) -> None:
    """A CRD beside itself has no changes, whatever is in it."""
    assert breaking_changes(manifest.crd(*classes), manifest.crd(*classes)) == []


def test_a_change_is_told_in_one_line() -> None:
    """Where, what and why."""
    (change,) = breaking_changes(crd(STRING), crd({**STRING, "enum": ["a"]}))
    assert str(change) == (
        "v1.value: enum ['a'] is new: a stored value outside of it is refused when it is next changed; "
        "before Kubernetes 1.33, at any update"
    )
