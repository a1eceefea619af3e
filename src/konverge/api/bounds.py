"""Bounds: how large, long or many a value may be, as values that stand in `Annotated[...]`.

They are the validations of a CRD's schema, and the server keeps them: reading never does, so that an object stored
under an older schema stays readable. A bound on the items of a list stands on the items::

    replicas: Annotated[int, Minimum(1), Maximum(10)] = 1
    names: list[Annotated[str, MinLength(1)]]
"""

from __future__ import annotations

import msgspec


class Minimum(msgspec.Struct, frozen=True):
    """The least number; with `exclusive` the number must be greater."""

    value: float
    exclusive: bool = False


class Maximum(msgspec.Struct, frozen=True):
    """The greatest number; with `exclusive` the number must be less."""

    value: float
    exclusive: bool = False


class MultipleOf(msgspec.Struct, frozen=True):
    """The number must be a multiple of this one."""

    value: float


class MinLength(msgspec.Struct, frozen=True):
    """The fewest characters of a string."""

    value: int


class MaxLength(msgspec.Struct, frozen=True):
    """The most characters of a string."""

    value: int


class Pattern(msgspec.Struct, frozen=True):
    """The regular expression (RE2, as Go has it) that a string must match somewhere: anchor it with ^ and $."""

    value: str


class MinItems(msgspec.Struct, frozen=True):
    """The fewest items of a list."""

    value: int


class MaxItems(msgspec.Struct, frozen=True):
    """The most items of a list."""

    value: int


class UniqueItems(msgspec.Struct, frozen=True):
    """No item stands twice in a list. No server takes it in a CRD: `ListSet` says the same, and it does."""


class MinProperties(msgspec.Struct, frozen=True):
    """The fewest keys of a map, or set attributes of a model."""

    value: int


class MaxProperties(msgspec.Struct, frozen=True):
    """The most keys of a map, or set attributes of a model."""

    value: int
