"""Demands: what is asked of a CustomResourceDefinition. An update is not refused for what was wrong before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.crd.conditions import is_true
from konverge.cluster.apiserver.crd.conversion_rules import bundle_fault, has_known_review
from konverge.cluster.apiserver.crd.default_rules import has_unpruned
from konverge.cluster.apiserver.crd.internal_spec import InternalSpec
from konverge.cluster.apiserver.crd.schema_rules import TYPES, Ratchet, has_set_fault, keyed_list_faults
from konverge.cluster.apiserver.crd.structural_rules import structural_faults, unreadable

Schema = Mapping[str, Any]


_STRICT = Ratchet()


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What is asked; a new definition must fulfil all."""

    known_review: bool = True
    schemas: bool = True  # each version has one
    structural: bool = True
    pruned_defaults: bool = True
    ratchet: Ratchet = _STRICT
    allows_bad_bundle: bool = True
    immutable_names: bool = False
    unchanged: frozenset[str] = frozenset()  # versions whose schema is the old one: what their rules cost is not asked
    many_selectable: frozenset[str] = frozenset()  # versions ("" for shared) that had too many before


def update_demands(spec: InternalSpec, old: InternalSpec, old_crd: Mapping[str, Any]) -> Demands:
    """Return what is asked of a definition that replaces another."""
    old_schemas = list(old.schemas())
    is_established = is_true(old_crd, "Established")
    conversion = old.spec.get("conversion")
    bundle = ((conversion or {}).get("webhook") or {}).get("clientConfig") or {}
    return Demands(
        known_review=conversion is None or has_known_review(conversion),
        schemas=old.validation is not None or len(old_schemas) == len(old.versions),
        structural=not any(unreadable(one) or structural_faults(one, "") for one in old_schemas),
        pruned_defaults=not any(_has_unpruned(one) for one in old_schemas),
        ratchet=Ratchet(
            types=not any_schema(old_schemas, lambda one: bool(one.get("type")) and one["type"] not in TYPES),
            atomic_sets=not any_schema(old_schemas, has_set_fault),
            map_keys=not any_schema(old_schemas, lambda one: bool([*keyed_list_faults(one, "")])),
        ),
        allows_bad_bundle=not is_established or bool(bundle_fault(bundle.get("caBundle") or "")),
        immutable_names=is_established,
        unchanged=frozenset(_unchanged(spec, old)),
        many_selectable=frozenset(_many_selectable(spec, old)),
    )


def _has_unpruned(schema: Schema) -> bool:
    return not unreadable(schema) and not structural_faults(schema, "") and has_unpruned(schema)


def _unchanged(spec: InternalSpec, old: InternalSpec) -> Iterator[str]:
    for version in spec.versions:
        name = version.get("name") or ""
        try:
            if json_equal(spec.schema_of(name), old.schema_of(name)):
                yield name
        except KeyError:
            continue


def _many_selectable(spec: InternalSpec, old: InternalSpec) -> Iterator[str]:
    def fields(one: InternalSpec, name: str) -> Any:
        if not name:
            return one.shared.get("selectableFields")
        return next((v.get("selectableFields") for v in one.versions if v.get("name") == name), None)

    for name in ("", *(version.get("name") or "" for version in spec.versions)):
        before = fields(old, name)
        if before and json_equal(before, fields(spec, name)):
            yield name


def below(schema: Schema) -> Iterator[Schema]:
    """Return a schema and all schemas in it."""
    yield schema
    parts: list[Any] = [
        schema.get("items"),
        schema.get("not"),
        schema.get("additionalProperties"),
        schema.get("additionalItems"),
    ]
    for name in ("allOf", "anyOf", "oneOf", "items"):
        parts += schema[name] if isinstance(schema.get(name), list) else []
    for name in ("properties", "patternProperties", "definitions", "dependencies"):
        parts += (schema.get(name) or {}).values()
    for part in parts:
        if isinstance(part, Mapping):
            yield from below(part)


def any_schema(schemas: list[Schema], test: Callable[[Schema], bool]) -> bool:
    """Whether a test holds for any schema, or for one in it."""
    return any(test(one) for schema in schemas for one in below(schema))
