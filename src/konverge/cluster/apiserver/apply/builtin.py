"""Field managers of built-in kinds: their types from the server's OpenAPI, their zero objects, their reset fields.

A built-in object is a Go struct on the real server: some fields are there though nobody set them (`status: {}`,
`containers: null`), and nobody owns what is there from the start. `empty_objects.json` has each kind's zero object
where it is more than empty metadata; `tools/empty_objects` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.apply.openapi_types import OpenApiTypes
from konverge.cluster.apiserver.apply.reset_fields import builtin_reset_fields
from konverge.cluster.apiserver.apply.types import Type

JsonObject = dict[str, Any]


def builtin_field_manager(
    kind: str,
    api_version: str,
    *,
    types: OpenApiTypes,
    components: Mapping[str, str],
    convert: Callable[[JsonObject, str], JsonObject] | None = None,
) -> FieldManager:
    """Return the field manager of a built-in kind in one version.

    `components` names the kind's component in `types` for every API version that serves it (`io.k8s.api.apps.v1.…`);
    the types are shared by all kinds. Nothing is compiled before the first write of the kind.
    """
    return FieldManager(
        kind=kind,
        api_version=api_version,
        types=_KindTypes(types, components),
        convert=convert,
        reset_fields=builtin_reset_fields(kind, components),
        empty=empty_object(kind, api_version),
    )


class _KindTypes(Mapping[str, Type]):
    """The types of a kind by API version, compiled when they are asked for."""

    def __init__(self, types: OpenApiTypes, components: Mapping[str, str]) -> None:
        self._types = types
        self._components = components

    def __getitem__(self, api_version: str) -> Type:
        return self._types.type(self._components[api_version])

    def __contains__(self, api_version: object) -> bool:
        return api_version in self._components

    def __iter__(self) -> Iterator[str]:
        return iter(self._components)

    def __len__(self) -> int:
        return len(self._components)


def empty_object(kind: str, api_version: str) -> JsonObject:
    """Return the zero object of a built-in kind, without its kind and version."""
    found: JsonObject = _empty_objects().get(f"{api_version}/{kind}", {"metadata": {}})
    return found


@cache
def _empty_objects() -> dict[str, JsonObject]:
    data = resources.files(__package__).joinpath("empty_objects.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, dict[str, Any]])
