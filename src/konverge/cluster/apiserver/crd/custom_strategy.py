"""CustomStrategy: how the objects of one version of a CRD are written and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from konverge.api.json_value import json_copy, json_equal
from konverge.cluster.apiserver.apply.custom import custom_field_managers
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.crd.scale_rules import scale_faults
from konverge.cluster.apiserver.crd.webhook_conversion import WebhookConversion
from konverge.cluster.apiserver.failure import bad_request
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import before_suffix, dns_subdomain, qualified_name
from konverge.cluster.apiserver.schema.default import apply_defaults
from konverge.cluster.apiserver.schema.embedded import Uncoercible, coerce
from konverge.cluster.apiserver.schema.prune import prune
from konverge.cluster.apiserver.schema.rules import check_rules
from konverge.cluster.apiserver.schema.structural import Structural, structural
from konverge.cluster.apiserver.schema.validate import list_errors, validate, value_errors
from konverge.cluster.apiserver.strategy import JsonObject, Strategy

_STANDARD_FINALIZERS: Final = ("foregroundDeletion", "kubernetes", "orphan")
_TERMINATING: Final = "create not allowed while custom resource definition is terminating"
_PREFER: Final = "to avoid accidental conflicts with other finalizer writers"


class Family:
    """What the versions of one CRD share: all their schemas, since objects are stored in one and read in another.

    A schema is read when it is first needed: a server with many CRDs is to start at once.
    """

    def __init__(self, crd: Mapping[str, Any], conversion: WebhookConversion | None = None) -> None:
        self.crd = crd
        self.conversion = conversion  # None: only the name of the version changes
        self._versions = {version["name"]: version for version in crd["spec"]["versions"]}
        self._nodes: dict[str, Structural | None] = {}
        self._managers: dict[str, FieldManager] | None = None
        # Whether all that is stored was written by one schema: the only one, and never changed.
        self.is_uniform = len(self._versions) == 1 and (crd["metadata"].get("generation") or 0) <= 1

    def is_of(self, crd: Mapping[str, Any]) -> bool:
        """Whether another state of the CRD defines the same."""
        one, other = self.crd, crd
        return bool(one["spec"] == other["spec"]) and one["metadata"].get("uid") == other["metadata"].get("uid")

    def node(self, version: str) -> Structural | None:
        """Return the schema of a version; None where nothing is known of its fields."""
        if version not in self._nodes:
            found = self._versions.get(version)
            self._nodes[version] = None if found is None else _node(found)
        return self._nodes[version]

    def manager(self, version: str) -> FieldManager | None:
        """Return the field manager of a version; they are made together, when the first is asked for."""
        if self._managers is None:
            convert = None if self.conversion is None else self.conversion.converted
            self._managers = custom_field_managers(dict(self.crd), convert)
        return self._managers.get(version)


def _node(version: Mapping[str, Any]) -> Structural | None:
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if schema is None:
        return None
    node = structural(schema)
    _prune_defaults(node)
    return node


def _prune_defaults(node: Structural) -> None:
    """Reduce the metadata of embedded objects in defaults to what metadata has."""
    if not node.has_embedded:
        return
    if node.default is not None:
        node.default = json_copy(node.default)
        coerce(node.default, node, is_root=node.is_embedded)
    for child in node.below():
        _prune_defaults(child)


class CustomStrategy(Strategy):
    """The strategy of one version."""

    allows_unconditional_update = False
    has_generation = True

    def __init__(self, family: Family, version: Mapping[str, Any], *, is_terminating: bool = False) -> None:
        spec = family.crd["spec"]
        self.family = family
        self._version: str = version["name"]
        self._group: str = spec["group"]
        self._kind: str = spec["names"]["kind"]
        self._storage: str = next(one["name"] for one in spec["versions"] if one.get("storage"))
        subresources = version.get("subresources") or {}
        self._has_status = subresources.get("status") is not None
        self._scale = subresources.get("scale")
        self.openapi_schema: Mapping[str, Any] | None = (version.get("schema") or {}).get("openAPIV3Schema")
        self.printer_columns: tuple[Mapping[str, Any], ...] = tuple(version.get("additionalPrinterColumns") or ())
        self.asks_webhook = family.conversion is not None
        self.refuses_create = _TERMINATING if is_terminating else ""
        # The object that was judged last and what its rules let pass: they are not run a second time for warnings.
        self._ratcheted: tuple[JsonObject, list[str]] = ({}, [])
        # A status that is dropped from a new object gets its defaults when it is read.
        self.reads_as_stored = family.is_uniform and not (self._has_status and _has_default(_status_of(version)))

    @property
    def structural(self) -> Structural:
        """The schema."""
        return self.family.node(self._version) or _FREE

    @property
    def field_manager(self) -> FieldManager | None:
        """Who keeps the record of owned fields."""
        return self.family.manager(self._version)

    def prune(self, value: JsonObject) -> list[str]:
        """Drop what the schema does not know; what cannot be an embedded object's metadata is refused."""
        unknown = prune(value, self.structural)
        try:
            return unknown + coerce(value, self.structural)
        except Uncoercible as error:
            raise bad_request(str(error)) from error

    def default(self, value: JsonObject) -> None:
        """Fill in the schema's defaults."""
        apply_defaults(value, self.structural)

    def prepare_for_create(self, value: JsonObject) -> None:
        """Drop the status where it is a subresource."""
        if self._has_status:
            value.pop("status", None)
        value.setdefault("metadata", {})["generation"] = 1

    def prepare_for_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> None:
        """Keep the status, or with its subresource all but the status and the record of owners."""
        if subresource == "status":
            _keep_all_but_status(value, old)
            return
        if self._has_status:
            value.pop("status", None)
            if "status" in old:
                value["status"] = old["status"]
        if not _is_same_but_metadata(value, old):
            value["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1

    def validate(self, value: JsonObject) -> list[FieldError]:
        """Say what is wrong with a new object."""
        return validate(value, self.structural, own_errors=[*scale_faults(value, self._scale)])

    def validate_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> list[FieldError]:
        """Say what is wrong with a change; what did not change is let pass."""
        if subresource == "status":
            return self._validate_status(value, old)
        own_errors = [*scale_faults(value, self._scale)]
        warnings: list[str] = []
        errors = validate(value, self.structural, old=old, own_errors=own_errors, warnings=warnings)
        self._ratcheted = (value, warnings)
        return errors

    def _validate_status(self, value: JsonObject, old: JsonObject) -> list[FieldError]:
        errors: list[FieldError] = []
        node = self.structural.properties.get("status")
        if "status" in value and node is not None:
            errors += value_errors(value["status"], node, old=old.get("status"), path="status")
        errors += scale_faults(value, self._scale, is_status=True)
        errors += list_errors(value, self.structural, old=old)
        return [*errors, *check_rules(value, self.structural, old=old, errors=errors).errors]

    def validate_name(self, name: str, *, is_prefix: bool = False) -> list[str]:
        """A DNS subdomain."""
        return dns_subdomain(before_suffix(name) if is_prefix else name)

    def warnings(self, value: JsonObject) -> list[str]:
        """Advise on the names of finalizers."""
        return self.update_warnings(value, {"metadata": {}})

    def passed_over(self, value: JsonObject) -> list[str]:
        """Tell what rules let pass as unchanged."""
        validated, ratcheted = self._ratcheted
        self._ratcheted = ({}, [])
        return ratcheted if validated is value else []

    def update_warnings(self, value: JsonObject, old: JsonObject) -> list[str]:
        """Advise on the names of new finalizers."""
        before = old["metadata"].get("finalizers") or ()
        added = sorted({name for name in value["metadata"].get("finalizers") or () if name not in before})
        return [text for name in added for text in _finalizer_warnings(name)]

    def convert(self, value: JsonObject, version: str) -> JsonObject:
        """Return an object in another version, with all that is in it."""
        api_version = f"{self._group}/{version}"
        if self.family.conversion is not None:
            return self.family.conversion.converted(value, api_version)
        return {**json_copy(value), "apiVersion": api_version}

    async def prepare_reading(self, values: Sequence[bytes]) -> None:
        """Let the webhook convert what is stored in another version."""
        if self.family.conversion is not None:
            read = [self._as_stored(msgspec.json.decode(value)) for value in values]
            await self.family.conversion.prepare(read, f"{self._group}/{self._version}")

    async def prepare_storing(self, value: JsonObject) -> None:
        """Let the webhook convert an object to the stored version."""
        await self.prepare_converting([value], self._storage)

    async def prepare_converting(self, values: Sequence[JsonObject], version: str) -> None:
        """Let the webhook convert objects."""
        if self.family.conversion is not None:
            await self.family.conversion.prepare(values, f"{self._group}/{version}")

    def to_storage(self, value: JsonObject) -> JsonObject:
        """Return the object in the stored version: conversion None changes the apiVersion, and drops what it lacks."""
        if self._version == self._storage:
            return value
        return self._converted(json_copy(value), self._storage)

    def from_storage(self, value: JsonObject) -> JsonObject:
        """Return a stored object in this version: pruned and defaulted by the version it is in, then converted."""
        value = self._as_stored(value)
        stored = value["apiVersion"].rpartition("/")[2]
        return value if stored == self._version else self._converted(value, self._version)

    def _as_stored(self, value: JsonObject) -> JsonObject:
        node = self.family.node(value["apiVersion"].rpartition("/")[2])
        if node is not None:
            prune(value, node)
            apply_defaults(value, node)
        return value

    def _converted(self, value: JsonObject, version: str) -> JsonObject:
        if self.family.conversion is not None:
            value = self.family.conversion.converted(value, f"{self._group}/{version}")
        else:
            value["apiVersion"] = f"{self._group}/{version}"
        node = self.family.node(version)
        if node is not None:
            prune(value, node)
        return value


def _status_of(version: Mapping[str, Any]) -> Any:
    schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    return (schema.get("properties") or {}).get("status")


def _has_default(schema: Any) -> bool:
    if isinstance(schema, Mapping):
        return "default" in schema or any(_has_default(item) for item in schema.values())
    return isinstance(schema, list) and any(_has_default(item) for item in schema)


_FREE: Final = structural({"type": "object", "x-kubernetes-preserve-unknown-fields": True})


def _keep_all_but_status(value: JsonObject, old: JsonObject) -> None:
    """Make an object its old one, with the new status and the record of who wrote it."""
    status, managed = value.get("status"), value.get("metadata", {}).get("managedFields")
    has_status = "status" in value
    value.clear()
    value.update(old)
    value["metadata"] = {name: item for name, item in old["metadata"].items() if name != "managedFields"}
    if managed:
        value["metadata"]["managedFields"] = managed
    value.pop("status", None)
    if has_status:
        value["status"] = status


def _is_same_but_metadata(value: JsonObject, old: JsonObject) -> bool:
    names = [name for name in value if name != "metadata"]
    return len(names) == len([name for name in old if name != "metadata"]) and all(
        name in old and json_equal(value[name], old[name]) for name in names
    )


def _finalizer_warnings(name: str) -> list[str]:
    where = f"metadata.finalizers: {quoted(name)}"
    texts = [f"{where}: {text}" for text in qualified_name(name)]
    if "/" not in name and name not in _STANDARD_FINALIZERS:
        path = " including a path (/)" if "." in name else ""
        texts.append(f"{where}: prefer a domain-qualified finalizer name{path} {_PREFER}")
    return texts
