"""JSON without a schema: what is left of a value that was taken out of an optional."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.equality import same, same_lists, same_maps
from konverge.cluster.apiserver.cel.values import is_list, is_map


def from_json(value: Any) -> Any:
    """Convert JSON: objects and lists become views."""
    if value.__class__ is dict:
        return JsonMap(value)
    return JsonList(value) if value.__class__ is list else value


class JsonMap:
    """An object of JSON without a schema."""

    __slots__ = ("raw",)
    CEL_TYPE: Final = "map"

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw)

    def find(self, key: Any) -> tuple[Any, bool]:
        """Return the value of a key."""
        if key.__class__ is not str or key not in self.raw:
            return None, False
        return from_json(self.raw[key]), True

    def keys(self) -> Iterator[Any]:
        """Yield the keys."""
        return iter(self.raw)

    def same(self, other: Any) -> bool:
        """Compare entry by entry."""
        return is_map(other) and same_maps(self, other)


class JsonList:
    """A list of JSON without a schema."""

    __slots__ = ("raw",)
    CEL_TYPE: Final = "list"

    def __init__(self, raw: list[Any]) -> None:
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw)

    def __iter__(self) -> Iterator[Any]:
        return map(from_json, self.raw)

    def at(self, index: int) -> Any:
        """Return an element."""
        return from_json(self.raw[index])

    def contains(self, value: Any) -> bool:
        """Whether an element is equal to a value."""
        return any(_is_same(value, element) for element in self)

    def same(self, other: Any) -> bool:
        """Compare element by element."""
        return is_list(other) and same_lists(self, other)

    def joined(self, other: Any) -> Any:
        """Return both lists as one."""
        return [*self, *other]


def _is_same(one: Any, other: Any) -> bool:
    try:
        return same(one, other)
    except CelError:
        return False


def same_json(left: Any, right: Any) -> bool:
    """Compare JSON values; 1, 1.0 and true are three values."""
    if left.__class__ is not right.__class__:
        return False
    if left.__class__ is dict:
        return len(left) == len(right) and all(
            key in right and same_json(value, right[key]) for key, value in left.items()
        )
    if left.__class__ is list:
        return len(left) == len(right) and all(map(same_json, left, right))
    return bool(left == right)
