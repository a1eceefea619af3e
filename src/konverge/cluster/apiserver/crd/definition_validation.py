"""Validation of CustomResourceDefinitions: all that the real server asks of one, in its words and order.

An update is not refused for what the old definition had wrong already (`Demands`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.crd.approval import approval_faults
from konverge.cluster.apiserver.crd.conditions import is_true
from konverge.cluster.apiserver.crd.conversion_rules import bundle_fault, conversion_faults, has_known_review
from konverge.cluster.apiserver.crd.default_rules import default_faults, has_unpruned
from konverge.cluster.apiserver.crd.go_form import given_fields, raw, schema_form, versions_form
from konverge.cluster.apiserver.crd.internal_spec import InternalSpec, internal_spec
from konverge.cluster.apiserver.crd.names import name_faults
from konverge.cluster.apiserver.crd.rule_compiler import RuleCompiler
from konverge.cluster.apiserver.crd.schema_rules import TYPES, Ratchet, SchemaRules, has_set_fault, keyed_list_faults
from konverge.cluster.apiserver.crd.structural_rules import structural_faults, unreadable
from konverge.cluster.apiserver.crd.version_rules import (
    column_faults,
    deprecation_faults,
    selectable_faults,
    subresource_faults,
)
from konverge.cluster.apiserver.field_error import FieldError, forbidden, invalid, not_supported, required
from konverge.cluster.apiserver.writing.name_rules import dns_1035_label, dns_subdomain

Definition = Mapping[str, Any]
Schema = Mapping[str, Any]
_AT_ROOT = (
    *("Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum"),
    *("MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items"),
    *("Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations"),
)
_EXTENSIONS = (
    *("x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys"),
    "x-kubernetes-validations",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What is asked; a new definition must fulfil all."""

    known_review: bool = True
    schemas: bool = True  # each version has one
    structural: bool = True
    pruned_defaults: bool = True
    ratchet: Ratchet = Ratchet()
    allows_bad_bundle: bool = True
    immutable_names: bool = False
    unchanged: frozenset[str] = frozenset()  # versions whose schema is the old one: the cost of their rules is not asked
    many_selectable: frozenset[str] = field(default_factory=frozenset)  # versions ("" for shared) that had too many before


def definition_faults(crd: Definition) -> list[FieldError]:
    """Say what is wrong with a new definition, beside its metadata."""
    spec = crd.get("spec") or {}
    return [*_spec_faults(internal_spec(spec), Demands()), *_status_faults(crd), *_last_faults(crd, None)]


def definition_update_faults(crd: Definition, old: Definition) -> list[FieldError]:
    """Say what is wrong with a definition that replaces another, beside its metadata."""
    spec, old_spec = internal_spec(crd.get("spec") or {}), internal_spec(old.get("spec") or {})
    demands = _demands(spec, old_spec, old)
    errors = [*_spec_faults(spec, demands)]
    places = (("scope",), ("names", "kind")) if demands.immutable_names else ()
    for place in (*places, ("group",), ("names", "plural")):
        new_value, old_value = _at(spec.spec, place), _at(old_spec.spec, place)
        if new_value != old_value:
            errors.append(invalid(f"spec.{'.'.join(place)}", new_value, "field is immutable"))
    return [*errors, *_status_faults(crd), *_last_faults(crd, old)]


def status_update_faults(crd: Definition) -> list[FieldError]:
    """Say what is wrong with a definition whose status alone was written."""
    return [*name_faults((crd.get("status") or {}).get("acceptedNames") or {}, "status.acceptedNames")]


def _at(spec: Mapping[str, Any], place: tuple[str, ...]) -> str:
    value: Any = spec
    for name in place:
        value = (value or {}).get(name)
    return value or ""


def _demands(spec: InternalSpec, old: InternalSpec, old_crd: Definition) -> Demands:
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
            types=not _any(old_schemas, lambda one: bool(one.get("type")) and one["type"] not in TYPES),
            atomic_sets=not _any(old_schemas, has_set_fault),
            map_keys=not _any(old_schemas, lambda one: bool([*keyed_list_faults(one, "")])),
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
    parts: list[Any] = [schema.get("items"), schema.get("not"), schema.get("additionalProperties"), schema.get("additionalItems")]
    for name in ("allOf", "anyOf", "oneOf", "items"):
        parts += schema[name] if isinstance(schema.get(name), list) else []
    for name in ("properties", "patternProperties", "definitions", "dependencies"):
        parts += (schema.get(name) or {}).values()
    for part in parts:
        if isinstance(part, Mapping):
            yield from below(part)


