"""DefinitionStrategy: how CustomResourceDefinitions themselves are written.

What their fields may be is the decoder's matter (a strategy made from the schema of the kind); what they mean is here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from konverge.api.json_value import json_copy, json_equal
from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.crd import conditions
from konverge.cluster.apiserver.crd.definition_validation import (
    definition_faults,
    definition_update_faults,
    status_update_faults,
)
from konverge.cluster.apiserver.crd.demands import below
from konverge.cluster.apiserver.crd.internal_spec import internal_spec
from konverge.cluster.apiserver.crd.schema_reading import read_schemas
from konverge.cluster.apiserver.failure import bad_request
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import before_suffix, dns_subdomain
from konverge.cluster.apiserver.schema.formats import known_format
from konverge.cluster.apiserver.strategy import JsonObject, Strategy

CLEANUP: Final = (
    "customresourcecleanup.apiextensions.k8s.io"  # the finalizer that holds a CRD until its objects are gone
)


class DefinitionStrategy(Strategy):
    """The strategy of CustomResourceDefinition; `decoder` reads its fields, and knows nothing of their meaning."""

    allows_unconditional_update = False
    has_generation = True
    marks_deletion = True  # its objects go first

    def __init__(self, decoder: Strategy | None = None) -> None:
        self._decoder = decoder or Strategy()

    @property
    def field_manager(self) -> FieldManager | None:
        """Who keeps the record of owned fields."""
        return self._decoder.field_manager

    def prune_converted(self, value: JsonObject) -> list[str]:
        """Read what a strategic merge patch gave."""
        return self._decoder.prune_converted(value)

    def prune(self, value: JsonObject) -> list[str]:
        """Read the fields, and the schemas to their bottom."""
        spec = value.get("spec")
        has_none = isinstance(spec, dict) and spec.get("versions") == []
        unknown = self._decoder.prune(value)
        if has_none:  # the decoder takes an empty list for none; a refusal tells them apart
            value["spec"]["versions"] = []
        if fault := read_schemas(value):
            raise bad_request(fault)
        return unknown

    def default(self, value: JsonObject) -> None:
        """Fill in the names that follow from the kind, the conversion, and the first stored version."""
        self._decoder.default(value)
        spec = value.setdefault("spec", {})
        names = spec.setdefault("names", {})
        kind = names.get("kind") or ""
        if not names.get("singular"):
            names["singular"] = kind.lower()
        if not names.get("listKind") and kind:
            names["listKind"] = f"{kind}List"
        if spec.get("conversion") is None:
            spec["conversion"] = {"strategy": "None"}
        _forget_silent_webhook(spec["conversion"], lambda said: said is None)
        service = ((spec["conversion"].get("webhook") or {}).get("clientConfig") or {}).get("service")
        if service is not None:
            service.setdefault("port", 443)
        status = value.setdefault("status", {})
        if not status.get("storedVersions"):
            _add_stored(value)

    def canonicalize(self, value: JsonObject) -> None:
        """Store no webhook of which nothing is said: an empty list is none there."""
        _forget_silent_webhook(value["spec"]["conversion"], lambda said: said is None or said == [])

    def prepare_for_create(self, value: JsonObject) -> None:
        """Start with an empty status, but for the version that is stored."""
        value.setdefault("metadata", {})["generation"] = 1
        value["status"] = {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": []}
        _add_stored(value)

    def prepare_for_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> None:
        """Keep the status, or with the subresource the spec; count the changes of the spec."""
        if subresource == "status":
            value["spec"] = old["spec"]
            return
        value["status"] = json_copy(old.get("status") or {})
        if not json_equal(value.get("spec"), old.get("spec")):
            value["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1
        _add_stored(value)

    def validate(self, value: JsonObject) -> list[FieldError]:
        """Say what is wrong with a new definition."""
        return definition_faults(value)

    def validate_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> list[FieldError]:
        """Say what is wrong with a change; what was wrong before is let pass where the real server does so."""
        if subresource == "status":
            return status_update_faults(value)
        return definition_update_faults(value, old)

    def validate_name(self, name: str, *, is_prefix: bool = False) -> list[str]:
        """A DNS subdomain; that it names plural and group is for `validate` to say, which sees the object."""
        return dns_subdomain(before_suffix(name) if is_prefix else name)

    def warnings(self, value: JsonObject) -> list[str]:
        """Name the formats that mean nothing."""
        return [f"unrecognized format {quoted(name)}" for name in _unknown_formats(value)]

    def update_warnings(self, value: JsonObject, old: JsonObject) -> list[str]:
        """Name the formats that mean nothing and are new."""
        before = _unknown_formats(old)
        return [f"unrecognized format {quoted(name)}" for name in _unknown_formats(value) if name not in before]

    def begin_delete(self, value: JsonObject) -> None:
        """Mark a definition for deletion, in place: its objects go first."""
        metadata = value["metadata"]
        metadata.setdefault("deletionTimestamp", format_time(now()))
        metadata.pop("deletionGracePeriodSeconds", None)  # no other kind is marked without it
        if CLEANUP not in (metadata.get("finalizers") or ()):
            metadata["finalizers"] = [*(metadata.get("finalizers") or ()), CLEANUP]
        message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
        conditions.put(value, "Terminating", "True", reason="InstanceDeletionPending", message=message)


def _add_stored(value: JsonObject) -> None:
    """Add the storage version to the stored ones: from now on objects may be stored in it."""
    stored: list[str] = value["status"].get("storedVersions") or []
    storage = [version.get("name") for version in value["spec"].get("versions") or () if version.get("storage")]
    if storage and storage[0] not in stored:
        stored = [*stored, storage[0]]
    value["status"]["storedVersions"] = stored


def _unknown_formats(value: JsonObject) -> list[str]:
    found = []
    for schema in internal_spec(value.get("spec") or {}).schemas():
        for one in below(schema):
            name, kind = one.get("format") or "", one.get("type") or ""
            if name and not known_format(name, (kind,)):
                found.append(name)
    return found


def _forget_silent_webhook(conversion: JsonObject, is_nothing: Callable[[Any], bool]) -> None:
    if all(map(is_nothing, (conversion.get("webhook") or {}).values())):
        conversion.pop("webhook", None)
