"""InternalSpec: the spec of a CRD as the real server judges it.

What all versions share is told of the spec as a whole, though v1 has no such fields: `spec.validation` instead of
`spec.versions[0].schema`. With one version that is everything. The paths of causes follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from konverge.api.json_value import json_equal

_SHARED = ("subresources", "schema", "additionalPrinterColumns", "selectableFields")
_LISTS = ("additionalPrinterColumns", "selectableFields")


@dataclass(slots=True, kw_only=True)
class InternalSpec:
    """A spec with what its versions share at the top."""

    spec: Mapping[str, Any]
    versions: list[dict[str, Any]]
    shared: dict[str, Any] = field(default_factory=dict)  # by the name it has in a version

    @property
    def names(self) -> Mapping[str, Any]:
        """`spec.names`."""
        names: Mapping[str, Any] = self.spec.get("names") or {}
        return names

    @property
    def preserves_unknown(self) -> bool:
        """`spec.preserveUnknownFields`."""
        return bool(self.spec.get("preserveUnknownFields"))

    @property
    def validation(self) -> Any:
        """The schema that all versions share, with its key `openAPIV3Schema`, or None."""
        return self.shared.get("schema")

    def schemas(self) -> Iterator[Mapping[str, Any]]:
        """Return each schema once."""
        for holder in (self.validation, *(version.get("schema") for version in self.versions)):
            if holder is not None and holder.get("openAPIV3Schema") is not None:
                yield holder["openAPIV3Schema"]

    def schema_of(self, name: str) -> Any:
        """Return the schema of a version, None where it has none; raise `KeyError` for an unknown version."""
        for version in self.versions:
            if version.get("name") == name:
                return version.get("schema") if self.validation is None else self.validation
        raise KeyError(name)


def internal_spec(spec: Mapping[str, Any]) -> InternalSpec:
    """Return a spec with what all its versions share at the top."""
    versions = [_clean(version) for version in spec.get("versions") or ()]
    found = InternalSpec(spec=spec, versions=versions)
    if not versions:
        return found
    for name in _SHARED:
        first = versions[0].get(name)
        if all(_is_same(version.get(name), first) for version in versions):
            found.shared[name] = first
            for version in versions:
                version.pop(name, None)
    return found


def _clean(version: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a version without nulls and empty lists, which mean nothing."""
    return {name: value for name, value in version.items() if value is not None and not (name in _LISTS and not value)}


def _is_same(one: Any, other: Any) -> bool:
    return json_equal(_sparse(one), _sparse(other))


def _sparse(value: Any) -> Any:
    """Drop nulls, which mean absent in a CRD."""
    if isinstance(value, dict):
        return {name: _sparse(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_sparse(item) for item in value]
    return value