def _any(schemas: list[Schema], test: Callable[[Schema], bool]) -> bool:
    return any(test(one) for schema in schemas for one in below(schema))


def _spec_faults(spec: InternalSpec, demands: Demands) -> Iterator[FieldError]:
    yield from _group_faults(spec.spec)
    schemas = list(spec.schemas())
    if not spec.preserves_unknown:
        demands = replace(demands, structural=True)
    yield from _schema_presence(spec, demands)
    if _any(schemas, lambda one: one.get("default") is not None):
        demands = replace(demands, structural=True)
        if spec.preserves_unknown:
            yield invalid("spec.preserveUnknownFields", True, "must be false in order to use defaults in the schema")
    if _any(schemas, _has_extension):
        demands = replace(demands, structural=True)
    yield from _version_faults(spec, demands)
    yield from _versions_faults(spec)
    yield from _names_faults(spec)
    yield from _shared_faults(spec, demands)
    conversion = spec.spec.get("conversion")
    if conversion is not None and conversion.get("strategy") != "None" and spec.preserves_unknown:
        text = "must be None if spec.preserveUnknownFields is true"
        yield invalid("spec.conversion.strategy", conversion.get("strategy") or "", text)
    yield from conversion_faults(
        conversion,
        "spec.conversion",
        needs_known_review=demands.known_review,
        allows_bad_bundle=demands.allows_bad_bundle,
    )


def _has_extension(schema: Schema) -> bool:
    given = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type")
    return any(schema.get(name) for name in _EXTENSIONS) or any(schema.get(name) is not None for name in given)


