"""Models in a module whose annotations are not text: no `from __future__ import annotations` here."""

from typing import Annotated, Any, ClassVar, Generic, Optional, TypeVar

from konverge.api.markers import ListMap
from konverge.api.model import Model, Required, decode, encode, field
from konverge.api.type_shape import keys_of

T = TypeVar("T")


class Below(Model):
    """A struct."""

    name: Required[str] = field()


class Sample(Model):
    """Annotations of every form."""

    shared: ClassVar[int] = 1

    count: int = 1
    plain: str = field(default=None)
    below: Below = field(default_factory=Below)
    optional: Optional[Below] = None  # noqa: UP045 - the form that older code has
    items: Annotated[list[Below], ListMap("name")] = field(default=None)
    later: "Later | None" = None
    laters: list["Later"] | None = None
    anything: Any = None


class Later(Model):
    """A class that is not there yet when the one above is made."""

    value: int


class Box(Model, Generic[T]):
    """A model of a type that its user names."""

    content: T


class FullBox(Box[Below]):
    """The same with a type."""


def test_annotations_that_are_no_text() -> None:
    """Every attribute may be absent, class variables aside, and names from further down are found."""
    assert decode(Sample, b"{}") == Sample()
    found = decode(Sample, b'{"later":{"value":1},"laters":[{"value":2}],"items":[{"name":"a"}],"plain":null}')
    assert found.later == Later(value=1)
    assert found.laters == [Later(value=2)]
    assert encode(found) == (
        b'{"count":1,"below":{},"items":[{"name":"a"}],"later":{"value":1},"laters":[{"value":2}]}'
    )
    assert Sample.shared == 1


def test_markers_are_found_under_the_optional() -> None:
    """Making an attribute optional hides none of its markers."""
    assert keys_of(Optional[Annotated[list[Below], ListMap("name")]]) == ListMap("name")  # noqa: UP045 - as Python has it


def test_generic_models() -> None:
    """A generic model reads its content as the type that a subclass names."""
    assert decode(FullBox, b'{"content":{"name":"a"}}').content == Below(name="a")
    assert decode(FullBox, b"{}").content is None
