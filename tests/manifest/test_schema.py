from collections import OrderedDict
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType, cast
from uuid import UUID

import pytest

import konverge as kv
from konverge.api.model import ModelMeta
from konverge.manifest import NoKubernetesForm
from konverge.manifest.place import Place
from konverge.manifest.schema import model_schema
from konverge.models import core_v1


def schema(kind: Any, default: Any = ...) -> Any:
    """The schema of an attribute of this type."""
    namespace: dict[str, Any] = {"__annotations__": {"value": kind}, "__module__": __name__}
    if default is not ...:
        namespace["value"] = default
    model = cast("type[kv.Model]", ModelMeta("Sample", (kv.Model,), namespace))
    return model_schema(Place(model))


def attribute(kind: Any, default: Any = ...) -> Any:
    """The schema of the attribute itself."""
    return schema(kind, default)["properties"]["value"]


Meters = NewType("Meters", int)


@dataclass
class Plain:
    """Not a model."""


class Mixed(Enum):
    """Values of two types."""

    A = "a"
    B = 1


@kv.schema(kv.Title("How sure"))
class Titled(Enum):
    """With a marker on it."""

    YES = "yes"


class Keyed(kv.Model):
    """An item whose key may be absent."""

    name: str | None = None


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Meters, {"type": "integer"}),
        (date, {"type": "string", "format": "date"}),
        (UUID, {"type": "string", "format": "uuid"}),
        (int | float, {"type": "number"}),
        (list, {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}}),
        (list[str | None], {"type": "array", "items": {"type": "string", "nullable": True}}),
        (Titled, {"type": "string", "enum": ["yes"], "title": "How sure", "description": "With a marker on it."}),
        (Literal[True], {"type": "boolean", "enum": [True]}),
        (
            dict[str, list[bool]],
            {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "boolean"}}},
        ),
    ],
)
def test_types_have_their_schema(kind: Any, expected: Any) -> None:
    """Types that the comparison with controller-gen does not have."""
    assert attribute(kind) == expected


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (timedelta, "Sample.value: timedelta has no form in a CRD: use kv.DurationText"),
        (kv.Quantity, "Sample.value: Quantity has no form in a CRD: use kv.QuantityText"),
        (Decimal, "Sample.value: Decimal has no form in a CRD: use kv.QuantityText or str"),
        (set[str], "Sample.value: set has no form in a CRD: use a list with kv.ListSet()"),
        (tuple[int, ...], "Sample.value: tuple has no form in a CRD: use a list"),
        (Plain, "Sample.value: Plain has no form in a CRD: use str, int, bool, list, dict"),
        (OrderedDict[str, int], "Sample.value: OrderedDict has no form in a CRD"),
        (dict[int, str], "Sample.value: the keys of a map are strings: write dict[str, …]"),
        (
            Keyed | core_v1.Pod,
            "Sample.value: Keyed | Pod has no form in a CRD, where a field has one type: write a model",
        ),
        (str | bool, "Sample.value: str | bool has no form in a CRD"),
        (Mixed, "Sample.value: the values of an enum must be of one type: make them all str, or all int"),
        (Annotated[str, kv.Minimum(1)], "Sample.value: Minimum is for a number, and this is string"),
        (Annotated[int, kv.MaxLength(1)], "Sample.value: MaxLength is for a string, and this is integer"),
        (Annotated[int, kv.MinItems(1)], "Sample.value: MinItems is for a list, and this is integer"),
        (Annotated[list[str], kv.MaxProperties(1)], "Sample.value: MaxProperties is for a map or a model"),
        (Annotated[int, kv.Minimum(0.5)], "Sample.value: 0.5 is no whole number, and the attribute is one"),
        (
            Annotated[list[str], kv.UniqueItems()],
            "Sample.value: no server takes uniqueItems in a CRD: use kv.ListSet()",
        ),
        (Annotated[list[Keyed], kv.ListSet()], "Sample.value: ListSet is for strings and numbers: use kv.ListMap"),
        (Annotated[list[Keyed], kv.ListMap("id")], "Sample.value: its items have no field 'id' for ListMap"),
        (Annotated[list[Keyed], kv.ListMap("name")], "Sample.value: ListMap tells items apart by 'name', which may be"),
        (Annotated[str, kv.Schemaless()], "Sample.value: the schema says no type: add kv.Type(…)"),
    ],
)
def test_what_has_no_form_is_refused_with_its_place_and_a_remedy(kind: Any, message: str) -> None:
    """The error names the class and the attribute, and says what would do."""
    with pytest.raises(NoKubernetesForm) as caught:
        schema(kind)
    assert str(caught.value).startswith(message)


