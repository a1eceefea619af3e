from typing import Any

import pytest

import konverge as kv
from konverge.errors import RequestError
from konverge.manifest import NoKubernetesForm, crd

GROUP = "shop.example.com"
LABELS = {"description": "kept"}


class CartSpec(kv.Spec):
    """What is in it."""

    size: int
    owner: str | None = None
    description: dict[str, str] = kv.field(default_factory=lambda: dict(LABELS))
    """Words about it."""


class CartStatus(kv.Status):
    """What became of it."""

    count: int | None = None


@kv.resource(group=GROUP, version="v1")
class Cart(kv.CustomResource[CartSpec, CartStatus]):
    """A cart."""


def version(made: dict[str, Any], name: str = "v1") -> Any:
    """One version of a CRD."""
    return next(each for each in made["spec"]["versions"] if each["name"] == name)


def test_names_are_made_from_the_class() -> None:
    """Kind, plural, singular and list kind follow from the class's name; a status has its subresource."""
    made = crd(Cart)
    assert made["metadata"] == {"name": "carts.shop.example.com"}
    assert made["spec"]["names"] == {"kind": "Cart", "listKind": "CartList", "plural": "carts", "singular": "cart"}
    assert made["spec"]["scope"] == "Namespaced"
    assert version(made)["subresources"] == {"status": {}}
    assert (version(made)["served"], version(made)["storage"]) == (True, True)


def test_a_spec_with_required_attributes_is_required() -> None:
    """An object without a spec would not have them; a status is nobody's to require."""
    assert version(crd(Cart))["schema"]["openAPIV3Schema"]["required"] == ["spec"]


def test_descriptions_can_be_left_out() -> None:
    """A schema with many built-in types may be too large with them."""
    assert "What is in it." in str(crd(Cart))
    assert "What is in it." not in str(crd(Cart, descriptions=False))
    spec = version(crd(Cart, descriptions=False))["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert spec["description"] == {"type": "object", "additionalProperties": {"type": "string"}, "default": LABELS}


def test_conversion_is_taken_as_it_is() -> None:
    """The webhook that converts is named by who deploys it."""
    assert crd(Cart, conversion={"strategy": "None"})["spec"]["conversion"] == {"strategy": "None"}


def made(**options: Any) -> type[kv.Object]:
    """A class like Cart with other options."""
    given = {"group": GROUP, "version": "v1", "kind": "Cart", **options}

    class Other(Cart):
        """A cart of another make."""

    return kv.resource(**given)(Other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": "v2", "scope": "Cluster"}, "their scope differ"),
        ({"version": "v2", "kind": "Basket"}, "their kind differ"),
        ({"version": "v1"}, "has the version"),
        ({"version": "v2"}, "has 2 versions and 0 of them with storage=True"),
    ],
)
def test_versions_must_be_of_one_kind(options: dict[str, Any], message: str) -> None:
    """Names and scope are shared, versions are distinct, and one of them is stored."""
    with pytest.raises(RequestError, match=message):
        crd(Cart, made(**options))


def test_a_kind_that_is_not_served_is_refused() -> None:
    """Nobody could use it."""
    with pytest.raises(RequestError, match="no version with served=True"):
        crd(made(served=False))


def test_a_class_that_is_no_custom_resource_is_refused() -> None:
    """The error says what to put on it."""

    class Undecorated(kv.CustomResource[CartSpec, None]):
        pass

    with pytest.raises(RequestError, match=r"Undecorated is no custom resource: put @kv.resource"):
        crd(Undecorated)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": [kv.Column("X", ".spec.sizes")]}, "the column 'X' shows .spec.sizes"),
        ({"columns": [kv.Column("X", ".spec")]}, "the column 'X' shows .spec,"),
        (
            {"scale": kv.Scale(status_replicas=".status.count", spec_replicas=".spec.owner")},
            ".spec.owner leads to no field",
        ),
        ({"selectable_fields": [".spec"]}, ".spec leads to no field of type string or integer or boolean"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(options: dict[str, Any], message: str) -> None:
    """Columns, scale and selectable fields name fields that are there."""
    with pytest.raises(NoKubernetesForm, match=message):
        crd(made(**options))


def test_a_column_may_say_its_type() -> None:
    """A path with an expression is the author's to know."""
    column = kv.Column("Ready", '.status.conditions[?(@.type=="Ready")].status', type="string")
    (found,) = version(crd(made(columns=[column])))["additionalPrinterColumns"]
    assert found == {"name": "Ready", "type": "string", "jsonPath": column.path}


@kv.resource(group=GROUP, version="v1")
class Note(kv.Object):
    """A kind without a spec, as a ConfigMap is."""

    text: str
    tags: list[str] | None = None


def test_a_kind_need_not_have_a_spec() -> None:
    """Any class with metadata can be a custom resource: its attributes stand at the top."""
    found = version(crd(Note))
    schema = found["schema"]["openAPIV3Schema"]
    assert sorted(schema["properties"]) == ["apiVersion", "kind", "metadata", "tags", "text"]
    assert schema["required"] == ["text"]
    assert "subresources" not in found
