"""OpenAPI v2 as protobuf, in gnostic's messages (`openapi.v2.Document`): the form that older kubectl asks for.

The field numbers are those of gnostic's `OpenAPIv2.proto`; only what Kubernetes' documents use is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
import yaml

from konverge.cluster.apiserver.openapi.protobuf import (
    Field,
    Fields,
    boolean,
    double,
    encoded,
    integer,
    length_delimited,
    message,
    repeated,
    text,
)

JsonObject = Mapping[str, Any]
_EXTENSION: Final = "x-"


class _Dumper(yaml.SafeDumper):
    """Writes an empty text with double quotes, as Go does, and no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is the base class's
        return True


def _shown_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if value else '"')


_Dumper.add_representer(str, _shown_text)


def document(value: JsonObject) -> bytes:
    """Return a document of OpenAPI v2 as protobuf."""
    return encoded(value, _DOCUMENT)


def _any(value: Any) -> bytes:
    return _shown(msgspec.json.encode(value))


@lru_cache(maxsize=1024)
def _shown(value: bytes) -> bytes:
    """Return a value of any shape, which stands there as YAML; the same few come again and again."""
    shown = yaml.dump(msgspec.json.decode(value), Dumper=_Dumper, sort_keys=False, width=1 << 30, allow_unicode=True)
    return text(2, shown.removesuffix("...\n"))


def _named(encode: Field) -> Field:
    """Return how a mapping is written: a list of messages with a name and a value."""
    return lambda number, mapping: b"".join(
        length_delimited(number, text(1, name) + encode(2, value)) for name, value in mapping.items()
    )


def _extensible(fields: Fields, number: int) -> Field:
    """Return how a message with extensions is written."""

    def encode(value: JsonObject) -> bytes:
        extensions = {name: found for name, found in value.items() if name.startswith(_EXTENSION)}
        return encoded(value, fields) + _named(message(_any))(number, extensions)

    return message(encode)


def _lazily(name: str) -> Field:
    """Return a field whose message is defined further down: schemas hold schemas."""
    return lambda number, value: _RECURSIVE[name](number, value)  # noqa: PLW0108 - it is not there yet


_ENTRIES: Final = 1  # messages that are nothing but a list of names and values have it as their first field
_EXTERNAL_DOCS: Final = _extensible({"description": (1, text), "url": (2, text)}, 3)


def _mapping(encode: Field) -> Field:
    return message(lambda mapping: _named(encode)(_ENTRIES, mapping))


def _additional(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"\x10\x01" if value else b"\x10\x00"  # one of two: written even where it is false
    return _lazily("schema")(1, value)


def _types(value: Any) -> bytes:
    return repeated(text)(1, [value] if isinstance(value, str) else value)


_SCHEMA: Final[Fields] = {
    "$ref": (1, text),
    "format": (2, text),
    "title": (3, text),
    "description": (4, text),
    "default": (5, message(_any)),
    "multipleOf": (6, double),
    "maximum": (7, double),
    "exclusiveMaximum": (8, boolean),
    "minimum": (9, double),
    "exclusiveMinimum": (10, boolean),
    "maxLength": (11, integer),
    "minLength": (12, integer),
    "pattern": (13, text),
    "maxItems": (14, integer),
    "minItems": (15, integer),
    "uniqueItems": (16, boolean),
    "maxProperties": (17, integer),
    "minProperties": (18, integer),
    "required": (19, repeated(text)),
    "enum": (20, repeated(message(_any))),
    "additionalProperties": (21, message(_additional)),
    "type": (22, message(_types)),
    "items": (23, message(lambda schema: _lazily("schema")(1, schema))),
    "allOf": (24, repeated(_lazily("schema"))),
    "properties": (25, _mapping(_lazily("schema"))),
    "externalDocs": (29, _EXTERNAL_DOCS),
    "example": (30, message(_any)),
}
_RECURSIVE: Final = {"schema": _extensible(_SCHEMA, 31)}
_REFERENCE: Final = message(lambda value: encoded(value, {"$ref": (1, text), "description": (2, text)}))
_BODY_PARAMETER: Final = _extensible(
    {
        "description": (1, text),
        "name": (2, text),
        "in": (3, text),
        "required": (4, boolean),
        "schema": (5, _RECURSIVE["schema"]),
    },
    6,
)
_QUERY_PARAMETER: Final = _extensible(
    {
        "required": (1, boolean),
        "in": (2, text),
        "description": (3, text),
        "name": (4, text),
        "type": (6, text),
        "uniqueItems": (20, boolean),
    },
    23,
)
_PATH_PARAMETER: Final = _extensible(
    {
        "required": (1, boolean),
        "in": (2, text),
        "description": (3, text),
        "name": (4, text),
        "type": (5, text),
        "uniqueItems": (19, boolean),
    },
    22,
)


def _parameter(value: JsonObject) -> bytes:
    if value["in"] == "body":
        return _BODY_PARAMETER(1, value)
    other = _PATH_PARAMETER(4, value) if value["in"] == "path" else _QUERY_PARAMETER(3, value)
    return length_delimited(2, other)


def _parameter_item(value: JsonObject) -> bytes:
    return _REFERENCE(2, value) if "$ref" in value else message(_parameter)(1, value)


_RESPONSE: Final = _extensible(
    {"description": (1, text), "schema": (2, message(lambda schema: _RECURSIVE["schema"](1, schema)))}, 5
)
_RESPONSES: Final = _mapping(message(lambda response: _RESPONSE(1, response)))
_STRINGS: Final = message(lambda values: repeated(text)(1, values))
_OPERATION: Final = _extensible(
    {
        "tags": (1, repeated(text)),
        "summary": (2, text),
        "description": (3, text),
        "externalDocs": (4, _EXTERNAL_DOCS),
        "operationId": (5, text),
        "produces": (6, repeated(text)),
        "consumes": (7, repeated(text)),
        "parameters": (8, repeated(message(_parameter_item))),
        "responses": (9, _RESPONSES),
        "schemes": (10, repeated(text)),
        "deprecated": (11, boolean),
    },
    13,
)
_PATH_ITEM: Final = _extensible(
    {
        "get": (2, _OPERATION),
        "put": (3, _OPERATION),
        "post": (4, _OPERATION),
        "delete": (5, _OPERATION),
        "options": (6, _OPERATION),
        "head": (7, _OPERATION),
        "patch": (8, _OPERATION),
        "parameters": (9, repeated(message(_parameter_item))),
    },
    10,
)
_API_KEY: Final = _extensible({"type": (1, text), "name": (2, text), "in": (3, text), "description": (4, text)}, 5)
_DOCUMENT: Final[Fields] = {
    "swagger": (1, text),
    "info": (2, _extensible({"title": (1, text), "version": (2, text), "description": (3, text)}, 7)),
    "paths": (8, message(lambda paths: _named(_PATH_ITEM)(2, paths))),
    "definitions": (9, _mapping(_RECURSIVE["schema"])),
    "parameters": (10, _mapping(message(_parameter))),
    "security": (12, repeated(_mapping(_STRINGS))),
    "securityDefinitions": (13, _mapping(message(lambda item: _API_KEY(2, item)))),
}
