"""Types with a form of their own in JSON, on their way out; the mirror of `own_form`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from konverge.api.duration import parse_nanoseconds
from konverge.api.time import parse_time
from konverge.cluster.apiserver.openapi.protobuf import length_delimited
from konverge.cluster.apiserver.protobuf.own_form import EXTENSIONS, META
from konverge.cluster.apiserver.protobuf.scalar_writing import ScalarWriter, number

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_NO_TIME: Final = datetime(1, 1, 1, tzinfo=UTC)  # Go's, which it writes as nothing
_NUMBER, _TEXT = b"\x08\x00", b"\x08\x01"  # the type of an IntOrString


def _moment(seconds: int, nanoseconds: int) -> bytes:
    return b"\x08" + number(seconds) + b"\x10" + number(nanoseconds)


def _time(text: str) -> bytes:
    moment = parse_time(text)
    return b"" if moment == _NO_TIME else _moment((moment - _EPOCH) // _SECOND, 0)


def _micro_time(text: str) -> bytes:
    moment = parse_time(text)
    return b"" if moment == _NO_TIME else _moment((moment - _EPOCH) // _SECOND, moment.microsecond * 1000)


def _duration(text: str) -> bytes:
    return b"\x08" + number(parse_nanoseconds(text))


def _quantity(text: str | float) -> bytes:
    return length_delimited(1, str(text).encode())


def _int_or_string(value: int | str) -> bytes:
    if isinstance(value, str):
        return _TEXT + b"\x10\x00" + length_delimited(3, value.encode())
    return _NUMBER + b"\x10" + number(value) + b"\x1a\x00"


def _json(value: Any) -> bytes:
    return length_delimited(1, msgspec.json.encode(value))


OWN_FORM_WRITERS: Final = {
    f"{META}.Time": ScalarWriter(b"", _time),
    f"{META}.MicroTime": ScalarWriter(b"", _micro_time),
    f"{META}.Duration": ScalarWriter(b"\x08\x00", _duration),
    f"{META}.FieldsV1": ScalarWriter(b"", _json),
    "k8s.io/apimachinery/pkg/api/resource.Quantity": ScalarWriter(_quantity("0"), _quantity),
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": ScalarWriter(_int_or_string(0), _int_or_string),
    "k8s.io/apimachinery/pkg/runtime.RawExtension": ScalarWriter(b"", _json),
    f"{EXTENSIONS}.JSON": ScalarWriter(b"", _json),
}


def _schema_or_array(value: Any) -> dict[str, Any]:
    return {"JSONSchemas": value} if isinstance(value, list) else {"Schema": value}


def _schema_or_bool(value: Any) -> dict[str, Any]:
    return {"Allows": value} if isinstance(value, bool) else {"Allows": True, "Schema": value}


def _schema_or_names(value: Any) -> dict[str, Any]:
    return {"Property": value} if isinstance(value, list) else {"Schema": value}


# Messages of which one part stands in JSON: the part is put where it belongs.
EXPANSIONS: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    f"{EXTENSIONS}.JSONSchemaPropsOrArray": _schema_or_array,
    f"{EXTENSIONS}.JSONSchemaPropsOrBool": _schema_or_bool,
    f"{EXTENSIONS}.JSONSchemaPropsOrStringArray": _schema_or_names,
}
