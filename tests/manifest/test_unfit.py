"""Defaults that no server would take, and the servers' own word on them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest

import konverge as kv
from konverge.errors import Invalid
from konverge.manifest import crds_of
from konverge.manifest.place import NoKubernetesForm
from konverge.manifest.unfit import unfit
from konverge.testing import Cluster

TEXT = {"type": "string"}
UNFIT: list[tuple[Any, dict[str, Any], str]] = [
    (1, TEXT, "type string"),
    (1.5, {"type": "integer"}, "type integer"),
    (True, {"type": "integer"}, "type integer"),
    ("b", {**TEXT, "enum": ["a"]}, "enum ['a']"),
    (4, {"type": "integer", "minimum": 5}, "minimum 5"),
    (6.5, {"type": "number", "maximum": 6}, "maximum 6"),
    ("a", {**TEXT, "minLength": 2}, "minLength 2"),
    ("abc", {**TEXT, "maxLength": 2}, "maxLength 2"),
    ("a1", {**TEXT, "pattern": "^[a-z]+$"}, "pattern ^[a-z]+$"),
    ([], {"type": "array", "items": TEXT, "minItems": 1}, "minItems 1"),
    (["a", "b"], {"type": "array", "items": TEXT, "maxItems": 1}, "maxItems 1"),
    ({}, {"type": "object", "additionalProperties": TEXT, "minProperties": 1}, "minProperties 1"),
    ({"a": "", "b": ""}, {"type": "object", "additionalProperties": TEXT, "maxProperties": 1}, "maxProperties 1"),
    ([1], {"type": "array", "items": TEXT}, "type string"),
    ({"a": "x"}, {"type": "object", "properties": {"a": {"type": "integer"}}}, "type integer"),
]
FIT: list[tuple[Any, dict[str, Any]]] = [
    (2.0, {"type": "integer"}),
    (1, {"x-kubernetes-int-or-string": True}),
    ("a", {**TEXT, "pattern": "^[a-z]+$", "minLength": 1, "enum": ["a"]}),
    ({"a": 1}, {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}}),
]


@pytest.mark.parametrize(("value", "schema", "against"), UNFIT)
def test_what_is_against_a_schema_is_named(value: Any, schema: dict[str, Any], against: str) -> None:
    """By the keyword and what it says."""
    assert unfit(value, schema) == against


@pytest.mark.parametrize(("value", "schema"), FIT)
def test_what_fits_is_left_alone(value: Any, schema: dict[str, Any]) -> None:
    """And so is what only a server can judge."""
    assert unfit(value, schema) == ""
    assert unfit("a", {"pattern": "(?i:"}) == ""


class PlainSpec(kv.Spec):
    """A spec without fields of its own."""


@kv.resource(group="unfit.konverge.dev", version="v1")
class Plain(kv.CustomResource[PlainSpec, None]):
    """A kind to hang schemas on."""


async def test_a_server_says_the_same(cluster: Cluster) -> None:
    """It refuses the CRD, with a cause for each default that is unfit, and for none of the others."""
    (definition,) = crds_of([Plain])
    cases = [*((value, schema) for value, schema, _ in UNFIT), *FIT]
    fields = {f"f{number}": {**schema, "default": value} for number, (value, schema) in enumerate(cases)}
    spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"] = fields
    async with cluster.client() as client:
        with pytest.raises(Invalid) as error:
            await client.create(kv.Unstructured.from_dict(definition))
    told = {cause.field.partition("properties[spec].properties[")[2].partition("]")[0] for cause in error.value.causes}
    assert told == {f"f{number}" for number in range(len(UNFIT))}


class ShelfSpec(kv.Spec):
    """A spec with a default that its own enum has not."""

    wood: Literal["oak", "ash"] = "elm"  # type: ignore[assignment]  # what is looked at
    boards: Annotated[int, kv.Minimum(1)] = 1


@kv.resource(group="unfit.konverge.dev", version="v1")
class Shelf(kv.CustomResource[ShelfSpec, None]):
    """A shelf."""


def test_the_class_and_the_field_are_named() -> None:
    """As for anything else that has no form in a CRD."""
    with pytest.raises(NoKubernetesForm, match=r"^ShelfSpec\.wood: its default 'elm' is against enum \['oak', 'ash'\]"):
        crds_of([Shelf])
