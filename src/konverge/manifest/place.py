"""Place: where in an author's types a schema is being made, for errors that name the class and the field."""

from __future__ import annotations

from dataclasses import dataclass

from konverge.api.model import Model
from konverge.errors import RequestError


class NoKubernetesForm(RequestError):
    """A type or marker that no CRD can express; the message names the class and attribute, and says what would do."""


@dataclass(frozen=True, slots=True)
class Place:
    """An attribute of a class, or the class itself, and the classes on the way to it."""

    cls: type[Model]
    attribute: str = ""
    above: tuple[type[Model], ...] = ()

    def at(self, attribute: str) -> Place:
        """Return the place of an attribute of this class."""
        return Place(self.cls, attribute, self.above)

    def into(self, cls: type[Model]) -> Place:
        """Return the place of a class that this attribute leads to; one that it came from is refused."""
        if cls in (*self.above, self.cls):
            raise self.refusal(
                f"{cls.__qualname__} contains itself, and a CRD's schema must end",
                "make the attribute `Annotated[Any, kv.PreserveUnknownFields()]`, or name the levels one by one",
            )
        return Place(cls, "", (*self.above, self.cls))

    def refusal(self, complaint: str, remedy: str) -> NoKubernetesForm:
        """Return the error that names this place, for its caller to raise."""
        return NoKubernetesForm(f"{self}: {complaint}: {remedy}")

    def __str__(self) -> str:
        return f"{self.cls.__qualname__}.{self.attribute}" if self.attribute else self.cls.__qualname__
