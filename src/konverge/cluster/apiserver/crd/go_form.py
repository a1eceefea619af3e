"""Parts of a CRD as Go prints its internal types: some causes show them whole, and clients compare texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.schema.go_value import go_json

_FIELDS = (  # Go's name, the name in JSON, what stands there where nothing is given
    ("ID", "id", ""),
    ("Schema", "$schema", ""),
    ("Ref", "$ref", None),
    ("Description", "description", ""),
    ("Type", "type", ""),
    ("Nullable", "nullable", False),
    ("Format", "format", ""),
    ("Title", "title", ""),
    ("Default", "default", None),
    ("Maximum", "maximum", None),
    ("ExclusiveMaximum", "exclusiveMaximum", False),
    ("Minimum", "minimum", None),
    ("ExclusiveMinimum", "exclusiveMinimum", False),
    ("MaxLength", "maxLength", None),
    ("MinLength", "minLength", None),
    ("Pattern", "pattern", ""),
    ("MaxItems", "maxItems", None),
    ("MinItems", "minItems", None),
    ("UniqueItems", "uniqueItems", False),
    ("MultipleOf", "multipleOf", None),
    ("Enum", "enum", None),
    ("MaxProperties", "maxProperties", None),
    ("MinProperties", "minProperties", None),
    ("Required", "required", None),
    ("Items", "items", None),
    ("AllOf", "allOf", None),
    ("OneOf", "oneOf", None),
    ("AnyOf", "anyOf", None),
    ("Not", "not", None),
    ("Properties", "properties", None),
    ("AdditionalProperties", "additionalProperties", None),
    ("PatternProperties", "patternProperties", None),
    ("Dependencies", "dependencies", None),
    ("AdditionalItems", "additionalItems", None),
    ("Definitions", "definitions", None),
    ("ExternalDocs", "externalDocs", None),
    ("Example", "example", None),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", None),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", False),
    ("XIntOrString", "x-kubernetes-int-or-string", False),
    ("XListMapKeys", "x-kubernetes-list-map-keys", None),
    ("XListType", "x-kubernetes-list-type", None),
    ("XMapType", "x-kubernetes-map-type", None),
    ("XValidations", "x-kubernetes-validations", None),
)


def given_fields(schema: Mapping[str, Any]) -> list[str]:
    """Return Go's names of the fields that a schema gives, in Go's order."""
    return [name for name, wire, empty in _FIELDS if schema.get(wire) not in (None, empty)]


def raw(form: Any) -> msgspec.Raw:
    """Return a form as Go's encoder writes it."""
    return msgspec.Raw(go_json(form, is_struct=True).encode())


def _json(value: Any) -> msgspec.Raw:
    return msgspec.Raw(go_json(value).encode())


def schema_form(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a schema in Go's form."""
    if schema is None:
        return None
    return {name: _field(wire, schema.get(wire, empty), empty) for name, wire, empty in _FIELDS}


def _field(wire: str, value: Any, empty: Any) -> Any:
    if value is None:
        return empty
    form = _FORMS.get(wire)
    return value if form is None else form(value)


def _schemas(value: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [schema_form(one) for one in value]


def _named_schemas(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: schema_form(value[name]) for name in sorted(value)}


def _schema_or_bool(value: Any) -> dict[str, Any]:
    is_schema = isinstance(value, Mapping)
    return {"Allows": True if is_schema else value, "Schema": schema_form(value) if is_schema else None}


def items_form(value: Any) -> dict[str, Any]:
    """Return `items`, one schema or a list of them."""
    if isinstance(value, Mapping):
        return {"Schema": schema_form(value), "JSONSchemas": None}
    return {"Schema": None, "JSONSchemas": [schema_form(one) for one in value]}


def rule_form(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return a CEL rule."""
    return {
        "Rule": rule.get("rule", ""),
        "Message": rule.get("message", ""),
        "MessageExpression": rule.get("messageExpression", ""),
        "Reason": rule.get("reason"),
        "FieldPath": rule.get("fieldPath", ""),
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    }


def _dependencies(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"Schema": schema_form(one), "Property": None}
        if isinstance(one, Mapping)
        else {"Schema": None, "Property": one}
        for name, one in sorted(value.items())
    }


_FORMS: Final[dict[str, Callable[[Any], Any]]] = {
    "default": _json,
    "example": _json,
    "enum": lambda values: [_json(value) for value in values],
    "allOf": _schemas,
    "anyOf": _schemas,
    "oneOf": _schemas,
    "not": schema_form,
    "properties": _named_schemas,
    "patternProperties": _named_schemas,
    "definitions": _named_schemas,
    "additionalProperties": _schema_or_bool,
    "additionalItems": _schema_or_bool,
    "items": items_form,
    "dependencies": _dependencies,
    "externalDocs": lambda docs: {"Description": docs.get("description", ""), "URL": docs.get("url", "")},
    "x-kubernetes-validations": lambda rules: [rule_form(rule) for rule in rules],
}


def versions_form(versions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the versions of a CRD; what they all share stands at the top of the spec, and not here."""
    return [_version_form(version) for version in versions]


def _version_form(version: Mapping[str, Any]) -> dict[str, Any]:
    schema = version.get("schema")
    columns = version.get("additionalPrinterColumns")
    return {
        "Name": version.get("name", ""),
        "Served": bool(version.get("served")),
        "Storage": bool(version.get("storage")),
        "Deprecated": bool(version.get("deprecated")),
        "DeprecationWarning": version.get("deprecationWarning"),
        "Schema": None if schema is None else {"OpenAPIV3Schema": schema_form(schema.get("openAPIV3Schema"))},
        "Subresources": _subresources_form(version.get("subresources")),
        "AdditionalPrinterColumns": [_column_form(column) for column in columns] if columns else None,
        "SelectableFields": [{"JSONPath": one.get("jsonPath", "")} for one in version.get("selectableFields") or ()]
        or None,
    }


def _subresources_form(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if value is None:
        return None
    scale = value.get("scale")
    return {
        "Status": {} if value.get("status") is not None else None,
        "Scale": None
        if scale is None
        else {
            "SpecReplicasPath": scale.get("specReplicasPath", ""),
            "StatusReplicasPath": scale.get("statusReplicasPath", ""),
            "LabelSelectorPath": scale.get("labelSelectorPath"),
        },
    }


def _column_form(column: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "Name": column.get("name", ""),
        "Type": column.get("type", ""),
        "Format": column.get("format", ""),
        "Description": column.get("description", ""),
        "Priority": column.get("priority", 0),
        "JSONPath": column.get("jsonPath", ""),
    }
