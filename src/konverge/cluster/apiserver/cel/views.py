"""Objects and lists of JSON with a schema: they convert a field or an element when it is touched.

Lists of type set and map compare and join as Kubernetes has it: by their elements and keys, not by their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.equality import same
from konverge.cluster.apiserver.cel.json_view import JsonList, JsonMap, from_json, same_json
from konverge.cluster.apiserver.cel.property_name import escaped, unescaped
from konverge.cluster.apiserver.cel.values import is_list, is_map

Converter: TypeAlias = Callable[[Any], Any]
Schema: TypeAlias = Mapping[str, Any]
MakeConverter: TypeAlias = Callable[[Schema], Converter]


class ObjectShape:
    """What a schema says of an object: the converters of its fields, made when they are first used."""

    __slots__ = ("_additional", "_converters", "_make", "_properties", "is_object", "raw_names")

    def __init__(self, schema: Schema, make: MakeConverter) -> None:
        self._make = make
        self._properties: Mapping[str, Schema] = schema.get("properties") or {}
        self.is_object = bool(self._properties)
        additional = schema.get("additionalProperties")
        self._additional = additional if isinstance(additional, Mapping) and not self.is_object else None
        self.raw_names = {escaped(name): name for name in self._properties}
        self._converters: dict[str, Converter] = {}

    def converter_of(self, name: str) -> Converter | None:
        """Return the converter of a property or key; None where the schema does not know it."""
        known = self._converters.get(name)
        if known is not None:
            return known
        schema = self._properties.get(name, self._additional)
        if schema is None:
            return None
        key = name if self.is_object else ""
        made = self._converters.get(key) or self._make(schema)
        self._converters[key] = made
        return made


class ObjectView:
    """An object or map of JSON."""

    __slots__ = ("raw", "shape")
    CEL_TYPE: Final = "map"

    def __init__(self, raw: dict[str, Any], shape: ObjectShape) -> None:
        self.raw = raw
        self.shape = shape

    def __len__(self) -> int:
        return len(self.raw)

    def __repr__(self) -> str:
        return f"ObjectView of {len(self.raw)}"

    def find(self, key: Any) -> tuple[Any, bool]:
        """Return a field's value; in an object, null is as absent."""
        if key.__class__ is not str:
            raise no_such_overload()
        shape = self.shape
        name = key
        if shape.is_object:
            raw_name = shape.raw_names.get(key) or unescaped(key)
            if raw_name is None or self.raw.get(raw_name) is None:
                return None, False
            name = raw_name
        return self._converted(name)

    def _converted(self, name: str) -> tuple[Any, bool]:
        if name not in self.raw:
            return None, False
        convert = self.shape.converter_of(name)
        return (None, False) if convert is None else (convert(self.raw[name]), True)

    def keys(self) -> Iterator[Any]:
        """Yield the names of the fields that the schema knows, as expressions write them."""
        for name in self.raw:
            if self.shape.converter_of(name) is not None:
                yield (escaped(name) or name) if self.shape.is_object else name

    def same(self, other: Any) -> bool:
        """Compare field by field; fields that the schema does not know are compared as JSON."""
        if not is_map(other):
            raise no_such_overload()
        if len(self) != len(other):
            return False
        if other.__class__ is ObjectView and same_json(self.raw, other.raw):
            return True
        return all(self._same_field(name, other) for name in self.raw)

    def _same_field(self, name: str, other: Any) -> bool:
        if self.shape.converter_of(name) is None:
            if other.__class__ is not ObjectView:
                raise no_such_overload()
            return name not in other.raw or same_json(self.raw[name], other.raw[name])
        (mine, found), (its, other_found) = self.find(name), other.find(name)
        return found == other_found and (not found or same(mine, its))


class ListShape:
    """What a schema says of a list: the converter of its elements, and the keys of a list of type map."""

    __slots__ = ("_items", "_made", "_make", "keys")

    def __init__(self, items: Schema, keys: tuple[str, ...], make: MakeConverter) -> None:
        self._items = items
        self._make = make
        self._made: Converter | None = None
        self.keys = keys

    @property
    def convert(self) -> Converter:
        """The converter of an element."""
        if self._made is None:
            self._made = self._make(self._items)
        return self._made


