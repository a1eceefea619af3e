"""Strategy: what a kind does differently when its objects are written.

The verbs call these in a fixed order. Create: `prune` → `default` → `prepare_for_create` → (mutating admission) →
`validate`. Update, patch and apply: `prune` → `default` → `prepare_for_update` → (mutating admission) →
`validate_update`. Objects are plain JSON values, changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.propagation import Propagation

if TYPE_CHECKING:
    from konverge.cluster.apiserver.apply.field_manager import FieldManager  # only named here; `apply` is large

JsonObject = dict[str, Any]


class Strategy:
    """A kind with nothing special: each method says what the plain behaviour is."""

    creates_on_update = False  # a PUT of an absent object creates it
    allows_unconditional_update = True  # an update without a resourceVersion
    has_generation = False  # metadata.generation counts the changes of what is desired
    refuses_create = ""  # why nothing of this kind can be created now; empty: it can
    converts = False  # stored in another form than the one in which it is served, in the version of storage too
    reads_as_stored = True  # the stored bytes are what a reader of the version of storage gets
    propagation = Propagation.DELETE
    returns_deleted = False  # a DELETE answers with the object instead of a Status
    asks_webhook = False  # to convert; the `prepare_…` methods then wait for it
    marks_deletion = False  # an object is first marked by `begin_delete`, and goes with a later deletion
    judges_metadata = True  # the kind's own rules look at metadata, too: before those of all kinds, or once more
    openapi_schema: Mapping[str, Any] | None = None  # what OpenAPI publishes of a custom kind
    printer_columns: tuple[Mapping[str, Any], ...] = ()  # what the table of a custom kind shows

    @property
    def field_manager(self) -> FieldManager | None:
        """Who keeps the record of owned fields; None: nobody."""
        return None

    def prune(self, value: JsonObject) -> list[str]:
        """Drop the fields that the kind does not have; return their paths, for field validation.

        Raise `Failure` (400) where a value cannot be read as its field's type.
        """
        return []

    def prune_converted(self, value: JsonObject) -> list[str]:
        """Do the same for the result of a strategic merge patch, which other code of the real server reads."""
        return self.prune(value)

    def default(self, value: JsonObject) -> None:
        """Fill in the values that the kind has where the author says nothing; on write and on read."""

    def outdated(self, value: JsonObject) -> list[str]:
        """Say what `prepare_for_create` will bring into another form; told of a refused object too."""
        return []

    def prepare_for_create(self, value: JsonObject) -> None:
        """Drop what belongs to the server, such as the status where that is a subresource."""

    def prepare_for_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> None:
        """Take from the old object what this request may not change, and count the generation."""

    def validate(self, value: JsonObject) -> list[FieldError]:
        """Say what is wrong with a new object, beside its metadata."""
        return []

    def validate_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> list[FieldError]:
        """Say what is wrong with an object that replaces an old one, beside its metadata."""
        return self.validate(value)

    def passed_over(self, value: JsonObject) -> list[str]:
        """Say what `validate_update` let pass because it was wrong before; told of a refused object too."""
        return []

    def validate_name(self, name: str, *, is_prefix: bool = False) -> list[str]:
        """Say what is wrong with a name, or with the beginning of a generated one."""
        return []

    def warnings(self, value: JsonObject) -> list[str]:
        """Say what the author should know though the object is accepted."""
        return []

    def update_warnings(self, value: JsonObject, old: JsonObject) -> list[str]:
        """Say the same of an object that replaces an old one."""
        return self.warnings(value)

    def status_warnings(self, value: JsonObject) -> list[str]:
        """Say what the author of a status should know."""
        return []

    def canonicalize(self, value: JsonObject) -> None:
        """Bring an accepted object into the form in which it is stored."""

    def grace(self, value: JsonObject, asked: int | None) -> int | None:
        """Return the seconds that an object has to end; None where it does not end gracefully."""
        return None

    def begin_delete(self, value: JsonObject) -> None:
        """Mark an object that is being deleted; only where `marks_deletion`."""

    def may_end(self, value: JsonObject) -> bool:
        """Whether an object without finalizers that is being deleted can go: a Namespace has finalizers of its own."""
        return True

    async def prepare_reading(self, values: Sequence[bytes]) -> None:
        """See to it that stored objects can be read in this version without waiting."""

    async def prepare_storing(self, value: JsonObject) -> None:
        """See to it that an object of this version can be stored without waiting."""

    async def prepare_converting(self, values: Sequence[JsonObject], version: str) -> None:
        """See to it that objects of this version can be had in another without waiting."""

    def convert(self, value: JsonObject, version: str) -> JsonObject:
        """Return a custom object of this version in another one; what was given stays as it is."""
        return value

    def to_storage(self, value: JsonObject) -> JsonObject:
        """Return the object in the version in which it is stored."""
        return value

    def from_storage(self, value: JsonObject) -> JsonObject:
        """Return a stored object in the version that this strategy belongs to."""
        return value
