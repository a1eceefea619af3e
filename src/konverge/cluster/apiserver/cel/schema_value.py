"""JSON seen through its schema: what `self` and `oldSelf` are.

`converter(schema)` reads a schema once; the function it returns makes CEL values of JSON values. Objects, maps and lists
become views that convert a field or an element when it is touched, so that a rule pays for what it looks at. Lists of
type set and map compare and join as Kubernetes has it: by their elements and keys, not by their order.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from konverge.api.duration import parse_nanoseconds
from konverge.api.invalid import InvalidValue
from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.equality import same, same_lists, same_maps
from konverge.cluster.apiserver.cel.go_time import parse_date, parse_moment
from konverge.cluster.apiserver.cel.property_name import escaped, unescaped
from konverge.cluster.apiserver.cel.values import Duration, Timestamp, is_list, is_map

Converter: TypeAlias = Callable[[Any], Any]
Schema: TypeAlias = Mapping[str, Any]

_GO_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}
_META_TEXT: Final = {"type": "string"}
_META: Final = {
    "kind": _META_TEXT,
    "apiVersion": _META_TEXT,
    "metadata": {"type": "object", "properties": {"name": _META_TEXT, "generateName": _META_TEXT}},
}


def converter(schema: Schema, *, is_root: bool = False) -> Converter:
    """Return the function that converts values of a schema; `is_root`: of a whole object, with its metadata."""
    convert = _converter(_with_meta(schema) if is_root else schema)
    return partial(_nullable, bool(schema.get("nullable")), convert)


def _nullable(is_allowed: bool, convert: Converter, value: Any) -> Any:  # noqa: FBT001 - bound once by `partial`
    if value is not None:
        return convert(value)
    if is_allowed:
        return None
    raise CelError("invalid data, got null for schema with nullable=false")


def _with_meta(schema: Schema) -> Schema:
    """Give a schema the properties that every object has, unless it declares them itself."""
    properties = schema.get("properties") or {}
    meta = properties.get("metadata") or {}
    names = meta.get("properties") or {}
    declared = [properties.get("kind"), properties.get("apiVersion"), names.get("name"), names.get("generateName")]
    if meta.get("type") == "object" and all(one and one.get("type") == "string" for one in declared):
        return schema
    return {**schema, "properties": {**properties, **_META}}


def _converter(schema: Schema) -> Converter:
    if schema.get("x-kubernetes-int-or-string"):
        return _int_or_string
    match schema.get("type") or "":
        case "object":
            return _object_converter(schema)
        case "array":
            return _array_converter(schema)
        case "string":
            return _TEXTS.get(schema.get("format") or "", _text)
        case "number":
            return _number
        case "integer":
            return partial(_plain, (int,), "int")
        case "boolean":
            return partial(_plain, (bool,), "bool")
        case other:
            return Preserved if schema.get("x-kubernetes-preserve-unknown-fields") else partial(_untyped, other)


def _int_or_string(value: Any) -> Any:
    if value.__class__ is str or value.__class__ is int:
        return value
    raise CelError("invalid data, expected XIntOrString value to be either a string or integer")


def _untyped(name: str, _value: Any) -> Any:
    raise CelError(
        "invalid type, expected object, array, number, integer, boolean or string, or no type with "
        f"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {name}"
    )


def _plain(kinds: tuple[type, ...], name: str, value: Any) -> Any:
    if value.__class__ in kinds:
        return value
    raise CelError(f"invalid data, expected {name}, got {_go_name(value)}")


def _go_name(value: Any) -> str:
    return _GO_NAMES.get(value.__class__, value.__class__.__name__)


def _number(value: Any) -> float:
    return float(_plain((int, float), "float", value))


def _text(value: Any) -> str:
    return str(_plain((str,), "string", value))


def _duration(value: Any) -> Duration:
    text = _text(value)
    try:
        return Duration(parse_nanoseconds(text))
    except InvalidValue:
        nanos = _scala_duration(text)
    if nanos is None:
        raise CelError(f"Invalid duration {text}: unable to parse {text} as duration")
    return Duration(nanos)


# The words that a duration may also be written with, longest first where one begins another.
_SPOKEN: Final = re.compile(r"(\d+)\s*([a-zA-Zµ]+)", re.ASCII)
_UNITS: Final[tuple[tuple[tuple[str, ...], int], ...]] = (
    (("ns", "nano"), 1),
    (("us", "µs", "micro"), 10**3),
    (("ms", "milli"), 10**6),
    (("s", "sec"), 10**9),
    (("m", "min"), 60 * 10**9),
    (("h", "hr", "hour"), 3600 * 10**9),
    (("d", "day"), 86_400 * 10**9),
    (("w", "wk", "week"), 7 * 86_400 * 10**9),
)


def _scala_duration(text: str) -> int | None:
    total, is_known = 0, False
    for factor, word in _SPOKEN.findall(text):
        for words, unit in _UNITS:
            name = word.lower()
            if name in words or name.startswith(words[-1]):
                total, is_known = total + int(factor) * unit, True
    return total if is_known else None


def _moment(value: Any) -> Timestamp:
    text = _text(value)
    moment = parse_moment(text, needs_zone=False) if text else Timestamp(0)
    if moment is None:
        raise CelError(f"Invalid date-time formatted string {text}: it is not in RFC 3339")
    return moment


def _date(value: Any) -> Timestamp:
    text = _text(value)
    date = parse_date(text)
    if date is None:
        raise CelError(f"Invalid date formatted string {text}: it is not a full date of RFC 3339")
    return date


def _bytes(value: Any) -> bytes:
    text = _text(value).replace("\r", "").replace("\n", "")
    try:
        return base64.b64decode(text.encode(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise CelError(f"Invalid byte formatted string {text}: {error}") from error


_TEXTS: Final[dict[str, Converter]] = {"duration": _duration, "date-time": _moment, "date": _date, "byte": _bytes}


def _object_converter(schema: Schema) -> Converter:
    shape = ObjectShape(schema)

    def convert(value: Any) -> ObjectView:
        if value.__class__ is not dict:
            raise CelError("invalid data, expected a map for the provided schema with type=object")
        return ObjectView(value, shape)

    return convert


def _array_converter(schema: Schema) -> Converter:
    items = schema.get("items")
    if not items:
        return _without_items
    view = _LISTS.get(schema.get("x-kubernetes-list-type") or "", ListView)
    shape = ListShape(items, tuple(escaped(key) or key for key in schema.get("x-kubernetes-list-map-keys") or ()))

    def convert(value: Any) -> ListView:
        if value.__class__ is not list:
            raise CelError("invalid data, expected an array for the provided schema with type=array")
        return view(value, shape)

    return convert


def _without_items(_value: Any) -> Any:
    raise CelError("invalid array type, expected Items with a non-empty Schema")


class ObjectShape:
    """What a schema says of an object: the converters of its fields, made when they are first used."""

    __slots__ = ("_additional", "_converters", "_properties", "is_object", "raw_names")

    def __init__(self, schema: Schema) -> None:
        if schema.get("x-kubernetes-embedded-resource"):
            schema = _with_meta(schema)
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
        made = self._converters.get(key) or converter(schema)
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

    __slots__ = ("_items", "_made", "keys")

    def __init__(self, items: Schema, keys: tuple[str, ...]) -> None:
        self._items = items
        self._made: Converter | None = None
        self.keys = keys

    @property
    def convert(self) -> Converter:
        """The converter of an element."""
        if self._made is None:
            self._made = converter(self._items)
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


_LISTS: Final[dict[str, type[ListView]]] = {"set": SetView, "map": MapListView}


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
        return any(equal_or_not(value, element) for element in self)

    def same(self, other: Any) -> bool:
        """Compare element by element."""
        return is_list(other) and same_lists(self, other)

    def joined(self, other: Any) -> Any:
        """Return both lists as one."""
        return [*self, *other]


def equal_or_not(one: Any, other: Any) -> bool:
    """Compare; values without an answer are not equal."""
    try:
        return same(one, other)
    except CelError:
        return False


def from_json(value: Any) -> Any:
    """Convert JSON without a schema: what is left of a value that was taken out of an optional."""
    if value.__class__ is dict:
        return JsonMap(value)
    return JsonList(value) if value.__class__ is list else value


def without_schema(value: Any) -> Any:
    """Return what a view shows as plain JSON shows it, and any other value as it is."""
    return from_json(value.raw) if isinstance(value, ObjectView | ListView | Preserved) else value


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


def _set_key(value: Any) -> Any:
    return (value.__class__, value) if value.__hash__ is not None else object()
