"""Model: the root of every typed value that goes on the wire.

A model is a msgspec struct with snake_case attributes and the wire's own names. Its promises:

- What it shows is what it sends: every attribute but `None` is encoded (0, False, "", [] and class defaults
  included); `None` means not set and is left out; `NULL` sends null.
- Reading enforces nothing but JSON types: an absent or null value of a required attribute reads as `None`, so an
  object stored under an older schema stays readable.
- It can be read by wire name too: `pod["metadata"]["resourceVersion"]`.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
import threading
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Optional,
    Self,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

import msgspec
from msgspec.structs import FieldInfo, fields, force_setattr

from konverge.api.choice import Member, tolerant
from konverge.api.markers import Present, Sensitive
from konverge.api.quantity import Quantity
from konverge.api.sendable import refuse_non_finite
from konverge.api.time import MicroTime, format_micro_time
from konverge.errors import DecodeError

T = TypeVar("T")
M = TypeVar("M", bound="Model")

# An attribute that the schema requires. A type checker sees `X`, as it will be in every object that the server
# accepted; at run time it is `X | None`, because reading must not fail on one that was stored without it.
if TYPE_CHECKING:
    Required = Annotated[T, "required"]
else:
    Required = Annotated[T | None, Present()]


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


def field(*, name: str | None = None, default: Any = None, default_factory: Callable[..., Any] | None = None) -> Any:
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
        """Create the class, its defaults taken out and filled in by `__post_init__`."""
        defaults = {key: value for base in reversed(bases) for key, value in defaults_of(base).items()}
        namespace["__declared__"] = dict(class_annotations(namespace))
        for attribute in _make_optional(namespace):
            default, wire_name = _declared(namespace.get(attribute))
            namespace[attribute] = msgspec.field(default=None, name=wire_name)
            defaults.pop(attribute, None)
            if default is not None:
                defaults[attribute] = _checked_default(name, attribute, default)
        if defaults:
            namespace["__defaults__"] = defaults
            namespace["__post_init__"] = _filling(_author_post_init(bases, namespace))
        options: dict[str, Any] = {"kw_only": True, "omit_defaults": True, "rename": "camel"} | given
        options.setdefault("gc", _has_dict(bases, options))  # JSON has no circles: the collector need not look for any
        return super().__new__(mcs, name, bases, namespace, **options)


def _has_dict(bases: tuple[type, ...], options: Mapping[str, Any]) -> bool:
    """Whether instances can hold more than their fields: msgspec leaves those to the collector in any case."""
    configs = (getattr(base, "__struct_config__", None) for base in bases)
    return bool(options.get("dict")) or any(config.dict for config in configs if config is not None)


def defaults_of(cls: type) -> Mapping[str, Callable[[], Any]]:
    """Return what fills each attribute that has a class default, by attribute name."""
    found: Mapping[str, Callable[[], Any]] = getattr(cls, "__defaults__", {})
    return found


@cache
def implied_of(cls: type) -> frozenset[str]:
    """Return the attributes that read as an empty struct when they are absent, and are not sent while empty."""
    makers = defaults_of(cls).items()
    return frozenset(name for name, make in makers if isinstance(make, type) and issubclass(make, Model))


def _declared(value: Any) -> tuple[Callable[[], Any] | None, str | None]:
    """The default and the wire name that a class body gives an attribute."""
    if not isinstance(value, _Field):
        return (None if value is None else _maker(value)), None
    if value.default_factory is not msgspec.NODEFAULT:
        return value.default_factory, value.name
    plain = None if value.default is msgspec.NODEFAULT else value.default
    return (None if plain is None else _maker(plain)), value.name


_Field: Final = type(msgspec.field())


def _maker(value: Any) -> Callable[[], Any]:
    """Return what makes a default: a fresh copy each time of one that could be changed."""
    if isinstance(value, (Model, list, dict, set)):
        return partial(copy.deepcopy, value)
    return partial(_itself, value)


def _itself(value: T) -> T:
    return value


def _checked_default(name: str, attribute: str, default: Callable[[], Any]) -> Callable[[], Any]:
    if isinstance(default, partial) and isinstance(default.args[0], Model):
        kind = type(default.args[0]).__name__
        raise TypeError(
            f"{name}.{attribute}: a model as a default looks as if it were shared by all; "
            f"write {attribute}: … = kv.field(default_factory={kind})"
        )
    return default


def _author_post_init(bases: tuple[type, ...], namespace: dict[str, Any]) -> Callable[[Any], None] | None:
    """The `__post_init__` that an author wrote, in this class or above it; ours is not one of them."""
    if "__post_init__" in namespace:
        return cast("Callable[[Any], None]", namespace["__post_init__"])
    for base in bases:
        found = getattr(base, "__post_init__", None)
        if found is not None:
            author: Callable[[Any], None] | None = getattr(found, "author", found)
            return author
    return None


def _filling(author: Callable[[Any], None] | None) -> Callable[[Any], None]:
    def post_init(self: Any) -> None:
        for name, make in self.__defaults__.items():  # of the object's own class: a subclass may have taken one out
            if getattr(self, name) is None:
                force_setattr(self, name, make())
        if author is not None:
            author(self)

    post_init.author = author  # type: ignore[attr-defined]  # a subclass asks for it
    return post_init


_CLASS_VAR: Final = re.compile(r"(?:\w+\.)*ClassVar\b")


def _make_optional(namespace: dict[str, Any]) -> list[str]:
    """Let each annotated attribute of a class body be `None`, and return their names; class variables aside."""
    annotations = class_annotations(namespace)
    names = [name for name, kind in annotations.items() if not _is_class_var(kind)]
    around = vars(sys.modules[namespace["__module__"]]) if namespace.get("__module__") in sys.modules else {}
    for name in names:
        annotations[name] = _optional(tolerant(annotations[name], around))
    return names


def class_annotations(namespace: dict[str, Any]) -> dict[str, Any]:
    """Return the annotations of a class body, as a dict that the class will use.

    From Python 3.14 on they are a function that is called when they are asked for. It is called here, once: what it
    cannot resolve yet, a class further down the file, is kept as text, as `from __future__ import annotations` does.
    """
    if "__annotations__" not in namespace and sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - older Pythons do not have it

        annotate = annotationlib.get_annotate_from_class_namespace(namespace)
        if annotate is not None:
            known = annotationlib.call_annotate_function(annotate, annotationlib.Format.FORWARDREF)
            texts = annotationlib.call_annotate_function(annotate, annotationlib.Format.STRING)
            namespace["__annotations__"] = {
                name: texts[name] if "ForwardRef(" in repr(kind) else kind for name, kind in known.items()
            }
            for name in ("__annotate__", "__annotate_func__"):
                namespace.pop(name, None)
    found: dict[str, Any] = namespace.get("__annotations__", {})
    return found


def _is_class_var(kind: Any) -> bool:
    return bool(_CLASS_VAR.match(kind)) if isinstance(kind, str) else ClassVar in (kind, get_origin(kind))


def _optional(kind: Any) -> Any:
    if kind in ("Raw", msgspec.Raw):  # undecoded JSON may be anything, null included, and msgspec takes it bare alone
        return kind
    if not isinstance(kind, str):
        return Optional[kind]  # noqa: UP045 - kind is data
    if kind[:1] in ("'", '"'):  # a quoted annotation in a module whose annotations are text already
        kind = ast.literal_eval(kind)
    return f"({kind}) | None"


@dataclass_transform(kw_only_default=True, field_specifiers=(field, msgspec.field))
class Model(msgspec.Struct, metaclass=ModelMeta):
    """A typed value with the wire's own names; subclass it with annotated attributes."""

    def __getitem__(self, wire_name: str) -> Any:
        return getattr(self, attribute_of(type(self), wire_name))

    def __setitem__(self, wire_name: str, value: Any) -> None:
        setattr(self, attribute_of(type(self), wire_name), value)

    def __contains__(self, wire_name: str) -> bool:
        return wire_name in _attributes(type(self)) and self[wire_name] is not None

    # Without it Python would take __getitem__ for a sequence's, and ask for item 0.
    __iter__: ClassVar[None] = None

    def __replace__(self, **changes: Any) -> Self:
        """Return a copy with these attributes changed; what `copy.replace` calls."""
        changed = copy.copy(self)
        for name, value in changes.items():
            if name not in self.__struct_fields__:
                raise TypeError(f"{type(self).__name__} has no attribute {name!r}")
            force_setattr(changed, name, value)
        return changed

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), set_values(self))

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return shown(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"


def set_values(model: Model) -> dict[str, Any]:
    """Return the attributes that are not `None`, by name."""
    values = ((name, getattr(model, name)) for name in model.__struct_fields__)
    return {name: value for name, value in values if value is not None}


def rebuild(cls: type[M], values: dict[str, Any]) -> M:
    """Make a model with exactly these attributes: a default that its author took out stays out."""
    model = cls(**values)
    for name in defaults_of(cls):
        if name not in values:
            force_setattr(model, name, None)
    return model


def shown(model: Model) -> list[tuple[str, Any]]:
    """Return what a repr shows: the attributes that are set (a Pod has hundreds that are not), secrets hidden."""
    hidden = _sensitive(type(model))
    return [(name, REDACTED if name in hidden else value) for name, value in set_values(model).items()]


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


TOO_DEEP: Final = "it is nested too deeply, more levels than Python can follow"


def _encode_hook(value: Any) -> Any:
    if value is NULL:
        return None
    if isinstance(value, MicroTime):
        return format_micro_time(value)
    if isinstance(value, Quantity):
        return value.text
    if isinstance(value, str):
        return str.__str__(value)  # a subclass of str: msgspec takes str alone
    raise TypeError(f"{type(value).__name__} has no JSON form: use str, int, float, bool, list, dict or a model")


def _decode_hook(kind: type, value: Any) -> Any:
    if kind is MicroTime:
        return MicroTime.parse(value)
    if issubclass(kind, Member):
        return kind.read(value)
    raise TypeError(f"{kind.__name__} is not a type that JSON can be read as")


# Deterministic, because two encodings are compared to decide whether an author changed a value.
_ENCODER = msgspec.json.Encoder(enc_hook=_encode_hook, order="deterministic")


def encode(value: Any) -> bytes:
    """Encode a model, or any JSON-like value, as it would go on the wire."""
    try:
        data = _ENCODER.encode(value)
    except RecursionError:  # not chained: its traceback is as long as the value is deep
        raise DecodeError(f"cannot encode this as JSON: {TOO_DEEP}") from None
    if b"null" in data:  # the encoder writes NaN and infinities so, and most values have no null in them
        refuse_non_finite(value)
    return data


# msgspec notes what it learns of a class on the class, before it is done with it: a second thread that builds a decoder
# of something with the same class in it takes what is there and crashes the process.
_BUILDING = threading.RLock()


def _new_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    with _BUILDING:
        return msgspec.json.Decoder(kind, dec_hook=_decode_hook)


# Typed by hand: the decorator's own type asks for a Hashable, and a cast at each call would be paid by every read.
decoder: Callable[[Any], msgspec.json.Decoder[Any]] = cache(_new_decoder)
"""Return the one decoder of a type: building it costs milliseconds, using it microseconds."""


def decode(kind: type[T], data: bytes | msgspec.Raw) -> T:
    """Decode JSON into a type; a `DecodeError` says where it does not fit."""
    try:
        result: T = decoder(kind).decode(data)
    except msgspec.ValidationError as error:
        raise DecodeError(f"cannot read this as {_name(kind)}: {error}; read it as Unstructured instead") from error
    except msgspec.DecodeError as error:
        raise DecodeError(f"cannot read this as {_name(kind)}: the JSON is broken: {error}") from error
    except RecursionError:
        raise DecodeError(f"cannot read this as {_name(kind)}: {TOO_DEEP}") from None
    return result


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))