class Early(kv.Model):
    """A class that names an enum which is not there yet."""

    value: "Late | None" = None


class Late(Enum):
    """An enum."""

    YES = "yes"


def test_an_enum_that_comes_after_the_class_is_refused() -> None:
    """Reading would enforce it, and an object with another value could not be read."""
    with pytest.raises(NoKubernetesForm, match=r"Early\.value: its enum is defined below the class"):
        model_schema(Place(Early))


class Tree(kv.Model):
    """A model that contains itself."""

    children: "list[Tree] | None" = None


def test_a_model_that_contains_itself_is_refused() -> None:
    """A CRD's schema has no references, so it must end."""
    with pytest.raises(NoKubernetesForm, match=r"Tree\.children: Tree contains itself, and a CRD's schema must end"):
        model_schema(Place(Tree))


@kv.schema(kv.ExactlyOneOf("left", "rigth"))
class Misspelt(kv.Model):
    """A one-of that names no attribute."""

    left: str | None = None


@kv.schema(kv.AtMostOneOf("left", "right"))
class Contradictory(kv.Model):
    """A one-of with a required attribute."""

    left: str
    right: str | None = None


def test_a_one_of_names_attributes_that_may_be_absent() -> None:
    """A misspelt name and a required attribute are refused."""
    with pytest.raises(NoKubernetesForm, match="Misspelt: it has no attribute 'rigth' for its one-of rule"):
        model_schema(Place(Misspelt))
    with pytest.raises(NoKubernetesForm, match=r"Contradictory\.left: it is part of a one-of rule"):
        model_schema(Place(Contradictory))


def test_two_bounds_for_one_keyword_both_hold() -> None:
    """An attribute may narrow the alias that it uses: each bound has a branch, with its exclusiveness."""
    alias = Annotated[int, kv.Minimum(0, exclusive=True), kv.Maximum(9)]
    assert attribute(Annotated[alias, kv.Minimum(3), kv.Maximum(7)]) == {
        "type": "integer",
        "allOf": [{"minimum": 0, "exclusiveMinimum": True, "maximum": 9}, {"minimum": 3, "maximum": 7}],
    }


def test_a_built_in_model_brings_its_fields() -> None:
    """Required fields, list types and the defaults of list keys of Kubernetes' own types are in the schema."""
    found = attribute(core_v1.Container | None, None)
    ports = found["properties"]["ports"]
    assert found["required"] == ["name"]
    assert ports["x-kubernetes-list-map-keys"] == ["containerPort", "protocol"]
    assert ports["items"]["properties"]["protocol"]["default"] == "TCP"
    assert ports["items"]["required"] == ["containerPort"]
    assert found["properties"]["resources"]["properties"]["limits"]["additionalProperties"][
        "x-kubernetes-int-or-string"
    ]


class Documented(kv.Model):
    """Attributes with and without words."""

    told: Annotated[str, kv.Doc("By a marker.")]
    """Not this."""
    written: str
    """By the string below it.

    TODO: not for users
    Two paragraphs.
    ---
    Not for users either.
    """
    silent: str


class Heir(Documented):
    """A class made from it."""

    own: str


def test_descriptions_come_from_markers_and_from_the_source() -> None:
    """`Doc` stands before the string below; notes to authors are left out; inherited attributes keep theirs."""
    found = {name: each.get("description") for name, each in model_schema(Place(Heir))["properties"].items()}
    assert found == {
        "told": "By a marker.",
        "written": "By the string below it.\n\nTwo paragraphs.",
        "silent": None,
        "own": None,
    }


def test_a_class_without_source_has_no_descriptions_of_attributes() -> None:
    """A class that was made as the program runs is no error."""
    namespace: dict[str, Any] = {}
    code = 'import konverge as kv\nclass Made(kv.Model):\n    a: int\n    "Lost."\n'
    exec(code, {"__name__": "nowhere"}, namespace)
    assert model_schema(Place(namespace["Made"]))["properties"] == {"a": {"type": "integer"}}