def _group_faults(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    group, scope = spec.get("group") or "", spec.get("scope") or ""
    if not group:
        yield required("spec.group")
    elif wrong := dns_subdomain(group):
        yield invalid("spec.group", group, ",".join(wrong))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")
    if not scope:
        yield required("spec.scope")
    elif scope not in ("Cluster", "Namespaced"):
        yield not_supported("spec.scope", scope, ("Cluster", "Namespaced"))


def _schema_presence(spec: InternalSpec, demands: Demands) -> Iterator[FieldError]:
    if (spec.validation or {}).get("openAPIV3Schema") is not None:
        return
    for index, version in enumerate(spec.versions):
        if (version.get("schema") or {}).get("openAPIV3Schema") is not None:
            continue
        path = f"spec.versions[{index}].schema.openAPIV3Schema"
        if demands.schemas:
            yield required(path)
        elif not spec.preserves_unknown and version.get("served"):
            yield required(path, "because otherwise all fields are pruned")


def _version_faults(spec: InternalSpec, demands: Demands) -> Iterator[FieldError]:
    for index, version in enumerate(spec.versions):
        path, name = f"spec.versions[{index}]", version.get("name") or ""
        if wrong := dns_1035_label(name):
            yield invalid(f"{path}.name", name, ",".join(wrong))
        yield from deprecation_faults(version, f"{path}.deprecationWarning")
        subresources = spec.shared.get("subresources") or version.get("subresources") or {}
        has_status = subresources.get("status") is not None
        yield from _validation_faults(
            version.get("schema"), f"{path}.schema", demands, has_status=has_status, is_unchanged=name in demands.unchanged
        )
        yield from subresource_faults(version.get("subresources"), f"{path}.subresources")
        yield from column_faults(version.get("additionalPrinterColumns"), f"{path}.additionalPrinterColumns")
        if fields := version.get("selectableFields"):
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if schema is None:
                text = "may only be set when `version.schema.openAPIV3Schema` is not included"
                yield invalid(f"{path}.selectableFields", "", text)
            else:
                many = name in demands.many_selectable
                yield from selectable_faults(fields, schema, f"{path}.selectableFields", allows_many=many)


def _versions_faults(spec: InternalSpec) -> Iterator[FieldError]:
    names = [version.get("name") or "" for version in spec.versions]
    if len(set(names)) < len(names):
        yield invalid("spec.versions", raw(versions_form(spec.versions)), "must contain unique version names")
    if sum(bool(version.get("storage")) for version in spec.versions) != 1:
        text = "must have exactly one version marked as storage version"
        yield invalid("spec.versions", raw(versions_form(spec.versions)), text)
    if names and names[0] and (wrong := dns_1035_label(names[0])):
        yield invalid("spec.version", names[0], ",".join(wrong))


def _names_faults(spec: InternalSpec) -> Iterator[FieldError]:
    for name in ("plural", "singular", "kind", "listKind"):
        if not spec.names.get(name):
            yield required(f"spec.names.{name}")
    yield from name_faults(spec.names, "spec.names")


def _shared_faults(spec: InternalSpec, demands: Demands) -> Iterator[FieldError]:
    holders = (spec.shared, *spec.versions)
    has_status = any((one.get("subresources") or {}).get("status") is not None for one in holders)
    first = spec.versions[0].get("name") if spec.versions else ""
    yield from _validation_faults(
        spec.validation, "spec.validation", demands, has_status=has_status, is_unchanged=first in demands.unchanged
    )
    yield from subresource_faults(spec.shared.get("subresources"), "spec.subresources")
    yield from column_faults(spec.shared.get("additionalPrinterColumns"), "spec.additionalPrinterColumns")
    if fields := spec.shared.get("selectableFields"):
        if spec.validation is None:
            yield invalid("spec.selectableFields", "", "may only be set when validations.schema is included")
        else:
            schema = spec.validation.get("openAPIV3Schema") or {}
            yield from selectable_faults(fields, schema, "spec.selectableFields", allows_many="" in demands.many_selectable)


def _validation_faults(
    holder: Mapping[str, Any] | None, path: str, demands: Demands, *, has_status: bool, is_unchanged: bool
) -> list[FieldError]:
    schema = (holder or {}).get("openAPIV3Schema")
    if schema is None:
        return []
    where = f"{path}.openAPIV3Schema"
    errors = [*(_root_faults(schema, where) if has_status else ())]
    if schema.get("nullable"):
        errors.append(forbidden(f"{where}.nullable", "nullable cannot be true at the root"))
    why, compiler = "", None
    if demands.structural:
        why = unreadable(schema)
        wrong = [] if why else structural_faults(schema, where)
        if not why and not wrong:
            wrong = default_faults(schema, where, needs_pruned=demands.pruned_defaults)
        errors += wrong
        if not why and not wrong and _any([schema], lambda one: bool(one.get("x-kubernetes-validations"))):
            compiler = RuleCompiler(checks_cost=not is_unchanged)
    errors += SchemaRules(demands.ratchet, compiler).faults(schema, where)
    if not errors and why:
        errors.append(invalid(where, "", why))
    if compiler is not None:
        errors += compiler.total_faults(where)
    return errors


def _root_faults(schema: Schema, path: str) -> Iterator[FieldError]:
    """Say what may not stand at the root where the status has a schema of its own."""
    for name in given_fields(schema):
        if name == "Type":
            if schema["type"] != "object":
                text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
                yield invalid(f"{path}.type", schema["type"], text)
                return
        elif name not in _AT_ROOT:
            text = f"only [{' '.join(_AT_ROOT)}] fields are allowed at the root of the schema"
            yield invalid(path, raw(schema_form(schema)), f"{text} if the status subresource is enabled")
            return


def _status_faults(crd: Definition) -> Iterator[FieldError]:
    status = crd.get("status") or {}
    yield from name_faults(status.get("acceptedNames") or {}, "status.acceptedNames")
    path, stored = "status.storedVersions", status.get("storedVersions") or []
    if not stored:
        yield invalid(path, None, "must have at least one stored version")
        return
    versions = (crd.get("spec") or {}).get("versions") or ()
    for version in versions:
        if version.get("storage") and version.get("name") not in stored:
            yield invalid(path, stored, f"must have the storage version {version.get('name')}")
    names = [version.get("name") for version in versions]
    for index, name in enumerate(stored):
        if name not in names and name not in stored[index + 1 :]:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions "
                f"until a storage migration ensures no data remains persisted in {name} and removes {name} from "
                "status.storedVersions"
            )
            yield invalid(f"{path}[{index}]", name, text)


def _last_faults(crd: Definition, old: Definition | None) -> Iterator[FieldError]:
    yield from approval_faults(crd, old)
    was_preserving = old is not None and (old.get("spec") or {}).get("preserveUnknownFields")
    if not was_preserving and (crd.get("spec") or {}).get("preserveUnknownFields"):
        text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        yield invalid("spec.preserveUnknownFields", True, text)
