"""The schemas of one custom kind and of its list, with what the server adds to every kind."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.openapi import sample
from konverge.cluster.apiserver.openapi.custom_schema import published_v2, published_v3
from konverge.cluster.apiserver.openapi.definitions_v2 import definition
from konverge.cluster.apiserver.resource import Resource

JsonSchema = dict[str, Any]


def schemas_v3(resource: Resource) -> dict[str, JsonSchema]:
    """Return the two schemas by their names."""
    schema = _declared(resource)
    published = _native(published_v3(schema)) if schema is not None else {"type": "object"}
    return _named(resource, published, sample.list_schema(resource))


def definitions_v2(resource: Resource) -> dict[str, JsonSchema]:
    """Return the two definitions by their names."""
    schema = _declared(resource)
    published = published_v2(schema) if schema is not None else None
    shown = {"type": "object"} if published is None else _referring(_native(published))
    return _named(resource, shown, definition(sample.list_schema(resource)))


def _declared(resource: Resource) -> JsonSchema | None:
    found = resource.strategy.openapi_schema
    return None if found is None else dict(found)


def _native(schema: JsonSchema) -> JsonSchema:
    return {**schema, "properties": {**schema.get("properties", {}), **sample.type_meta()}}


def _named(resource: Resource, schema: JsonSchema, of_list: JsonSchema) -> dict[str, JsonSchema]:
    model = sample.Names(resource).model
    kind = {"group": resource.group, "kind": resource.kind, "version": resource.version}
    marked = {**schema, "x-kubernetes-group-version-kind": [kind], **sample.selectable(resource)}
    return {model + resource.kind: marked, model + resource.list_kind: of_list}


def _referring(schema: JsonSchema) -> JsonSchema:
    """Return a schema whose references are v2's; a CRD's own schema has none, so only ours are met."""
    if "allOf" in schema:
        return definition(schema)
    found = dict(schema)
    for name in ("items", "additionalProperties"):
        if isinstance(found.get(name), dict):
            found[name] = _referring(found[name])
    if "properties" in found:
        found["properties"] = {name: _referring(child) for name, child in found["properties"].items()}
    return found
