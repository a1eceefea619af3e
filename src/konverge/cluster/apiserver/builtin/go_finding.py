"""What reading a value as one of Go's types finds: unknown fields, and the first wrong type, in Go's words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import msgspec

from konverge.cluster.apiserver.builtin.go_value import Unreadable


class Target(Protocol):
    """The type that a value was read as."""

    family: str  # struct, map, slice, scalar; empty: one that Go reads by code of its own
    base: str  # what a named scalar is made of

    @property
    def go_name(self) -> str:
        """What Go calls it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: in Go's words (`DeploymentSpec.spec.replicas`) and in the words of field validation."""

    struct: str = ""
    path: str = ""
    where: str = ""

    def below(self, struct: str, name: str, inside: str = "") -> Place:
        """Return the place of a struct's field, which may stand inside embedded types: Go's path names these."""
        steps = f"{inside}.{name}" if inside else name
        path = f"{self.path}.{steps}" if self.path else steps
        where = f"{self.where}.{name}" if self.where else name
        return Place(struct, path, where)

    def at(self, step: str) -> Place:
        """Return the place of an item; Go's path has no name for it."""
        return Place(self.struct, self.path, self.where + step)


class Fraction(float):
    """A number that was written with a point or an exponent: Go's integers take none, however whole it is."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Keep the text: it is what Go shows."""
        made = super().__new__(cls, text)
        made.text = text
        return made


@dataclass(slots=True)
class Found:
    """What reading a value found, in the words of Go's JSON decoder."""

    unknown: list[str] = field(default_factory=list)
    error: str = ""  # the first one: Go reads on after it, and so do we
    is_over: bool = False  # code of a type's own has refused a value: that is the error, and nothing comes after it

    def mismatch(self, value: Any, place: Place, kind: Target) -> None:
        """Note a value of another type than Go's."""
        kinds: dict[type, str] = {dict: "object", list: "array", str: "string", bool: "bool"}
        word = kinds.get(type(value), "number")
        target = f"struct field {place.struct}.{place.path}" if place.path else "value"
        self._note(f"json: cannot unmarshal {word} into Go {target} of type {kind.go_name}", ends=not kind.family)

    def misfit(self, value: float, place: Place, kind: Target) -> None:
        """Note a number that Go's type does not hold."""
        number = value.text if isinstance(value, Fraction) else msgspec.json.encode(value).decode()
        target = f"{place.struct}.{place.path}"
        self._note(f"json: cannot unmarshal number {number} into Go struct field {target} of type {kind.go_name}")

    def unreadable(self, error: Unreadable, kind: Target) -> None:
        """Note a text that Go's own code for a type does not read; bytes are the decoder's own."""
        self._note(str(error), ends=not kind.family)

    def _note(self, error: str, *, ends: bool = False) -> None:
        if not self.error or (ends and not self.is_over):
            self.error = error
        self.is_over |= ends


class Converted(Found):
    """What reading a value found, in the words of the converter that strategic merge patches go through.

    That one ends at the first error.
    """

    def mismatch(self, value: Any, place: Place, kind: Target) -> None:  # noqa: ARG002 - this one does not say where
        """Note a value of another type than Go's."""
        kinds: dict[type, str] = {dict: "map", list: "slice", str: "string", bool: "bool", float: "float64"}
        word = kinds.get(type(value), "int64")
        if kind.family == "struct":
            self._note(f"cannot restore struct from: {word}")
        elif kind.family in ("map", "slice"):
            self._note(f"cannot restore {kind.family} from {word}")
        elif kind.family == "scalar":
            is_close = type(value) is int and kind.base == "string"
            self._note(f"cannot convert {word} to {kind.base}" if is_close else f"unrecognized type: {kind.base}")
        else:
            Found.mismatch(self, value, Place(), kind)  # its own code for a type is the decoder's

    def _note(self, error: str, *, ends: bool = True) -> None:  # noqa: ARG002 - to this one each error is the end
        self.error = self.error or error

    def misfit(self, value: float, place: Place, kind: Target) -> None:  # noqa: ARG002 - this one does not say where
        """Note a number that Go's type does not hold."""
        self._note(f"cannot convert {'float64' if type(value) is float else 'int64'} to {kind.go_name}")

    def unreadable(self, error: Unreadable, kind: Target) -> None:
        """Note a text that Go's own code for a type does not read."""
        self._note(f"error decoding from json: {error}" if kind.family == "slice" else str(error))
