"""The parts that every object shares: metadata, owner references, conditions, selectors, and the server's Status."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Self

from msgspec import Raw

from konverge.api.bounds import MaxLength, Minimum, MinLength, Pattern
from konverge.api.choice import Choices
from konverge.api.kind import ObjectKey
from konverge.api.markers import ListAtomic, ListMap, ListSet, MapAtomic, PatchMerge
from konverge.api.model import REDACTED, Model, Required, decode, encode, field, shown
from konverge.api.schema_marker import Int64, schema

# kubectl keeps the whole manifest here, that of a Secret with its values too.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_CONDITION_TYPE = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
_CONDITION_REASON = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"

# A quantity in the spelling of the wire; `Quantity` computes with it. The server always answers with a string, and a
# type checker sees one; a manifest may well say `cpu: 2`, so at run time a number is read, and sent, as it stands.
if TYPE_CHECKING:
    QuantityText = str
else:
    QuantityText = str | int | float


class OwnerReference(Model):
    """Names the object that this one belongs to; the garbage collector follows it."""

    api_version: Required[str] = field(default=None)
    kind: Required[str] = field(default=None)
    name: Required[str] = field(default=None)
    uid: Required[str] = field(default=None)
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ManagedFieldsEntry(Model, frozen=True):  # type: ignore[misc]  # unlike a dataclass, a struct may
    """Which fields one manager owns, and since when."""

    manager: str | None = None
    operation: str | None = None
    api_version: str | None = None
    time: datetime | None = None
    fields_type: str | None = None
    fields_v1: Any = field(name="fieldsV1", default=None)
    subresource: str | None = None


_MANAGED_FIELDS: Any = tuple[ManagedFieldsEntry, ...] | None


class ObjectMeta(Model):
    """What the server keeps about every object."""

    name: str | None = None
    generate_name: str | None = None
    namespace: str | None = None
    self_link: str | None = None
    uid: str | None = None
    resource_version: str | None = None
    generation: int | None = None
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: Annotated[list[OwnerReference] | None, ListMap("uid"), PatchMerge("uid")] = None
    finalizers: Annotated[list[str] | None, ListSet(), PatchMerge()] = None
    # Undecoded until someone asks: often half of an object, and almost nobody reads it.
    managed_fields_json: Raw = field(name="managedFields", default=None)

    @property
    def managed_fields(self) -> tuple[ManagedFieldsEntry, ...] | None:
        """Which manager owns which fields: decoded anew each time, so it cannot be changed in place, only assigned."""
        data: Raw | None = self.managed_fields_json  # unset where the author built the object, or a cache dropped it
        return None if data is None else decode(_MANAGED_FIELDS, data)

    @managed_fields.setter
    def managed_fields(self, entries: Iterable[ManagedFieldsEntry] | None) -> None:
        self.managed_fields_json = None if entries is None else Raw(encode(list(entries)))  # type: ignore[assignment]

    def __replace__(self, **changes: Any) -> Self:
        """Return a copy with these attributes changed, `managed_fields` among them."""
        if "managed_fields" not in changes:
            return super().__replace__(**changes)
        entries = changes.pop("managed_fields")
        changed = super().__replace__(**changes)
        changed.managed_fields = entries
        return changed

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        values = dict(shown(self))
        values.pop("managed_fields_json", None)  # long, and of no interest to who looks at an object
        if LAST_APPLIED in (self.annotations or ()):
            values["annotations"] = {**(self.annotations or {}), LAST_APPLIED: REDACTED}
        return list(values.items())

    @property
    def key(self) -> ObjectKey:
        """The namespace (empty for a cluster-scoped object) and name."""
        return ObjectKey(self.namespace or "", self.name or "")


class ShardInfo(Model):
    """Which part of a collection a list was asked for."""

    selector: Required[str] = field(default=None)


class ListMeta(Model):
    """What the server says about a list as a whole."""

    resource_version: str | None = None
    continue_: str | None = field(name="continue", default=None)
    remaining_item_count: int | None = None
    self_link: str | None = None
    shard_info: ShardInfo | None = None


class Condition(Model):
    """One aspect of an object's state: true, false or unknown, with the reason and since when."""

    type: Required[Annotated[str, MaxLength(316), Pattern(_CONDITION_TYPE)]] = field(default=None)
    """What it is about, in CamelCase; a domain and a slash may stand before it."""
    status: Required[Annotated[str, Choices("True", "False", "Unknown")]] = field(default=None)
    """Whether it holds: True, False or Unknown."""
    observed_generation: Annotated[Int64, Minimum(0)] | None = None
    """The metadata.generation that the condition was found for."""
    last_transition_time: Required[datetime] = field(default=None)
    """Since when the status has been what it is."""
    reason: Required[Annotated[str, MinLength(1), MaxLength(1024), Pattern(_CONDITION_REASON)]] = field(default=None)
    """Why, in one CamelCase word for programs."""
    message: Required[Annotated[str, MaxLength(32768)]] = field(default=None)
    """Why, in a sentence for people; it may be empty."""


class LabelSelectorRequirement(Model):
    """One expression of a label selector."""

    key: Required[str] = field(default=None)
    operator: Required[str] = field(default=None)
    values: Annotated[list[str] | None, ListAtomic()] = None


@schema(MapAtomic())
class LabelSelector(Model):
    """A label selector in its structured form."""

    match_labels: dict[str, str] | None = None
    match_expressions: Annotated[list[LabelSelectorRequirement] | None, ListAtomic()] = None


class FieldSelectorRequirement(Model):
    """One expression of a field selector."""

    key: Required[str] = field(default=None)
    operator: Required[str] = field(default=None)
    values: Annotated[list[str] | None, ListAtomic()] = None


class GroupResource(Model):
    """A resource by its group and plural name, as a field of an object."""

    group: Required[str] = field(default=None)
    resource: Required[str] = field(default=None)


class GroupVersionForDiscovery(Model):
    """A served version of a group."""

    group_version: Required[str] = field(default=None)
    version: Required[str] = field(default=None)


class Preconditions(Model):
    """What must still hold for a delete to happen."""

    uid: str | None = None
    resource_version: str | None = None


class DeleteOptions(Model):
    """The body of a delete."""

    api_version: str | None = None
    kind: str | None = None
    grace_period_seconds: int | None = None
    preconditions: Preconditions | None = None
    orphan_dependents: bool | None = None
    propagation_policy: str | None = None
    dry_run: Annotated[list[str] | None, ListAtomic()] = None
    ignore_store_read_error_with_cluster_breaking_potential: bool | None = None


class StatusCause(Model):
    """One of several reasons in a Status."""

    reason: str | None = None
    message: str | None = None
    field: str | None = None


class StatusDetails(Model):
    """What a Status is about."""

    name: str | None = None
    group: str | None = None
    kind: str | None = None
    uid: str | None = None
    causes: Annotated[list[StatusCause] | None, ListAtomic()] = None
    retry_after_seconds: int | None = None


class Status(Model):
    """The server's answer where there is no object to answer with."""

    api_version: str | None = None
    kind: str | None = None
    metadata: ListMeta | None = None
    status: str | None = None
    message: str | None = None
    reason: str | None = None
    details: Annotated[StatusDetails | None, MapAtomic()] = None
    code: int | None = None
