"""The values of CEL that Python has no type for, and the names of the types of all values.

bool, int (64 bits), float, str, bytes, None and list stand for themselves. Every other class of values says the name of
its type in CEL_TYPE. A list or map that comes from JSON is one of the `views`: lists have `at`, `contains`, `same` and
`joined`, maps have `find`, `keys` and `same`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
MAX_UINT: Final = 2**64 - 1


class Uint(int):
    """An unsigned number of 64 bits. Arithmetic makes plain ints of it: wrap the result."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A moment in nanoseconds since 1970, and the offset in seconds that it is written with."""

    nanos: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of time in nanoseconds."""

    nanos: int


class Optional:
    """`optional.of(value)`, or `optional.none()`: `NONE`."""

    __slots__ = ("has_value", "value")

    def __init__(self, value: Any) -> None:
        self.has_value = True
        self.value = value

    def __repr__(self) -> str:
        return f"Optional({self.value!r})" if self.has_value else "NONE"


def _none() -> Optional:
    none = Optional(None)
    none.has_value = False
    return none


NONE: Final = _none()


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value: what `type(x)` gives and what `int` names."""

    name: str


def map_key(key: Any) -> Any:
    """Return what stands for a key in a dict: CEL's 1, 1u, 1.0 and true are different keys, Python's are one."""
    return key if key.__class__ is str else (key.__class__, key)


class MapValue:
    """A map that an expression made."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[tuple[Any, Any]] = ()) -> None:
        self._entries: dict[Any, tuple[Any, Any]] = {map_key(key): (key, value) for key, value in entries}

    def __len__(self) -> int:
        return len(self._entries)

    def keys(self) -> Iterator[Any]:
        """Yield the keys."""
        return iter([key for key, _ in self._entries.values()])

    def set(self, key: Any, value: Any) -> None:
        """Add or replace an entry, while the map is being made."""
        self._entries[map_key(key)] = (key, value)

    def discard(self, key: Any) -> None:
        """Leave an entry out, while the map is being made."""
        self._entries.pop(map_key(key), None)

    def find(self, key: Any) -> tuple[Any, bool]:
        """Return the value of a key; numbers of other types that are the same number are found too."""
        entry = self._entries.get(map_key(key))
        if entry is None and key.__class__ in _OTHER_NUMBERS:
            entry = self._find_number(key)
        return (None, False) if entry is None else (entry[1], True)

    def _find_number(self, key: Any) -> tuple[Any, Any] | None:
        for other in _OTHER_NUMBERS[key.__class__]:
            if key == key and not (key.__class__ is float and not float(key).is_integer()):  # noqa: PLR0124 - NaN
                entry = self._entries.get((other, int(key)))
                if entry is not None:
                    return entry
        return None

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self._entries.values()) + "}"


# A key of one of these types may be written as a number of the others.
_OTHER_NUMBERS: Final[dict[type, tuple[type, ...]]] = {float: (int, Uint), int: (Uint,), Uint: (int,)}

_TYPE_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    MapValue: "map",
    TypeValue: "type",
    Optional: "optional_type",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
}


def type_name(value: Any) -> str:
    """Return the name of a value's type."""
    name = _TYPE_NAMES.get(value.__class__)
    return name if name is not None else str(value.CEL_TYPE)  # every other class of values names its own


def is_list(value: Any) -> bool:
    """Whether a value is a list."""
    return isinstance(value, list) or getattr(value, "CEL_TYPE", "") == "list"


def is_map(value: Any) -> bool:
    """Whether a value is a map or an object."""
    return value.__class__ is MapValue or getattr(value, "CEL_TYPE", "") == "map"


def has_fields(value: Any) -> bool:
    """Whether a value is a map, an object, or an object that an expression made."""
    return is_map(value) or getattr(value, "HAS_FIELDS", False)


def size(value: Any) -> int:
    """Return the size that costs count with: 1 for what has none."""
    kind = value.__class__
    if kind is str or kind is bytes or isinstance(value, list):
        return len(value)
    if kind is Optional and value.has_value:
        return size(value.value)
    return len(value) if hasattr(value, "__len__") else 1
