"""Values as the real server's messages show them: by the names and in the order of its own types, all fields there.

A shape turns a value of the wire into one of that form. It is the JSON that Go makes of a type without tags: texts and
numbers that are not there are empty or 0, all else is null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from konverge.cluster.apiserver.builtin.rules.claim_metadata import METADATA_FIELDS
from konverge.cluster.apiserver.strategy import JsonObject

Shape = Callable[[Any], Any]
# Where the name on the wire is not the one of the type with its first letter in lower case.
_ON_THE_WIRE: Final = {
    "APIGroup": "apiGroup",
    "BoolValue": "bool",
    "CEL": "cel",
    "IntValue": "int",
    "StringValue": "string",
    "UID": "uid",
    "VersionValue": "version",
}


def _as_is(value: Any) -> Any:
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def _text(value: Any) -> Any:
    return value or ""


def _number(value: Any) -> Any:
    return value or 0


def _raw(value: Any) -> Any:
    return value


def _list_of(item: Shape) -> Shape:
    return lambda value: None if value is None else [item(each) for each in value]


def _pointer(shape: Shape) -> Shape:
    return lambda value: None if value is None else shape(value)


def _struct(**fields: Shape) -> Shape:
    def shown(value: JsonObject | None) -> JsonObject:
        given = value or {}
        return {name: shape(given.get(_wire_name(name))) for name, shape in fields.items()}

    return shown


def _wire_name(name: str) -> str:
    return _ON_THE_WIRE.get(name) or name[0].lower() + name[1:]


_TEXTS: Final = _list_of(_as_is)
_REQUIREMENTS: Final = _list_of(_struct(Key=_text, Operator=_text, Values=_TEXTS))
NODE_SELECTOR_TERMS: Final = _list_of(_struct(MatchExpressions=_REQUIREMENTS, MatchFields=_REQUIREMENTS))
_NODE_SELECTOR: Final = _pointer(_struct(NodeSelectorTerms=NODE_SELECTOR_TERMS))
_TOLERATIONS: Final = _list_of(
    _struct(Key=_text, Operator=_text, Value=_text, Effect=_text, TolerationSeconds=_as_is),
)
_REQUEST: Final = {
    "DeviceClassName": _text,
    "Selectors": _list_of(_struct(CEL=_pointer(_struct(Expression=_text)))),
    "AllocationMode": _text,
    "Count": _number,
}
_CAPACITY: Final = _pointer(_struct(Requests=_as_is))
_EXACTLY: Final = _struct(**_REQUEST, AdminAccess=_as_is, Tolerations=_TOLERATIONS, Capacity=_CAPACITY)
_SUB_REQUEST: Final = _struct(Name=_text, **_REQUEST, Tolerations=_TOLERATIONS, Capacity=_CAPACITY)
_OPAQUE: Final = _pointer(_struct(Driver=_text, Parameters=_raw))
CLAIM_SPEC: Final = _struct(
    Devices=_struct(
        Requests=_list_of(
            _struct(Name=_text, Exactly=_pointer(_EXACTLY), FirstAvailable=_list_of(_SUB_REQUEST)),
        ),
        Constraints=_list_of(_struct(Requests=_TEXTS, MatchAttribute=_as_is, DistinctAttribute=_as_is)),
        Config=_list_of(_struct(Requests=_TEXTS, Opaque=_OPAQUE)),
    ),
)
ALLOCATION: Final = _struct(
    Devices=_struct(
        Results=_list_of(
            _struct(
                Request=_text,
                Driver=_text,
                Pool=_text,
                Device=_text,
                AdminAccess=_as_is,
                Tolerations=_TOLERATIONS,
                BindingConditions=_TEXTS,
                BindingFailureConditions=_TEXTS,
                ShareID=_as_is,
                ConsumedCapacity=_as_is,
            ),
        ),
        Config=_list_of(_struct(Source=_text, Requests=_TEXTS, Opaque=_OPAQUE)),
    ),
    NodeSelector=_NODE_SELECTOR,
    AllocationTimestamp=_as_is,
)
ATTRIBUTE: Final = _struct(
    IntValue=_as_is,
    BoolValue=_as_is,
    StringValue=_as_is,
    VersionValue=_as_is,
    IntValues=_as_is,
    BoolValues=_as_is,
    StringValues=_as_is,
    VersionValues=_as_is,
)
DEVICE_ID: Final = _struct(Driver=_text, Pool=_text, Device=_text, ShareID=_text)


def template_spec(value: JsonObject) -> JsonObject:
    """Show the spec of a template: its metadata stands beside the claim's spec, as it is on the wire."""
    metadata = value.get("metadata") or {}
    shown = {name: _as_is(metadata[name]) for name in METADATA_FIELDS if metadata.get(name)}
    return {**shown, "Spec": CLAIM_SPEC(value.get("spec"))}
