"""What a field's schema says beyond its type, as values that stand in `Annotated[...]`.

Built-in models carry the markers of the server's own schema: konverge uses them to tell list items apart in a round
trip and in a strategic merge patch. A custom resource declares them the same way, and its CRD repeats them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True, init=False)
class ListMap:
    """A list whose items are told apart by key fields, given by wire name: `ListMap("port", "protocol")`."""

    keys: tuple[str, ...]
    # Key fields that the server fills in when they are left out, so that an item is found with or without them.
    defaults: tuple[tuple[str, Any], ...] = ()

    def __init__(self, *keys: str, **defaults: Any) -> None:
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "defaults", tuple(defaults.items()))


class ListSet(msgspec.Struct, frozen=True):
    """A list of scalars in which each value stands once."""


class ListAtomic(msgspec.Struct, frozen=True):
    """A list that is replaced whole, never merged."""


class MapAtomic(msgspec.Struct, frozen=True):
    """A map or struct that is replaced whole, never merged."""


class MapGranular(msgspec.Struct, frozen=True):
    """A map or struct whose fields may have different owners, which is what it is anyway."""


class Present(msgspec.Struct, frozen=True):
    """An attribute that the schema requires; `Required[X]` puts it there."""


class PatchMerge(msgspec.Struct, frozen=True):
    """How a strategic merge patch treats a list or map: merged, by this key where the items are structs."""

    key: str | None = None
    strategies: tuple[str, ...] = msgspec.field(default=("merge",))


class Sensitive(msgspec.Struct, frozen=True):
    """A value that must not be shown: reprs have a placeholder in its place."""
