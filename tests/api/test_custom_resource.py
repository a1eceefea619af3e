from __future__ import annotations

import copy
import enum
import pickle
from typing import Annotated, Any, Literal

import pytest

import konverge as kv
from konverge.api.custom_resource import CustomResourceMeta, definition_of
from konverge.api.form import typed
from konverge.api.invalid import InvalidValue
from konverge.api.object import read, write


class Phase(enum.StrEnum):
    """A text that is one of two."""

    PENDING = "Pending"
    READY = "Ready"


class Size(enum.IntEnum):
    """A number that is one of two."""

    SMALL = 1
    LARGE = 2


class CartSpec(kv.Spec):
    """What is in it."""

    items: list[str] | None = None
    size: Annotated[Size, kv.Doc("How large.")] = Size.SMALL
    owner: str = "nobody"


class CartStatus(kv.Status):
    """What became of it."""

    phase: Phase | None = None
    history: list[Phase] | None = None
    mood: Literal["good", "bad"] | None = None


@kv.resource(group="shop.example.com", version="v1", scale=kv.Scale(spec_replicas=".spec.size"))
class Cart(kv.CustomResource[CartSpec, CartStatus]):
    """A cart."""


@kv.resource(group="shop.example.com", version="v1", kind="Basket", plural="basketry", scope="Cluster")
class OtherName(kv.CustomResource[CartSpec, None]):
    """A basket."""


def stored(**parts: Any) -> Cart:
    """A cart as a server has it."""
    return Cart.from_dict({"apiVersion": "shop.example.com/v1", "kind": "Cart", "metadata": {"name": "a"}, **parts})


def test_spec_and_status_read_as_empty_and_are_not_sent_while_empty() -> None:
    """An object without a status can be given one, and one that was not is not sent."""
    cart = stored()
    assert cart.status == CartStatus()
    assert cart.spec.owner == "nobody"
    assert write(cart) == write(stored())
    cart.status.phase = Phase.READY
    assert cart.to_dict()["status"] == {"phase": "Ready"}


def test_the_decorator_names_the_kind() -> None:
    """The class has a resource, as the classes of konverge.models do."""
    assert str(Cart.__resource__) == "shop.example.com/v1 Cart"
    assert (Cart.__resource__.plural, Cart.__resource__.subresources) == ("carts", ("scale", "status"))
    other = OtherName.__resource__
    assert (other.kind, other.plural, other.namespaced, other.subresources) == ("Basket", "basketry", False, ())
    assert typed(Cart).gvk == kv.GroupVersionKind("shop.example.com", "v1", "Cart")
    assert definition_of(Cart).singular == "cart"


def test_a_kind_without_a_status_reads_none() -> None:
    """`CustomResource[Spec, None]` has no status of its own; one that is stored all the same is kept."""
    assert OtherName().status is None
    data = b'{"apiVersion":"shop.example.com/v1","kind":"Basket","status":{"a":1}}'
    assert write(read(OtherName, data)) == data


def test_an_enum_reads_as_its_member_and_any_other_value_as_it_is() -> None:
    """An object that was stored under another list of values stays readable, and nothing of it is lost."""
    cart = stored(spec={"size": 2}, status={"phase": "Ready", "history": ["Pending", "Lost"], "mood": "odd"})
    assert cart.spec.size is Size.LARGE
    assert cart.status.phase is Phase.READY
    assert cart.status.history == [Phase.PENDING, "Lost"]
    assert [cart.status.mood] == ["odd"]
    assert cart.to_dict()["status"] == {"phase": "Ready", "history": ["Pending", "Lost"], "mood": "odd"}


def test_members_are_sent_as_their_values() -> None:
    """What an author sets by name goes on the wire by value."""
    cart = Cart(metadata=kv.ObjectMeta(name="a"), spec=CartSpec(size=Size.LARGE))
    assert cart.to_dict()["spec"] == {"size": 2, "owner": "nobody"}


def test_copies_are_equal() -> None:
    """A custom resource is copied and pickled as any other object."""
    cart = stored(spec={"size": 9, "later": True})
    for copied in (copy.copy(cart), copy.deepcopy(cart), pickle.loads(pickle.dumps(cart))):
        assert copied == cart
        assert write(copied) == write(cart)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"group": "shop", "version": "v1"}, "'shop' is not the group of a custom resource: write a domain"),
        ({"group": "shop.example.com", "version": "1"}, "'1' is not the version of a custom resource"),
        ({"group": "shop.example.com", "version": "v1", "kind": "My_Cart"}, "'my_cart' is not the kind of a custom"),
        ({"group": "shop.example.com", "version": "v1", "plural": "Carts"}, "'Carts' is not the plural of a custom"),
        ({"group": "shop.example.com", "version": "v1", "short_names": ["c t"]}, "'c t' is not the short name of a"),
        ({"group": "shop.example.com", "version": "v1", "scope": "Both"}, "'Both' is no scope: write Namespaced or"),
    ],
)
def test_names_that_no_server_takes_are_refused(names: Any, message: str) -> None:
    """The error names the class and says what would do."""
    with pytest.raises(InvalidValue, match=f"CartSpec: {message}"):
        kv.resource(**names)(CartSpec)  # type: ignore[type-var]  # it does not come to its kind


def test_a_spec_must_be_a_model_that_exists() -> None:
    """The type arguments are classes, not names of classes to come."""
    with pytest.raises(TypeError, match=r"Later: its spec is .*: name a subclass of kv.Model that is defined above it"):
        CustomResourceMeta("Later", (kv.CustomResource,), {"__orig_bases__": (kv.CustomResource["Absent", None],)})  # type: ignore[name-defined]


def test_a_spec_may_be_declared_with_markers() -> None:
    """An author who declares the spec again may put markers on it."""
    from konverge.manifest import crd  # noqa: PLC0415 - a layer above, to see what becomes of it

    @kv.resource(group="shop.example.com", version="v1")
    class Ruled(kv.CustomResource[CartSpec, None]):
        spec: Annotated[CartSpec, kv.Rule("self.owner != ''")] = kv.field(default_factory=CartSpec)

    schema = crd(Ruled)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["properties"]["spec"]["x-kubernetes-validations"] == [{"rule": "self.owner != ''"}]
