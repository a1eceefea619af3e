"""Ownership: how fields change hands when an object is updated, and what an object becomes when a part is applied.

Everything here is by API version: an owner's fields are in the version that it wrote in, and the object is converted
to that version before it is compared. An owner whose version a built-in kind does not have any more is forgotten; a
custom resource cannot be converted to such a version, and that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from konverge.cluster.apiserver.apply.comparison import Comparison, compare
from konverge.cluster.apiserver.apply.field_set import (
    EMPTY,
    FieldSet,
    Path,
    difference,
    intersection,
    of_paths,
    paths,
    recursive_difference,
    union,
)
from konverge.cluster.apiserver.apply.managed import Managed, Owned, Owner
from konverge.cluster.apiserver.apply.reconciliation import reconciled
from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.apply.typed_value import field_set, merge, remove, with_named_fields
from konverge.cluster.apiserver.apply.types import Type

JsonObject = dict[str, Any]


# What every object has and the server alone says.
NOBODYS: Final = of_paths(
    ("apiVersion",),
    ("kind",),
    ("metadata",),
    *(
        ("metadata", name)
        for name in (
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        )
    ),
)


class Conflict(NamedTuple):
    """A field that an apply would change and another owns."""

    owner: Owner
    path: Path


class Conflicts(Exception):
    """Fields that an apply would change and others own."""

    def __init__(self, conflicts: list[Conflict]) -> None:
        super().__init__(f"{len(conflicts)} conflicts")
        self.conflicts = conflicts


class Versions:
    """The versions of a kind: their types, and how an object gets from one to another."""

    def __init__(
        self,
        types: Mapping[str, Type],
        convert: Callable[[JsonObject, str], JsonObject] | None = None,
        *,
        is_custom: bool = False,
    ) -> None:
        self.types = types
        self._convert = convert
        self._is_custom = is_custom

    def has(self, api_version: str) -> bool:
        """Whether there is such a version; TypedError where a custom resource has none."""
        if api_version in self.types:
            return True
        if self._is_custom:
            raise TypedError(f"request to convert CR to an invalid group/version: {api_version}")
        return False

    def convert(self, value: JsonObject, api_version: str) -> JsonObject:
        """Return an object in another version; the object itself where it is in that version."""
        if value.get("apiVersion") == api_version:
            return value
        return self._convert(value, api_version) if self._convert else {**value, "apiVersion": api_version}


class Ownership:
    """The rules for one kind in one version, with the fields that a request through one (sub)resource cannot set."""

    def __init__(self, versions: Versions, api_version: str, ignored: Mapping[str, FieldSet]) -> None:
        self._versions = versions
        self._api_version = api_version
        self._ignored = ignored

    @property
    def _type(self) -> Type:
        return self._versions.types[self._api_version]

    def update(self, live: JsonObject, new: JsonObject, managed: Managed) -> tuple[Managed, FieldSet]:
        """Return who owns what after an update, and the fields that its author now owns beside what they had."""
        owners = self._reconciled(managed)
        comparison = self._compare(self._api_version, live, new)
        changed = union(comparison.modified, comparison.added)
        rest, _ = self._hand_over(owners, (live, new), comparison, applier=None)
        return rest, recursive_difference(changed, self._ignored.get(self._api_version, EMPTY))

    def apply(
        self, live: JsonObject, applied: JsonObject, managed: Managed, *, owner: Owner, force: bool
    ) -> tuple[JsonObject, Managed]:
        """Return what an object becomes and who owns what; Conflicts where others own what would change."""
        owners = self._reconciled(managed)
        merged = merge(self._type, live, applied)
        last = owners.get(owner)
        claimed = field_set(self._type, applied)
        claimed = recursive_difference(claimed, self._ignored.get(self._api_version, EMPTY))
        owners[owner] = Owned(claimed, self._api_version, last.time if last else "")
        result = self._pruned(merged, owners, last, claimed)
        comparison = self._compare(self._api_version, live, result)
        rest, conflicts = self._hand_over(owners, (live, result), comparison, applier=owner)
        if conflicts and not force:
            raise Conflicts(conflicts)
        return result, rest

    def _reconciled(self, managed: Managed) -> Managed:
        types = self._versions.types
        return {
            owner: owned.with_fields(reconciled(owned.fields, types[owned.api_version]))
            for owner, owned in managed.items()
            if self._versions.has(owned.api_version)
        }

    def _compare(self, api_version: str, live: JsonObject, new: JsonObject) -> Comparison:
        old, now = self._versions.convert(live, api_version), self._versions.convert(new, api_version)
        return compare(self._versions.types[api_version], old, now).without(self._ignored.get(api_version))

    def _hand_over(
        self, owners: Managed, pair: tuple[JsonObject, JsonObject], comparison: Comparison, *, applier: Owner | None
    ) -> tuple[Managed, list[Conflict]]:
        """Take from all others what changed; return who owns what then, and what was taken though it is still there."""
        comparisons = {self._api_version: comparison}
        rest: Managed = {}
        conflicts: list[Conflict] = []
        for owner in sorted(owners):
            owned = owners[owner]
            if owner != applier:
                version = owned.api_version
                found = comparisons.get(version) or self._compare(version, *pair)
                comparisons[version] = found
                taken = intersection(owned.fields, union(found.modified, found.added))
                if applier and taken:
                    conflicts += [Conflict(owner, path) for path in paths(taken)]
                left = difference(difference(owned.fields, taken), found.removed)
                owned = owned.with_fields(left)
            if owned.fields:
                rest[owner] = owned
        return rest, conflicts

    def _pruned(self, merged: JsonObject, owners: Managed, last: Owned | None, claimed: FieldSet) -> JsonObject:
        """Return the merged object without what its applier had applied and no one claims any more."""
        if not last or not last.fields:
            return merged
        version = last.api_version
        if version == self._api_version and last.fields == difference(claimed, NOBODYS):
            return merged  # the same is applied again
        kind = self._versions.types[version]
        merged = self._versions.convert(merged, version)
        applied_before = with_named_fields(kind, last.fields)
        pruned = remove(kind, merged, applied_before)
        pruned = self._with_owned(merged, pruned, version, owners)
        pruned = self._without_dangling(kind, merged, self._versions.convert(pruned, version), applied_before)
        return self._versions.convert(pruned, self._api_version)

    def _with_owned(self, merged: JsonObject, pruned: JsonObject, version: str, owners: Managed) -> JsonObject:
        """Put back what someone claims: first in the version that was pruned, then in the others."""
        claimed: dict[str, FieldSet] = (
            {version: EMPTY} if any(o.api_version == version for o in owners.values()) else {}
        )
        for owner in sorted(owners):
            owned = owners[owner]
            claimed[owned.api_version] = union(claimed.get(owned.api_version, EMPTY), owned.fields)
        for api_version, fields in claimed.items():
            kind = self._versions.types[api_version]
            merged = self._versions.convert(merged, api_version)
            pruned = self._versions.convert(pruned, api_version)
            kept = union(_present(kind, pruned), with_named_fields(kind, fields))
            pruned = remove(kind, merged, difference(_present(kind, merged), kept))
        return pruned

    @staticmethod
    def _without_dangling(kind: Type, merged: JsonObject, pruned: JsonObject, applied_before: FieldSet) -> JsonObject:
        """Remove only what this applier had applied: what no one owns stays."""
        gone = difference(_present(kind, merged), _present(kind, pruned))
        result: JsonObject = remove(kind, merged, intersection(gone, applied_before))
        return result


def _present(kind: Type, value: JsonObject) -> FieldSet:
    return with_named_fields(kind, field_set(kind, value))
