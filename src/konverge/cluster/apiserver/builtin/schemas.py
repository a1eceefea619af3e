"""The OpenAPI v3 schemas of the built-in kinds, by name: `io.k8s.api.core.v1.Pod`.

A schema refers to others by `$ref`; `resolve` follows one step. A package is read when the first of its schemas is
asked for, and a schema is decoded when it is asked for itself: most servers never see most kinds. Schemas are shared,
so who gets one must not change it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.builtin import captured

JsonSchema = dict[str, Any]
REFERENCE: Final = "#/components/schemas/"


class Schemas(Mapping[str, JsonSchema]):
    """All schemas, decoded as they are asked for."""

    def __init__(self) -> None:
        self._packages: dict[str, dict[str, msgspec.Raw]] = {}
        self._decoded: dict[str, JsonSchema] = {}

    def __getitem__(self, name: str) -> JsonSchema:
        found = self._decoded.get(name)
        if found is None:
            found = self._decoded[name] = msgspec.json.decode(self.raw(name))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())

    def raw(self, name: str) -> msgspec.Raw:
        """Return a schema as its JSON text; raise KeyError where there is none of this name."""
        package, _, last = name.rpartition(".")
        schemas = self._packages.get(package)
        if schemas is None:
            schemas = self._packages[package] = _package(package)
        try:
            return schemas[last]
        except KeyError:
            raise KeyError(name) from None

    def resolve(self, schema: JsonSchema) -> JsonSchema:
        """Return what a schema refers to, or itself; a reference with a default stands in an `allOf` of one."""
        reference = schema.get("$ref")
        if reference is None:
            several = schema.get("allOf")
            if several is None or len(several) != 1:
                return schema
            reference = several[0].get("$ref")
        return schema if reference is None else self[reference.removeprefix(REFERENCE)]


def _package(name: str) -> dict[str, msgspec.Raw]:
    try:
        content = captured.read(f"schemas/{name}.json")
    except KeyError:
        return {}
    return msgspec.json.decode(content, type=dict[str, msgspec.Raw])


@cache
def _names() -> tuple[str, ...]:
    documents = captured.read_json("openapi.json").values()
    return tuple(dict.fromkeys(name for document in documents for name in document["schemas"]))


@cache
def schemas() -> Schemas:
    """Return the schemas that all servers of this process share."""
    return Schemas()
