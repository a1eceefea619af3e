"""Validation of CustomResourceDefinitions: all that the real server asks of one, in its words and order.

An update is not refused for what the old definition had wrong already (`Demands`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from konverge.cluster.apiserver.crd.approval import approval_faults
from konverge.cluster.apiserver.crd.conversion_rules import conversion_faults
from konverge.cluster.apiserver.crd.default_rules import default_faults
from konverge.cluster.apiserver.crd.demands import Demands, any_schema, update_demands
from konverge.cluster.apiserver.crd.go_form import given_fields, raw, schema_form, versions_form
from konverge.cluster.apiserver.crd.internal_spec import InternalSpec, internal_spec
from konverge.cluster.apiserver.crd.names import name_faults
from konverge.cluster.apiserver.crd.rule_compiler import RuleCompiler
from konverge.cluster.apiserver.crd.schema_rules import SchemaRules
from konverge.cluster.apiserver.crd.structural_rules import structural_faults, unreadable
from konverge.cluster.apiserver.crd.version_rules import (
    column_faults,
    deprecation_faults,
    selectable_faults,
    subresource_faults,
)
from konverge.cluster.apiserver.field_error import FieldError, forbidden, invalid, not_supported, required
from konverge.cluster.apiserver.name_rules import dns_1035_label, dns_subdomain

Definition = Mapping[str, Any]
Schema = Mapping[str, Any]
_AT_ROOT = (
    *("Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum"),
    *("MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items"),
    *("Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations"),
)
_IF_STATUS = "if the status subresource is enabled"
_EXTENSIONS = (
    *("x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys"),
    "x-kubernetes-validations",
)


def definition_faults(crd: Definition) -> list[FieldError]:
    """Say what is wrong with a new definition; of its metadata only whether it is named as it must be."""
    spec = internal_spec(crd.get("spec") or {})
    errors = [*_object_name_faults(crd, spec), *_spec_faults(spec, Demands())]
    return [*errors, *_status_faults(crd), *_last_faults(crd, None)]


def definition_update_faults(crd: Definition, old: Definition) -> list[FieldError]:
    """Say what is wrong with a definition that replaces another, beside its metadata."""
    spec, old_spec = internal_spec(crd.get("spec") or {}), internal_spec(old.get("spec") or {})
    demands = update_demands(spec, old_spec, old)
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


def _object_name_faults(crd: Definition, spec: InternalSpec) -> Iterator[FieldError]:
    wanted = f"{spec.names.get('plural') or ''}.{spec.spec.get('group') or ''}"
    for field in ("generateName", "name"):
        name = (crd.get("metadata") or {}).get(field) or ""
        if name and name != wanted:
            yield invalid(f"metadata.{field}", name, 'must be spec.names.plural+"."+spec.group')


def _at(spec: Mapping[str, Any], place: tuple[str, ...]) -> str:
    value: Any = spec
    for name in place:
        value = (value or {}).get(name)
    return value or ""


def _spec_faults(spec: InternalSpec, demands: Demands) -> Iterator[FieldError]:
    yield from _group_faults(spec.spec)
    schemas = list(spec.schemas())
    if not spec.preserves_unknown:
        demands = replace(demands, structural=True)
    yield from _schema_presence(spec, demands)
    if any_schema(schemas, lambda one: one.get("default") is not None):
        demands = replace(demands, structural=True)
        if spec.preserves_unknown:
            yield invalid("spec.preserveUnknownFields", True, "must be false in order to use defaults in the schema")
    if any_schema(schemas, _has_extension):
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
            version.get("schema"),
            f"{path}.schema",
            demands,
            has_status=has_status,
            is_unchanged=name in demands.unchanged,
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
                if why := unreadable(schema):
                    yield invalid(f"{path}.schema.openAPIV3Schema", "", why)
                yield from selectable_faults(fields, schema, f"{path}.selectableFields", allows_many=many)


def _versions_faults(spec: InternalSpec) -> Iterator[FieldError]:
    names = [version.get("name") or "" for version in spec.versions]
    shown = None if spec.spec.get("versions") is None else raw(versions_form(spec.versions))
    if len(set(names)) < len(names):
        yield invalid("spec.versions", shown, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in spec.versions) != 1:
        text = "must have exactly one version marked as storage version"
        yield invalid("spec.versions", shown, text)
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
            if why := unreadable(schema):
                yield invalid("spec.schema.openAPIV3Schema", "", why)
            yield from selectable_faults(
                fields, schema, "spec.selectableFields", allows_many="" in demands.many_selectable
            )


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
        if not why and not wrong and any_schema([schema], lambda one: bool(one.get("x-kubernetes-validations"))):
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
                text = f'only "object" is allowed as the type at the root of the schema {_IF_STATUS}'
                yield invalid(f"{path}.type", schema["type"], text)
                return
        elif name not in _AT_ROOT:
            text = f"only [{' '.join(_AT_ROOT)}] fields are allowed at the root of the schema"
            yield invalid(path, raw(schema_form(schema)), f"{text} {_IF_STATUS}")
            return


def _status_faults(crd: Definition) -> Iterator[FieldError]:
    status = crd.get("status") or {}
    yield from name_faults(status.get("acceptedNames") or {}, "status.acceptedNames")
    path, stored = "status.storedVersions", status.get("storedVersions") or []
    if not stored:
        yield invalid(path, None, "must have at least one stored version")
        return
    versions = (crd.get("spec") or {}).get("versions") or ()
    left = dict.fromkeys(stored)
    for version in versions:
        if version.get("storage") and version.get("name") not in left:
            yield invalid(path, stored, f"must have the storage version {version.get('name')}")
        left.pop(version.get("name"), None)  # so a name that stands there twice is missed the second time
    names = [version.get("name") for version in versions]
    for index, name in enumerate(stored):
        if name not in names and name not in stored[index + 1 :]:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions"
                f" until a storage migration ensures no data remains persisted in {name} and removes {name}"
                " from status.storedVersions"
            )
            yield invalid(f"{path}[{index}]", name, text)


def _last_faults(crd: Definition, old: Definition | None) -> Iterator[FieldError]:
    yield from approval_faults(crd, old)
    was_preserving = old is not None and (old.get("spec") or {}).get("preserveUnknownFields")
    if not was_preserving and (crd.get("spec") or {}).get("preserveUnknownFields"):
        text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        yield invalid("spec.preserveUnknownFields", True, text)
