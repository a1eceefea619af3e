"""The strategy of built-in kinds: read by Go's types, kept apart by the table of traits, judged by each kind's rules.

`rules` has what single kinds do beyond that; a kind that is not there has nothing special.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.apply.builtin import builtin_field_manager
from konverge.cluster.apiserver.apply.field_manager import FieldManager
from konverge.cluster.apiserver.apply.openapi_types import OpenApiTypes
from konverge.cluster.apiserver.builtin import admission, catalogue, rules, warnings
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.allocation import ServiceAllocation
from konverge.cluster.apiserver.builtin.allocation.recorder import Recorder
from konverge.cluster.apiserver.builtin.catalogue import ApiResource
from konverge.cluster.apiserver.builtin.conversion import conversion_of
from konverge.cluster.apiserver.builtin.disabled_fields import drop_disabled_fields, pod_spec_path
from konverge.cluster.apiserver.builtin.go_empties import drop_empties
from konverge.cluster.apiserver.builtin.go_finding import Converted, Found, Place
from konverge.cluster.apiserver.builtin.go_scalar import GoType
from konverge.cluster.apiserver.builtin.go_type import Struct, type_of
from konverge.cluster.apiserver.builtin.kind_traits import (
    STARTS_UNCOUNTED,
    KindTraits,
    NameRule,
    StatusMetadata,
    kind_traits,
)
from konverge.cluster.apiserver.builtin.rules.address import canonical_address_fault
from konverge.cluster.apiserver.builtin.rules.author import AuthorRule
from konverge.cluster.apiserver.builtin.rules.kind_rules import EmptyPath
from konverge.cluster.apiserver.builtin.schema_errors import schema_errors
from konverge.cluster.apiserver.builtin.schemas import schemas
from konverge.cluster.apiserver.failure import bad_request
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject, Strategy

Settle = Callable[[Recorder, JsonObject | None, JsonObject | None], None]
_KEPT_BY_STATUS: Final = ("labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp", "generation")
_STANDARD_FINALIZERS: Final = ("kubernetes", "orphan", "foregroundDeletion")


class BuiltinStrategy(Strategy):
    """One built-in kind in one version."""

    def __init__(self, group: str, version: str, kind: str) -> None:
        self._group, self._version, self._kind = group, version, kind
        self._traits: KindTraits = kind_traits(group, kind)
        self.creates_on_update = self._traits.creates_on_update
        self.allows_unconditional_update = self._traits.allows_unconditional_update
        self.has_generation = bool(self._traits.counted)
        self.returns_deleted = self._traits.returns_deleted
        self.propagation = self._traits.propagation
        self.judges_metadata = self._traits.judges_metadata
        self._conversion = conversion_of(group, version, kind)
        self.converts = self._conversion is not None
        self.reads_as_stored = self._conversion is None
        self._warn = warnings.of(group, kind)
        self._pod_spec_path = pod_spec_path(group, kind)
        self._plugins = admission.of(group, kind)
        allocation = ServiceAllocation() if (group, kind) == ("", "Service") else None
        # None where a kind has no such thing, which most have not: then nothing is made ready for it.
        self.admit: Callable[[Admission], None] | None = self._run_plugins if self._plugins else None
        self._judges = admission.judges_of(group, kind)
        self.judge: Callable[[Admission], None] | None = self._run_judges if self._judges else None
        self.begin: Callable[[Admission], None] | None = allocation.begin if allocation else None
        self.settle: Settle | None = allocation.settle if allocation else None

    @property
    def _api_version(self) -> str:
        return f"{self._group}/{self._version}" if self._group else self._version

    @cached_property
    def _type(self) -> GoType:
        name = catalogue.schema_name(self._group, self._version, self._kind)
        if name is None:
            raise ValueError(f"{self._kind} of {self._api_version} is not built in")
        return type_of(name)

    @cached_property
    def field_manager(self) -> FieldManager:
        """Keeps managedFields; made for the first write."""
        components = _components(self._group, self._kind)
        convert = self._convert if len(components) > 1 else None
        return builtin_field_manager(
            self._kind, self._api_version, types=_types(), components=components, convert=convert
        )

    def _convert(self, value: JsonObject, api_version: str) -> JsonObject:
        """Return an object in another version of its group."""
        for version, is_wanted in ((value["apiVersion"], False), (api_version, True)):
            group, _, name = version.rpartition("/")
            conversion = conversion_of(group, name, self._kind)
            if conversion is not None and value["apiVersion"] != api_version:
                value = conversion.from_storage(value) if is_wanted else conversion.to_storage(value)
        return value

    # --- reading ---

    def prune(self, value: JsonObject) -> list[str]:
        """Drop what Go's type does not have, and normalize the rest."""
        return self._read(value, Found())

    def prune_converted(self, value: JsonObject) -> list[str]:
        """Do the same for the result of a strategic merge patch, which another decoder reads."""
        return sorted(self._read(value, Converted()))  # that decoder tells them in this order

    def _read(self, value: JsonObject, found: Found) -> list[str]:
        finder = rules.of(self._group, self._kind).refused_empties
        empties = [] if finder is None else finder(value)
        self._type.read(value, Place(), found)
        if found.error:
            raise bad_request(found.error)
        for path in empties:
            _keep_empty(value, path)
        return found.unknown

    def default(self, value: JsonObject) -> None:
        """Put in what Go always writes, and the kind's defaults."""
        value.setdefault("metadata", {})
        self._type.fill(value)
        if self._conversion is not None:
            # Defaults may stand in the stored form alone, and what that form cannot hold is gone.
            converted = self._conversion.from_storage(self._conversion.to_storage(value))
            value.clear()
            value.update(converted)

    def _run_plugins(self, attempt: Admission) -> None:
        for plugin in self._plugins:
            plugin(attempt)

    def _run_judges(self, attempt: Admission) -> None:
        for plugin in self._judges:
            plugin(attempt)

    # --- what a request may change ---

    def outdated(self, value: JsonObject) -> list[str]:
        """Say what a new object has in a form of old, which `prepare_for_create` brings into today's."""
        extra = rules.of(self._group, self._kind).outdated
        return [] if extra is None else extra(value)

    def prepare_for_create(self, value: JsonObject) -> None:
        """Drop the status, and begin to count."""
        if self._traits.drops_status and "status" in value and self._has_status:
            value["status"] = {}
            self._type.fill_part(value, "status")
        metadata = value["metadata"]
        if self.has_generation and (self._group, self._kind) not in STARTS_UNCOUNTED:
            metadata["generation"] = 1
        if self._pod_spec_path:
            drop_disabled_fields(value, None, self._pod_spec_path)
        if (extra := rules.of(self._group, self._kind).prepare_for_create) is not None:
            extra(value)

    @property
    def _has_status(self) -> bool:
        return _has_status(self._group, self._version, self._kind)

    def prepare_for_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> None:
        """Take from the old object what this request may not change, and count."""
        if subresource == "status":
            self._keep_all_but_status(value, old)
        elif self._has_status and not subresource:
            _keep(value, old, "status")
        if self._pod_spec_path and subresource != "status":
            drop_disabled_fields(value, old, self._pod_spec_path)
        if (extra := rules.of(self._group, self._kind).prepare_for_update) is not None:
            extra(value, old, subresource)
        if not subresource and self._is_counted(value, old):
            value["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def _keep_all_but_status(self, value: JsonObject, old: JsonObject) -> None:
        for name in {**value, **old}:
            if name not in ("metadata", "status"):
                _keep(value, old, name)
        kept = self._traits.status_metadata
        if kept is StatusMetadata.NOTHING:
            for name in _KEPT_BY_STATUS:
                _keep(value["metadata"], old["metadata"], name)
        elif kept is StatusMetadata.NOT_LABELS:
            _keep(value["metadata"], old["metadata"], "labels")
        elif kept is StatusMetadata.NOT_OWNERS:
            _keep(value["metadata"], old["metadata"], "ownerReferences")

    def _is_counted(self, value: JsonObject, old: JsonObject) -> bool:
        if self._traits.counted:
            drop_empties(self._type, value)  # absent and empty are one to Go, and the old one has been stored
        return any(not _is_same_at(value, old, path) for path in self._traits.counted)

    def canonicalize(self, value: JsonObject) -> None:
        """Bring an accepted object into the form in which it is stored."""
        drop_empties(self._type, value)
        if (extra := rules.of(self._group, self._kind).canonicalize) is not None:
            extra(value)

    # --- judging ---

    @property
    def author_errors(self) -> AuthorRule | None:
        """How an object is judged by who writes it, and by the subresource that is written; None for most kinds."""
        return rules.of(self._group, self._kind).author_errors

    def validate(self, value: JsonObject) -> list[FieldError]:
        """Judge a new object by the kind's rules."""
        errors = _finalizer_errors(value["metadata"])
        extra = rules.of(self._group, self._kind).validate
        return errors + (self._schema_errors(value) if extra is None else extra(value))

    def _schema_errors(self, value: JsonObject) -> list[FieldError]:
        kind = self._type
        if not isinstance(kind, Struct) or "spec" not in kind.fields or "spec" not in value:
            return []
        return list(schema_errors(kind.fields["spec"].kind, value["spec"], "spec"))

    def validate_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> list[FieldError]:
        """Judge an object that replaces another by the kind's rules."""
        errors = _finalizer_errors(value["metadata"])
        extra = rules.of(self._group, self._kind).validate_update
        if extra is not None:
            return errors + extra(value, old, subresource)
        return errors if subresource == "status" else errors + self._schema_errors(value)

    def warnings(self, value: JsonObject) -> list[str]:
        """Say what the author of a new object should know."""
        return [] if self._warn is None else self._warn(value, None)

    def update_warnings(self, value: JsonObject, old: JsonObject) -> list[str]:
        """Say what the author of a change should know."""
        return [] if self._warn is None else self._warn(value, old)

    def status_warnings(self, value: JsonObject) -> list[str]:
        """Say what the author of a status should know."""
        return warnings.of_status(self._group, self._kind, value)

    def validate_name(self, name: str, *, is_prefix: bool = False) -> list[str]:
        """Judge a name."""
        if self._traits.name_rule is NameRule.PATH_SEGMENT:
            return name_rules.path_segment(name, is_prefix=is_prefix)
        if self._traits.name_rule is NameRule.ADDRESS:
            return [fault] if (fault := canonical_address_fault(name)) else []
        whole = name_rules.before_suffix(name) if is_prefix else name
        if self._traits.name_rule is NameRule.LABEL:
            return name_rules.dns_label(whole)
        return name_rules.dns_subdomain(whole)

    # --- storage ---

    def to_storage(self, value: JsonObject) -> JsonObject:
        """Return an object in the form in which it is stored."""
        return value if self._conversion is None else self._conversion.to_storage(value)

    def from_storage(self, value: JsonObject) -> JsonObject:
        """Return a stored object in this strategy's form."""
        return value if self._conversion is None else self._conversion.from_storage(value)

    # --- deletion ---

    def grace(self, value: JsonObject, asked: int | None) -> int | None:
        """Return the seconds that an object has to end; None where its kind does not end gracefully."""
        extra = rules.of(self._group, self._kind).grace
        return None if extra is None else extra(value, asked)

    def may_end(self, value: JsonObject) -> bool:
        """Whether an object without finalizers that is being deleted can go."""
        extra = rules.of(self._group, self._kind).may_end
        return True if extra is None else extra(value)


def _keep(value: JsonObject, old: JsonObject, name: str) -> None:
    if name in old:
        value[name] = old[name]
    else:
        value.pop(name, None)


def _keep_empty(value: JsonObject, path: EmptyPath) -> None:
    *outer, name = path
    for step in outer:
        value = value[step]
    value.setdefault(name, [])


def _is_same_at(value: JsonObject, old: JsonObject, path: str) -> bool:
    if path == "*":
        return all(json_equal(value.get(name), old.get(name)) for name in {**value, **old} if name != "metadata")
    left: Any = value
    right: Any = old
    for step in path.split("."):
        left, right = (left or {}).get(step), (right or {}).get(step)
    return json_equal(left or None, right or None)  # absent and empty are one to Go


def _finalizer_errors(metadata: JsonObject) -> list[FieldError]:
    text = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        field_error.invalid(f"metadata.finalizers[{index}]", name, text)
        for index, name in enumerate(metadata.get("finalizers", ()))
        if "/" not in name and name not in _STANDARD_FINALIZERS
    ]


@cache
def _types() -> OpenApiTypes:
    return OpenApiTypes(schemas())


@cache
def _has_status(group: str, version: str, kind: str) -> bool:
    return any(
        found.name.endswith("/status") and found.kind == kind for found in catalogue.api_resources(group, version)
    )


@cache
def _components(group: str, kind: str) -> dict[str, str]:
    """The schemas of a kind by the API versions that serve it."""
    found = {}
    versions = next((each.versions for each in catalogue.groups() if each.name == group), ("v1",))
    for version in versions:
        if (name := catalogue.schema_name(group, version, kind)) is not None:
            found[f"{group}/{version}" if group else version] = name
    return found


def strategy_of(group: str, version: str, resource: ApiResource) -> Strategy:
    """Return the strategy of a built-in resource."""
    own = BuiltinStrategy(resource.group or group, resource.version or version, resource.kind)
    if (group, resource.name) != ("apiextensions.k8s.io", "customresourcedefinitions"):
        return own
    from konverge.cluster.apiserver.crd.definition_strategy import DefinitionStrategy  # noqa: PLC0415 - it is large

    return DefinitionStrategy(own)
