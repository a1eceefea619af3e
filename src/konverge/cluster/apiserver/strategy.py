"""Strategy: what a kind does differently when its objects are written.

The verbs call these in a fixed order. Create: `prune` → `default` → `prepare_for_create` → (mutating admission) →
`validate`. Update, patch and apply: `prune` → `default` → `prepare_for_update` → (mutating admission) →
`validate_update`. Objects are plain JSON values, changed in place.
"""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.field_error import FieldError

JsonObject = dict[str, Any]


class Strategy:
    """A kind with nothing special: each method says what the plain behaviour is."""

    creates_on_update = False  # a PUT of an absent object creates it
    allows_unconditional_update = True  # an update without a resourceVersion
    has_generation = False  # metadata.generation counts the changes of what is desired

    def prune(self, value: JsonObject) -> list[str]:
        """Drop the fields that the kind does not have; return their paths, for field validation.

        Raise `Failure` (400) where a value cannot be read as its field's type.
        """
        return []

    def default(self, value: JsonObject) -> None:
        """Fill in the values that the kind has where the author says nothing; on write and on read."""

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

    def validate_name(self, name: str, *, is_prefix: bool = False) -> list[str]:
        """Say what is wrong with a name, or with the beginning of a generated one."""
        return []

    def warnings(self, value: JsonObject) -> list[str]:
        """Say what the author should know though the object is accepted."""
        return []

    def to_storage(self, value: JsonObject) -> JsonObject:
        """Return the object in the version in which it is stored."""
        return value

    def from_storage(self, value: JsonObject) -> JsonObject:
        """Return a stored object in the version that this strategy belongs to."""
        return value
