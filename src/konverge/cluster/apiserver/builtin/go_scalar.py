"""Go's scalars of the built-in kinds, and what Go reads by code of its own: times, quantities, bytes.

`go_type` makes lists, maps and structs of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from konverge.cluster.apiserver.builtin.go_finding import Found, Fraction, Place
from konverge.cluster.apiserver.builtin.go_value import Unreadable, quantity_text

_LIMITS: Final = {"int32": 2**31, "int64": 2**63, "int": 2**63}
BYTES: Final = "[]uint8"


class GoType:
    """A type of which nothing is known: any JSON value."""

    go_name = "interface {}"
    family = ""
    base = ""
    zero: Any = None  # what null reads as inside a list or map

    def read(self, value: Any, place: Place, found: Found) -> Any:  # noqa: ARG002 - other types say where and what
        """Return a value as Go gives it back."""
        return value

    def fill(self, value: Any) -> None:
        """Put in what Go always writes, and defaults."""

    def fill_part(self, value: Any, name: str) -> None:
        """Do so for one field, and for the type that has it."""


class Scalar(GoType):
    """A text, a truth value or a number."""

    family = "scalar"

    def __init__(self, kind: type, go_name: str, zero: Any, *, base: str = "", choices: tuple[str, ...] = ()) -> None:
        self._kind = kind
        self.go_name = go_name
        self.base = base or go_name  # what a named type is made of
        self.choices = choices  # of an enumeration; empty: any value
        self.zero = zero

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        if type(value) is self._kind:
            return value
        found.mismatch(value, place, self)
        return self.zero


class Integer(Scalar):
    """An integer of a size."""

    def __init__(self, go_name: str, base: str = "") -> None:
        super().__init__(int, go_name, 0, base=base)
        self._limit = _LIMITS.get(base or go_name, 2**63)

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        if type(value) is int and -self._limit <= value < self._limit:
            return value
        if type(value) is float and value.is_integer() and -self._limit <= value < self._limit:
            return int(value)
        if type(value) in (int, float, Fraction):
            found.misfit(value, place, self)
            return 0
        return super().read(value, place, found)


class Number(Scalar):
    """A float64."""

    def __init__(self) -> None:
        super().__init__(float, "float64", 0)

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        return value if type(value) in (int, Fraction) else super().read(value, place, found)


class Special(GoType):
    """A value that Go reads with its own code: a time, a quantity, bytes."""

    def __init__(
        self, read: Callable[[Any], str], *, go_name: str = "string", takes: tuple[type, ...] = (str,), zero: Any = None
    ) -> None:
        self._read = read
        self._takes = takes
        self.go_name = go_name
        self.zero = zero
        self.family = "slice" if go_name == BYTES else ""

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        if type(value) not in self._takes:
            found.mismatch(value, place, self)
            return None
        try:
            return self._read(value)
        except Unreadable as error:
            found.unreadable(error, self)
            return value


class Quantities(Special):
    """A quantity says the same of whatever it does not read."""

    def __init__(self) -> None:
        super().__init__(quantity_text, takes=(str, int, float), zero="0")

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        whole = float(value) if type(value) is Fraction else value
        return super().read(whole if type(whole) in self._takes else "?", place, found)


class IntOrText(GoType):
    """A number or a text."""

    go_name = "int32"  # what Go's own code for it says that it wanted
    zero = 0

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        if type(value) in (str, int):
            return value
        found.mismatch(value, place, self)
        return self.zero
