"""The document of OpenAPI v2: one for everything. It is made when it is asked for, and not kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from konverge.cluster.apiserver.builtin import captured
from konverge.cluster.apiserver.builtin.schemas import schemas
from konverge.cluster.apiserver.openapi import sample
from konverge.cluster.apiserver.openapi.custom_kind import definitions_v2
from konverge.cluster.apiserver.openapi.definitions_v2 import definition
from konverge.cluster.apiserver.openapi.document_v3 import KINDS
from konverge.cluster.apiserver.resource import Resource

JsonObject = dict[str, Any]


def document(custom: Iterable[Resource]) -> JsonObject:
    """Return the document: what was captured, and the custom resources."""
    whole: JsonObject = captured.read_json("openapi-v2.json")
    definitions = _definitions(whole["definitions"]["names"], whole["definitions"]["kinds"])
    paths = whole["paths"]
    for resource in custom:
        definitions |= definitions_v2(resource)
        added = msgspec.json.encode(sample.paths(resource, sample.sample().v2))
        paths |= msgspec.json.decode(added)
    return {**whole, "definitions": dict(sorted(definitions.items())), "paths": dict(sorted(paths.items()))}


def _definitions(names: Iterable[str], kinds: JsonObject) -> JsonObject:
    found = {}
    for name in names:
        schema = msgspec.json.decode(schemas().raw(name))  # not by its name: the decoded form would be kept
        found[name] = definition({**schema, KINDS: kinds[name]} if name in kinds else schema)
    return found
