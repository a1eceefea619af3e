"""The documents of OpenAPI v3, one per group and version: captured ones, and those of custom resources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.builtin import captured
from konverge.cluster.apiserver.builtin.schemas import schemas
from konverge.cluster.apiserver.openapi import sample
from konverge.cluster.apiserver.openapi.custom_kind import schemas_v3
from konverge.cluster.apiserver.resource import Resource

KINDS: Final = "x-kubernetes-group-version-kind"
_REFERENCE: Final = re.compile(rb'"\$ref":"#/components/schemas/([^"]+)"')
_SHARED: Final = ("io.k8s.apimachinery.pkg.apis.meta.v1.", "io.k8s.api.autoscaling.v1.")


class Captured(msgspec.Struct, frozen=True):
    """What is kept of a captured document beside its paths."""

    hash: str
    schemas: list[str]
    kinds: dict[str, list[dict[str, str]]]  # by schema: where a document lists other kinds than the shared schema
    components: dict[str, Any]
    openapi: str
    info: dict[str, str]


def captured_documents() -> dict[str, Captured]:
    """Return what was captured, by path (`apis/apps/v1`)."""
    return msgspec.json.decode(captured.read("openapi.json"), type=dict[str, Captured])


def captured_body(path: str, document: Captured) -> bytes:
    """Return a captured document as JSON."""
    shown = {name: schema_text(name, document.kinds) for name in document.schemas}
    whole = {
        "openapi": document.openapi,
        "info": document.info,
        "paths": msgspec.Raw(captured.read(f"paths/{path.replace('/', '_')}.json")),
        "components": {"schemas": shown, **document.components} if shown else document.components,
    }
    return msgspec.json.encode(whole)


def schema_text(name: str, kinds: Mapping[str, Any]) -> msgspec.Raw:
    """Return a shared schema as JSON, with a document's own list of kinds."""
    if name not in kinds:
        return schemas().raw(name)
    return msgspec.Raw(msgspec.json.encode({**schemas()[name], KINDS: kinds[name]}))


def custom_body(resources: Iterable[Resource]) -> bytes:
    """Return the document of the custom resources of one group and version."""
    found: dict[str, msgspec.Raw] = {}
    paths: dict[str, Any] = {}
    for resource in resources:
        found |= {name: msgspec.Raw(msgspec.json.encode(schema)) for name, schema in schemas_v3(resource).items()}
        paths |= sample.paths(resource, sample.sample().v3)
    for name in _referred((*paths.values(), *found.values())):
        found.setdefault(name, schema_text(name, sample.sample().kinds))
    return msgspec.json.encode(
        {
            "openapi": "3.0.0",
            "info": sample.sample().info,
            "paths": dict(sorted(paths.items())),
            "components": {"schemas": dict(sorted(found.items()))},
        }
    )


def _referred(texts: Iterable[msgspec.Raw]) -> Iterator[str]:
    """Yield the shared schemas that texts refer to, and those that these refer to."""
    seen: dict[str, None] = {}
    waiting = [bytes(text) for text in texts]
    while waiting:
        for match in _REFERENCE.finditer(waiting.pop()):
            name = match[1].decode()
            if name not in seen and name.startswith(_SHARED):
                seen[name] = None
                waiting.append(bytes(schemas().raw(name)))
    return iter(seen)
