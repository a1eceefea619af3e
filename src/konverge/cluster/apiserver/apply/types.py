"""Types: what structured-merge-diff must know of a value's schema, and nothing else.

Whether a part is a scalar, a list or a map (or any of them, by what is found), whether lists and maps are one thing or
have items with owners of their own, and which keys tell items apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from konverge.cluster.apiserver.apply.path_element import encoded, key_element, value_element
from konverge.cluster.apiserver.apply.typed_error import TypedError


class Scalar(StrEnum):
    """What a scalar may be."""

    NUMERIC = "numeric"
    STRING = "string"
    BOOLEAN = "boolean"
    UNTYPED = "untyped"


class Form(StrEnum):
    """As what a value is handled."""

    MAP = "map"
    SCALAR = "scalar"
    LIST = "list"


_ACCEPTED: Final[Mapping[Scalar, frozenset[type]]] = {
    Scalar.NUMERIC: frozenset((int, float)),
    Scalar.STRING: frozenset((str,)),
    Scalar.BOOLEAN: frozenset((bool,)),
    Scalar.UNTYPED: frozenset((str, int, float, bool)),
}


class MapType:
    """A map or a struct. Named fields have types of their own; `element` is the type of all others, None: no others."""

    __slots__ = ("defaults", "element", "fields", "is_atomic", "is_deduced")

    def __init__(
        self,
        fields: dict[str, Type],
        element: Type | None,
        *,
        is_atomic: bool = False,
        defaults: dict[str, Any] | None = None,
        is_deduced: bool = False,
    ) -> None:
        self.fields = fields
        self.element = element
        self.is_atomic = is_atomic
        self.defaults = defaults or {}  # of fields that may be keys of a list
        self.is_deduced = is_deduced  # no fields, and elements whose types are read off their values

    def type_of(self, name: str) -> Type:
        """Return the type of a field."""
        found = self.fields.get(name) or self.element
        if found is None:
            raise TypedError(f".{name}: field not declared in schema")
        return found


class ListType:
    """A list: atomic, a set (no keys), or a map by keys."""

    __slots__ = ("_beginning", "element", "is_atomic", "keys")

    def __init__(self, element: Type, *, is_atomic: bool = True, keys: tuple[str, ...] = ()) -> None:
        self.element = element
        self.is_atomic = is_atomic
        self.keys = keys
        self._beginning = f"k:{{{encoded(keys[0])}:" if len(keys) == 1 else ""

    def path_element(self, item: Any) -> str:
        """Return what tells an item of an associative list from the others."""
        if self._beginning and type(item) is dict:  # by far the most lists have one key, and it is there
            value = item.get(self.keys[0])
            if value is not None:
                return f"{self._beginning}{encoded(value)}}}"
        return self._key_of(item) if self.keys else _member(item)

    def names(self, items: list[Any]) -> list[str] | None:
        """Return what tells items apart where that is one text for each and no two are the same; None: look closely."""
        if len(self.keys) > 1:
            return None
        key = self.keys[0] if self.keys else ""
        found: list[Any] = [item.get(key) if type(item) is dict else None for item in items] if key else items
        is_plain = all(type(name) is str for name in found) and len(set(found)) == len(found)
        return found if is_plain else None

    def _key_of(self, item: Any) -> str:
        if item is None:
            raise TypedError("associative list with keys may not have a null element")
        if not isinstance(item, dict):
            raise TypedError("associative list with keys may not have non-map elements")
        pairs = []
        for name in self.keys:
            value = item[name] if name in item else self._default(name)
            if value is not None or name in item:
                pairs.append((name, value))
        if not pairs:
            names = " ".join(f'"{name}"' for name in self.keys)
            raise TypedError(
                f"associative list with keys has an element that omits all key fields [{names}] "
                "(and doesn't have default values for any key fields)"
            )
        return key_element(sorted(pairs) if len(pairs) > 1 else pairs)

    def _default(self, name: str) -> Any:
        if self.element.map is None:
            raise TypedError(
                f"couldn't find default value for {name}: associative list may not have non-map types",
            )
        return self.element.map.defaults.get(name)


def _member(item: Any) -> str:
    if isinstance(item, dict):
        raise TypedError("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise TypedError("not supported: associative list with lists as elements")
    if item is None:
        raise TypedError("associative list without keys has an element that's an explicit null")
    return value_element(item)


class Type:
    """What a value may be: any of the three that is not None. Schemas recur, so a type may be filled in later."""

    __slots__ = ("_has_atomic", "accepted", "list", "map", "name", "scalar")

    def __init__(
        self,
        *,
        scalar: Scalar | None = None,
        list: ListType | None = None,  # noqa: A002 - the word of the schema language
        map: MapType | None = None,  # noqa: A002 - the word of the schema language
        name: str = "",
    ) -> None:
        self.name = name
        self.fill(scalar=scalar, list=list, map=map)

    def fill(self, *, scalar: Scalar | None, list: ListType | None, map: MapType | None) -> None:  # noqa: A002 - as above
        """Say what a value of this type may be."""
        self.scalar = scalar
        self.list = list
        self.map = map
        self.accepted = _ACCEPTED[scalar] if scalar else frozenset()
        self._has_atomic: bool | None = None

    def form(self, value: Any) -> Form:
        """Return as what a value is handled: as what it is, where the type allows that."""
        if isinstance(value, dict):
            if self.map is not None:
                return Form.MAP
        elif isinstance(value, list):
            if self.list is not None:
                return Form.LIST
        elif value is not None and self.scalar is not None:
            return Form.SCALAR
        return self._first_form()

    def _first_form(self) -> Form:
        if self.map is not None:
            return Form.MAP
        if self.scalar is not None:
            return Form.SCALAR
        if self.list is not None:
            return Form.LIST
        raise TypedError(f"schema error: invalid atom: {f'named type: {self.name}' if self.name else 'inlined'}")

    @property
    def has_atomic(self) -> bool:
        """Whether a value of this type may be or have an atomic list or map, at any depth."""
        if self._has_atomic is None:
            self._has_atomic = True  # while it is being found out: a type that recurs counts as one
            self._has_atomic = self._find_atomic()
        return self._has_atomic

    def _find_atomic(self) -> bool:
        if self.map is not None:
            below = [*self.map.fields.values(), *([self.map.element] if self.map.element else [])]
            return self.map.is_atomic or any(part.has_atomic for part in below)
        if self.scalar is None and self.list is not None:
            return self.list.is_atomic or self.list.element.has_atomic
        return False


def _untyped() -> tuple[Type, Type]:
    """Return the types of what has no schema: all of it one thing, and maps with owners for each key."""
    atomic = Type(name="__untyped_atomic_")
    deduced = Type(name="__untyped_deduced_")
    items = ListType(atomic)
    atomic.fill(scalar=Scalar.UNTYPED, list=items, map=MapType({}, atomic, is_atomic=True))
    deduced.fill(scalar=Scalar.UNTYPED, list=items, map=MapType({}, deduced, is_deduced=True))
    return atomic, deduced


UNTYPED_ATOMIC, DEDUCED = _untyped()
