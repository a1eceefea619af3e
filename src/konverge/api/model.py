"""Model: the root of every typed value that goes on the wire.

A model is a msgspec struct with snake_case attributes and the wire's own names. Its promises:

- What it shows is what it sends: every attribute but `None` is encoded (0, False, "", [] and class defaults
  included); `None` means not set and is left out; `NULL` sends null.
- Reading enforces nothing but JSON types: an absent or null value of a required attribute reads as `None`, so an
  object stored under an older schema stays readable.
- It can be read by wire name too: `pod["metadata"]["resourceVersion"]`.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Optional,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

import msgspec
from msgspec.structs import FieldInfo, fields

from konverge.api.markers import Sensitive
from konverge.api.time import MicroTime, format_micro_time
from konverge.errors import DecodeError

T = TypeVar("T")
M = TypeVar("M", bound="Model")

# An attribute that the schema requires. A type checker sees `X`, as it will be in every object that the server
# accepted; at run time it is `X | None`, because reading must not fail on one that was stored without it.
if TYPE_CHECKING:
    Required = Annotated[T, "required"]
else:
    Required = T | None


class _Redacted:
    def __repr__(self) -> str:
        return "<redacted>"


REDACTED: Final = _Redacted()
"""Stands in a repr where a secret would."""


class Null:
    """The type of `NULL`."""

    def __repr__(self) -> str:
        return "NULL"

    def __copy__(self) -> Null:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Null:
        return self

    def __reduce__(self) -> str:
        return "NULL"


NULL: Final[Any] = Null()
"""Sends JSON null, where leaving a value out (`None`) would mean something else."""


def field(*, name: str | None = None, default: Any = None, default_factory: Any = None) -> Any:
    """Declare an attribute whose wire name is not the camelCase of its own, or whose default is computed."""
    if default_factory is not None:
        return msgspec.field(default_factory=default_factory, name=name)
    return msgspec.field(default=default, name=name)


class ModelMeta(msgspec.StructMeta):
    """Makes a model's class: keyword-only, camelCase on the wire, `None` left out and nothing else.

    msgspec can leave out an attribute that has its default; for us that is right for `None` alone. So every
    attribute's default is `None` to msgspec, and a class default is filled in after: at construction, and on reading
    where the wire has no value or null, which is what the server's own defaulting does. And every attribute may be
    absent or null on the wire, whatever its annotation promises to a type checker.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **given: Any) -> ModelMeta:
        """Create the class, its plain defaults taken out and filled in by `__post_init__`."""
        defaults = {key: value for base in reversed(bases) for key, value in getattr(base, "__defaults__", {}).items()}
        for attribute in _make_optional(namespace):
            value = namespace.get(attribute)
            defaults.pop(attribute, None)
            if value is not None and not _is_field(value):
                defaults[attribute] = _checked_default(name, attribute, value)
                namespace[attribute] = None
        if defaults:
            namespace["__defaults__"] = defaults
            namespace.setdefault("__post_init__", _fill_defaults)
        options: dict[str, Any] = {"kw_only": True, "omit_defaults": True, "rename": "camel"} | given
        return super().__new__(mcs, name, bases, namespace, **options)


def _checked_default(name: str, attribute: str, value: Any) -> Any:
    if isinstance(value, Model):
        raise TypeError(
            f"{name}.{attribute}: a model as a default would be shared by all; "
            f"write {attribute}: … = kv.field(default_factory={type(value).__name__})"
        )
    return value


def _fill_defaults(self: Any) -> None:
    for name, default in self.__defaults__.items():
        if getattr(self, name) is None:
            setattr(self, name, copy.deepcopy(default) if isinstance(default, (list, dict, set)) else default)


def _make_optional(namespace: dict[str, Any]) -> list[str]:
    """Let each annotated attribute of a class body be `None`, and return their names; class variables aside."""
    annotations = namespace.get("__annotations__", {})
    names = [name for name, kind in annotations.items() if "ClassVar" not in str(get_origin(kind) or kind)]
    for name in names:
        kind = annotations[name]
        annotations[name] = f"({kind}) | None" if isinstance(kind, str) else Optional[kind]  # noqa: UP045 - kind is data
        namespace.setdefault(name, None)
    return names


def _is_field(default: Any) -> bool:
    return type(default).__module__.startswith("msgspec")


@dataclass_transform(kw_only_default=True, field_specifiers=(field, msgspec.field))
class Model(msgspec.Struct, metaclass=ModelMeta):
    """A typed value with the wire's own names; subclass it with annotated attributes."""

    def __getitem__(self, wire_name: str) -> Any:
        return getattr(self, attribute_of(type(self), wire_name))

    def __setitem__(self, wire_name: str, value: Any) -> None:
        setattr(self, attribute_of(type(self), wire_name), value)

    def __contains__(self, wire_name: str) -> bool:
        return wire_name in _attributes(type(self)) and self[wire_name] is not None

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return _shown(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in _shown(self))})"


def _shown(model: Model) -> list[tuple[str, Any]]:
    """The attributes that are set (an unset one says nothing, and a Pod has hundreds), secrets hidden."""
    hidden = _sensitive(type(model))
    values = ((name, getattr(model, name)) for name in model.__struct_fields__)
    return [(name, REDACTED if name in hidden else value) for name, value in values if value is not None]


@cache
def _sensitive(cls: type[Model]) -> frozenset[str]:
    return frozenset(info.name for info in model_fields(cls) if _has_marker(info.type, Sensitive))


def _has_marker(kind: Any, marker: type) -> bool:
    return any(isinstance(argument, marker) or _has_marker(argument, marker) for argument in get_args(kind))


@cache
def model_fields(cls: type[Model]) -> tuple[FieldInfo, ...]:
    """Return the fields of a model with their resolved types."""
    return fields(cls)


@cache
def _attributes(cls: type[Model]) -> dict[str, str]:
    return dict(zip(cls.__struct_encode_fields__, cls.__struct_fields__, strict=True))


def attribute_of(cls: type[Model], wire_name: str) -> str:
    """Return the attribute that has this wire name; a KeyError where there is none, as a mapping has it."""
    return _attributes(cls)[wire_name]


def _encode_hook(value: Any) -> Any:
    if value is NULL:
        return None
    if isinstance(value, MicroTime):
        return format_micro_time(value)
    raise TypeError(f"{type(value).__name__} has no JSON form: use str, int, float, bool, list, dict or a model")


def _decode_hook(kind: type, value: Any) -> Any:
    if kind is MicroTime:
        return MicroTime.parse(value)
    raise TypeError(f"{kind.__name__} is not a type that JSON can be read as")


# Deterministic, because two encodings are compared to decide whether an author changed a value.
_ENCODER = msgspec.json.Encoder(enc_hook=_encode_hook, order="deterministic")


def encode(value: Any) -> bytes:
    """Encode a model, or any JSON-like value, as it would go on the wire."""
    return _ENCODER.encode(value)


@cache
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return the one decoder of a type: building it costs milliseconds, using it microseconds."""
    return msgspec.json.Decoder(kind, dec_hook=_decode_hook)


def decode(kind: type[T], data: bytes | msgspec.Raw) -> T:
    """Decode JSON into a type; a `DecodeError` says where it does not fit."""
    try:
        result: T = decoder(cast("Hashable", kind)).decode(data)
    except msgspec.ValidationError as error:
        raise DecodeError(f"cannot read this as {_name(kind)}: {error}; read it as Unstructured instead") from error
    except msgspec.DecodeError as error:
        raise DecodeError(f"cannot read this as {_name(kind)}: the JSON is broken: {error}") from error
    return result


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))