class ListView:
    """A list of JSON: atomic, compared in its order."""

    __slots__ = ("raw", "shape")
    CEL_TYPE: Final = "list"

    def __init__(self, raw: list[Any], shape: ListShape) -> None:
        self.raw = raw
        self.shape = shape

    def __len__(self) -> int:
        return len(self.raw)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__} of {len(self.raw)}"

    def __iter__(self) -> Iterator[Any]:
        return map(self.shape.convert, self.raw)

    def at(self, index: int) -> Any:
        """Return an element."""
        return self.shape.convert(self.raw[index])

    def contains(self, value: Any) -> bool:
        """Whether an element is equal to a value; an error counts where none is."""
        failed: CelError | None = None
        for element in self:
            try:
                if same(element, value):
                    return True
            except CelError as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return False

    def same(self, other: Any) -> bool:
        """Compare element by element."""
        if not is_list(other):
            raise no_such_overload()
        if len(self) != len(other):
            return False
        return all(same(mine, its) for mine, its in zip(self, other, strict=True))

    def joined(self, other: Any) -> ListView:
        """Return both lists as one."""
        return self.__class__([*self.raw, *map(as_json, other)], self.shape)


class SetView(ListView):
    """A list of type set: its order does not matter."""

    __slots__ = ()

    def same(self, other: Any) -> bool:
        """Compare the elements as a set."""
        if not is_list(other):
            raise no_such_overload()
        mine = {_set_key(element) for element in self.raw}
        return len(self) == len(other) and all(_set_key(as_json(element)) in mine for element in other)

    def joined(self, other: Any) -> ListView:
        """Return the union; the elements of the first keep their places."""
        elements, known = list(self.raw), {_set_key(element) for element in self.raw}
        for element in map(as_json, other):
            if _set_key(element) not in known:
                known.add(_set_key(element))
                elements.append(element)
        return SetView(elements, self.shape)


class MapListView(ListView):
    """A list of type map: its elements are told apart by their keys, and their order does not matter."""

    __slots__ = ()

    def _key(self, element: Any) -> Any:
        if element.__class__ is not dict:
            return object()  # equal to nothing
        return tuple(_set_key(element.get(key)) for key in self.shape.keys)

    def same(self, other: Any) -> bool:
        """Compare the elements that have the same keys."""
        if not is_list(other):
            raise no_such_overload()
        if len(self) != len(other):
            return False
        mine = {self._key(element): element for element in self.raw}
        for element in other:
            key = self._key(as_json(element))
            if key not in mine or not same(self.shape.convert(mine[key]), element):
                return False
        return True

    def joined(self, other: Any) -> ListView:
        """Return the elements of both; those of the second take the place of those with the same keys."""
        elements = list(self.raw)
        places = {self._key(element): place for place, element in enumerate(elements)}
        for element in map(as_json, other):
            place = places.get(self._key(element))
            if place is None:
                elements.append(element)
            else:
                elements[place] = element
        return MapListView(elements, self.shape)


class Preserved:
    """Data that no schema describes: it can only be compared."""

    __slots__ = ("raw",)
    CEL_TYPE: Final = "unknown"

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def same(self, other: Any) -> bool:
        """Compare as JSON."""
        return same_json(self.raw, as_json(other))


def as_json(value: Any) -> Any:
    """Return the JSON that a view shows, and any other value as it is."""
    return value.raw if isinstance(value, ObjectView | ListView | JsonMap | JsonList | Preserved) else value


def without_schema(value: Any) -> Any:
    """Return what a view shows as plain JSON shows it, and any other value as it is."""
    return from_json(value.raw) if isinstance(value, ObjectView | ListView | Preserved) else value


def _set_key(value: Any) -> Any:
    return (value.__class__, value) if value.__hash__ is not None else object()
