"""Field managers of custom resources: their types from the CRD, one per version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.apply.openapi_types import Schema, custom_type
from konverge.cluster.apiserver.apply.reset_fields import custom_reset_fields
from konverge.cluster.apiserver.apply.types import Type
from konverge.cluster.apiserver.strategy import JsonObject

Convert = Callable[[JsonObject, str], JsonObject]


def custom_types(group: str, schemas: Mapping[str, Schema | None]) -> dict[str, Type]:
    """Return the types of a custom resource by API version, given the `openAPIV3Schema` of each version."""
    return {f"{group}/{version}": custom_type(schema) for version, schema in schemas.items()}


def custom_field_manager(
    kind: str,
    api_version: str,
    types: Mapping[str, Type],
    *,
    with_status: Iterable[str] = (),
    convert: Convert | None = None,
) -> FieldManager:
    """Return the field manager of one version of a custom resource.

    `types` are those of all its versions (`custom_types`), shared by the managers of all of them; `with_status` are the
    API versions that have a status subresource.
    """
    reset_fields = custom_reset_fields(api_version, with_status)
    return FieldManager(
        kind=kind, api_version=api_version, types=types, reset_fields=reset_fields, convert=convert, is_custom=True
    )


def custom_field_managers(crd: Mapping[str, Any], convert: Convert | None = None) -> dict[str, FieldManager]:
    """Return the field managers of a CustomResourceDefinition by the version's name; `convert` is its own way."""
    spec = crd["spec"]
    group, kind = spec["group"], spec["names"]["kind"]
    versions = {version["name"]: version for version in spec["versions"]}
    schemas = {name: (version.get("schema") or {}).get("openAPIV3Schema") for name, version in versions.items()}
    types = custom_types(group, schemas)
    subresources = {name: version.get("subresources") or {} for name, version in versions.items()}
    with_status = [f"{group}/{name}" for name, found in subresources.items() if found.get("status") is not None]
    return {
        name: custom_field_manager(kind, f"{group}/{name}", types, with_status=with_status, convert=convert)
        for name in versions
    }
