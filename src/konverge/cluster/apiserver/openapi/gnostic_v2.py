"""OpenAPI v2 as protobuf, in gnostic's messages (`openapi.v2.Document`): the form that older kubectl asks for.

The field numbers are those of gnostic's `OpenAPIv2.proto`; only what Kubernetes' documents use is here.
"""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.openapi.gnostic import JsonObject, any_value, extensible, mapping, named
from konverge.cluster.apiserver.openapi.protobuf import (
    Field,
    Fields,
    always_boolean,
    boolean,
    double,
    encoded,
    integer,
    length_delimited,
    message,
    repeated,
    text,
)


def document(value: JsonObject) -> bytes:
    """Return a document of OpenAPI v2 as protobuf."""
    return encoded(value, _DOCUMENT)


def _lazily(name: str) -> Field:
    """Return a field whose message is defined further down: schemas hold schemas."""
    return lambda number, value: _RECURSIVE[name](number, value)  # noqa: PLW0108 - it is not there yet


_EXTERNAL_DOCS: Final = extensible({"description": (1, text), "url": (2, text)}, 3)


def _additional(value: Any) -> bytes:
    if isinstance(value, bool):
        return always_boolean(2, value)
    return _lazily("schema")(1, value)


def _types(value: Any) -> bytes:
    return repeated(text)(1, [value] if isinstance(value, str) else value)


_SCHEMA: Final[Fields] = {
    "$ref": (1, text),
    "format": (2, text),
    "title": (3, text),
    "description": (4, text),
    "default": (5, message(any_value)),
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
    "enum": (20, repeated(message(any_value))),
    "additionalProperties": (21, message(_additional)),
    "type": (22, message(_types)),
    "items": (23, message(lambda schema: _lazily("schema")(1, schema))),
    "allOf": (24, repeated(_lazily("schema"))),
    "properties": (25, mapping(_lazily("schema"))),
    "externalDocs": (29, _EXTERNAL_DOCS),
    "example": (30, message(any_value)),
}
_RECURSIVE: Final = {"schema": extensible(_SCHEMA, 31)}
_REFERENCE: Final = message(lambda value: encoded(value, {"$ref": (1, text), "description": (2, text)}))
_BODY_PARAMETER: Final = extensible(
    {
        "description": (1, text),
        "name": (2, text),
        "in": (3, text),
        "required": (4, boolean),
        "schema": (5, _RECURSIVE["schema"]),
    },
    6,
)
_QUERY_PARAMETER: Final = extensible(
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
_PATH_PARAMETER: Final = extensible(
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


_RESPONSE: Final = extensible(
    {"description": (1, text), "schema": (2, message(lambda schema: _RECURSIVE["schema"](1, schema)))}, 5
)
_RESPONSES: Final = mapping(message(lambda response: _RESPONSE(1, response)))
_STRINGS: Final = message(lambda values: repeated(text)(1, values))
_OPERATION: Final = extensible(
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
_PATH_ITEM: Final = extensible(
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
_API_KEY: Final = extensible({"type": (1, text), "name": (2, text), "in": (3, text), "description": (4, text)}, 5)
_DOCUMENT: Final[Fields] = {
    "swagger": (1, text),
    "info": (2, extensible({"title": (1, text), "version": (2, text), "description": (3, text)}, 7)),
    "paths": (8, message(lambda paths: named(_PATH_ITEM)(2, paths))),
    "definitions": (9, mapping(_RECURSIVE["schema"])),
    "parameters": (10, mapping(message(_parameter))),
    "security": (12, repeated(mapping(_STRINGS))),
    "securityDefinitions": (13, mapping(message(lambda item: _API_KEY(2, item)))),
}
