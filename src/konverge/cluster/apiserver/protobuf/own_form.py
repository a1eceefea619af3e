"""Types with a form of their own in JSON: times, quantities, whatever a value carries unread."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec

from konverge.api.duration import format_nanoseconds
from konverge.api.time import format_micro_time, format_time
from konverge.cluster.apiserver.builtin.go_value import Unreadable, quantity_text
from konverge.cluster.apiserver.protobuf.bad_message import BadMessage
from konverge.cluster.apiserver.protobuf.scalar import SCALARS
from konverge.cluster.apiserver.protobuf.wire import LENGTH, Known, parts

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RAW: Final = {1: Known("Raw", (LENGTH,))}
_IS_TEXT: Final = 1  # the type of an IntOrString


class OwnForm(NamedTuple):
    """How such a type is read, and what Go writes where nothing was set."""

    zero: Any
    read: Callable[[bytes], Any]


def _scalars(data: bytes, **types: tuple[int, str]) -> dict[str, Any]:
    """Return a message's scalars, by name: each has a number and a type."""
    wanted = {number: (name, SCALARS[kind]) for name, (number, kind) in types.items()}
    found = {name: scalar.zero for name, scalar in wanted.values()}
    known = {number: Known(name.capitalize(), (scalar.form,)) for number, (name, scalar) in wanted.items()}
    for number, _, content in parts(data, known):
        name, scalar = wanted[number]
        found[name] = scalar.read(content)
    return found


def _moment(data: bytes) -> datetime:
    found = _scalars(data, seconds=(1, "int64"), nanos=(2, "int32"))
    try:
        return _EPOCH + timedelta(seconds=found["seconds"], microseconds=int(found["nanos"] / 1000))
    except OverflowError:
        raise BadMessage("Time.MarshalJSON: year outside of range [0,9999]") from None


def _time(data: bytes) -> str | None:
    return format_time(_moment(data).replace(microsecond=0)) if data else None


def _micro_time(data: bytes) -> str | None:
    return format_micro_time(_moment(data)) if data else None


def _duration(data: bytes) -> str:
    return format_nanoseconds(_scalars(data, duration=(1, "int64"))["duration"])


def _quantity(data: bytes) -> str:
    try:
        return quantity_text(_scalars(data, string_=(1, "string"))["string_"])
    except Unreadable as error:
        raise BadMessage(str(error)) from None


def _int_or_string(data: bytes) -> int | str:
    found = _scalars(data, type=(1, "int64"), number=(2, "int32"), text=(3, "string"))
    value: int | str = found["text"] if found["type"] == _IS_TEXT else found["number"]
    return value


def raw_of(data: bytes) -> bytes:
    """Return the bytes that a message carries unread."""
    raw = b""
    for _, _, content in parts(data, _RAW):
        raw = content
    return raw


def json_of(raw: bytes) -> Any:
    """Return what a JSON text holds; nothing is null."""
    try:
        return msgspec.json.decode(raw) if raw else None
    except msgspec.DecodeError as error:
        raise BadMessage(f"a field that carries JSON cannot be read: {error}") from None


def _json(data: bytes) -> Any:
    return json_of(raw_of(data))


META: Final = "k8s.io/apimachinery/pkg/apis/meta/v1"
EXTENSIONS: Final = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

OWN_FORMS: Final = {
    f"{META}.Time": OwnForm(None, _time),
    f"{META}.MicroTime": OwnForm(None, _micro_time),
    f"{META}.Duration": OwnForm("0s", _duration),
    f"{META}.FieldsV1": OwnForm(None, _json),
    "k8s.io/apimachinery/pkg/api/resource.Quantity": OwnForm("0", _quantity),
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": OwnForm(0, _int_or_string),
    "k8s.io/apimachinery/pkg/runtime.RawExtension": OwnForm(None, _json),
    f"{EXTENSIONS}.JSON": OwnForm(None, _json),
}


def _schema_or_array(found: dict[str, Any]) -> Any:
    return found["JSONSchemas"] or found["Schema"]


def _schema_or_bool(found: dict[str, Any]) -> Any:
    return found["Schema"] if found["Schema"] is not None else found["Allows"]


def _schema_or_names(found: dict[str, Any]) -> Any:
    return found["Property"] or found["Schema"]


# Messages of which one part is written in JSON; where nothing is set that part is null, or false.
CHOICES: Final[dict[str, Callable[[dict[str, Any]], Any]]] = {
    f"{EXTENSIONS}.JSONSchemaPropsOrArray": _schema_or_array,
    f"{EXTENSIONS}.JSONSchemaPropsOrBool": _schema_or_bool,
    f"{EXTENSIONS}.JSONSchemaPropsOrStringArray": _schema_or_names,
}
