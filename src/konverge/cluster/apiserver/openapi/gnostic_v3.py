"""OpenAPI v3 as protobuf, in gnostic's messages (`openapi.v3.Document`): a form that Go clients may ask for.

The field numbers are those of gnostic's `OpenAPIv3.proto`; only what Kubernetes' documents use is here. Most places
hold a thing or a reference to one: the first field or the second.
"""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.openapi.gnostic import JsonObject, any_value, extensible, mapping, named
from konverge.cluster.apiserver.openapi.protobuf import (
    Field,
    Fields,
    always_boolean,
    always_double,
    always_text,
    boolean,
    double,
    encoded,
    integer,
    message,
    repeated,
    text,
)


def document(value: JsonObject) -> bytes:
    """Return a document of OpenAPI v3 as protobuf."""
    return encoded(value, _DOCUMENT)


def _reference(value: JsonObject) -> bytes:
    return encoded(value, {"$ref": (1, text), "summary": (2, text), "description": (3, text)})


def _or_reference(field: Field) -> Field:
    """Return how a thing or a reference to one is written."""
    return message(lambda value: message(_reference)(2, value) if "$ref" in value else field(1, value))


def _schema(number: int, value: JsonObject) -> bytes:
    return _RECURSIVE["schema"](number, value)


_SCHEMA_OR_REFERENCE: Final = _or_reference(_schema)


def _additional(value: Any) -> bytes:
    return always_boolean(2, value) if isinstance(value, bool) else _SCHEMA_OR_REFERENCE(1, value)


def _default(value: Any) -> bytes:
    """Return a default; one that is no scalar cannot be said."""
    if isinstance(value, bool):
        return always_boolean(2, value)
    if isinstance(value, (int, float)):
        return always_double(1, value)
    return always_text(3, value) if isinstance(value, str) else b""


_EXTERNAL_DOCS: Final = extensible({"description": (1, text), "url": (2, text)}, 3)
_SCHEMA: Final[Fields] = {
    "nullable": (1, boolean),
    "externalDocs": (6, _EXTERNAL_DOCS),
    "example": (7, message(any_value)),
    "title": (9, text),
    "multipleOf": (10, double),
    "maximum": (11, double),
    "exclusiveMaximum": (12, boolean),
    "minimum": (13, double),
    "exclusiveMinimum": (14, boolean),
    "maxLength": (15, integer),
    "minLength": (16, integer),
    "pattern": (17, text),
    "maxItems": (18, integer),
    "minItems": (19, integer),
    "uniqueItems": (20, boolean),
    "maxProperties": (21, integer),
    "minProperties": (22, integer),
    "required": (23, repeated(text)),
    "enum": (24, repeated(message(any_value))),
    "type": (25, text),
    "allOf": (26, repeated(_SCHEMA_OR_REFERENCE)),
    "oneOf": (27, repeated(_SCHEMA_OR_REFERENCE)),
    "anyOf": (28, repeated(_SCHEMA_OR_REFERENCE)),
    "not": (29, _schema),
    "items": (30, message(lambda schema: _SCHEMA_OR_REFERENCE(1, schema))),
    "properties": (31, mapping(_SCHEMA_OR_REFERENCE)),
    "additionalProperties": (32, message(_additional)),
    "default": (33, message(_default)),
    "description": (34, text),
    "format": (35, text),
}
_RECURSIVE: Final = {"schema": extensible(_SCHEMA, 36)}
_MEDIA_TYPES: Final = mapping(extensible({"schema": (1, _SCHEMA_OR_REFERENCE)}, 5))
_PARAMETER: Final = extensible(
    {
        "name": (1, text),
        "in": (2, text),
        "description": (3, text),
        "required": (4, boolean),
        "schema": (10, _SCHEMA_OR_REFERENCE),
    },
    14,
)
_REQUEST_BODY: Final = extensible({"description": (1, text), "content": (2, _MEDIA_TYPES), "required": (3, boolean)}, 4)
_RESPONSE: Final = extensible({"description": (1, text), "content": (3, _MEDIA_TYPES)}, 5)
_OPERATION: Final = extensible(
    {
        "tags": (1, repeated(text)),
        "summary": (2, text),
        "description": (3, text),
        "operationId": (5, text),
        "parameters": (6, repeated(_or_reference(_PARAMETER))),
        "requestBody": (7, _or_reference(_REQUEST_BODY)),
        "responses": (8, message(lambda responses: named(_or_reference(_RESPONSE))(2, responses))),
        "deprecated": (10, boolean),
    },
    13,
)
_PATH_ITEM: Final = extensible(
    {
        "get": (4, _OPERATION),
        "put": (5, _OPERATION),
        "post": (6, _OPERATION),
        "delete": (7, _OPERATION),
        "options": (8, _OPERATION),
        "head": (9, _OPERATION),
        "patch": (10, _OPERATION),
        "parameters": (13, repeated(_or_reference(_PARAMETER))),
    },
    14,
)
_SECURITY_SCHEME: Final = extensible(
    {"type": (1, text), "description": (2, text), "name": (3, text), "in": (4, text)}, 9
)
_COMPONENTS: Final = extensible(
    {"schemas": (1, mapping(_SCHEMA_OR_REFERENCE)), "securitySchemes": (7, mapping(_or_reference(_SECURITY_SCHEME)))},
    10,
)
_DOCUMENT: Final[Fields] = {
    "openapi": (1, text),
    "info": (2, extensible({"title": (1, text), "description": (2, text), "version": (6, text)}, 7)),
    "paths": (4, message(lambda paths: named(_PATH_ITEM)(1, paths))),
    "components": (5, _COMPONENTS),
}
