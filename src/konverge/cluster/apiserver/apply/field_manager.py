"""FieldManager: what every write calls to keep managedFields, and what makes an object of an apply.

Called after a new object was decoded, pruned and defaulted, and before its strategy prepares it: so an author owns what
they said and what was defaulted for them, and not what the server fills in later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from konverge import log
from konverge.cluster.apiserver import failure
from konverge.cluster.apiserver.apply import last_applied, managed
from konverge.cluster.apiserver.apply.comparison import is_same
from konverge.cluster.apiserver.apply.field_set import FieldSet, difference, has, union
from konverge.cluster.apiserver.apply.managed import APPLY, UPDATE, Managed, Owned, Owner
from konverge.cluster.apiserver.apply.ownership import NOBODYS, Conflict, Conflicts, Ownership, Versions
from konverge.cluster.apiserver.apply.path_element import shown
from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.apply.types import Type
from konverge.cluster.apiserver.apply.validation import validate

JsonObject = dict[str, Any]

_LOG: Final = log.get("apiserver.apply")
_BEFORE: Final = "before-first-apply"  # owns what an object had when no one kept account
_NAMELESS: Final = "unknown"


class FieldManager:
    """Keeps managedFields for one kind in one version.

    `types` has a type per API version of the kind.
    `convert` turns an object into another of these versions; without it only the version's name changes. `reset_fields`
    are, by subresource and API version, the fields that a write through it cannot set. `empty` is the kind's zero
    object: what a create and a first apply are compared with. managedFields are reset by a list of one empty entry,
    and unless the kind is custom also by an empty list.
    """

    def __init__(
        self,
        *,
        kind: str,
        api_version: str,
        types: Mapping[str, Type],
        convert: Callable[[JsonObject, str], JsonObject] | None = None,
        reset_fields: Mapping[str, Mapping[str, FieldSet]] | None = None,
        empty: JsonObject | None = None,
        is_custom: bool = False,
    ) -> None:
        self._kind = kind
        self._api_version = api_version
        self._versions = Versions(types, convert, is_custom=is_custom)
        self._reset_fields = reset_fields or {}
        self._empty = {**(empty or {}), "apiVersion": api_version, "kind": kind}
        self._resets: tuple[list[Any], ...] = ([{}],) if is_custom else ([{}], [])
        self._rules: dict[str, Ownership] = {}

    def update(
        self, live: JsonObject | None, new: JsonObject, *, manager: str, time: str, subresource: str = ""
    ) -> JsonObject:
        """Set the managedFields of an object that is created (no live one) or updated, in place, and return it.

        An object that cannot be read by its schema loses them, as on the real server: its write goes on.
        """
        metadata = new.setdefault("metadata", {})
        given = metadata.pop("managedFields", None)
        owners = self._owners_before(live, None if subresource else given)
        if owners or not live or not _metadata(live).get("uid"):
            try:
                owners = self._update(live, new, owners, owner=self._owner(manager, UPDATE, subresource), time=time)
            except TypedError as error:
                _LOG.warning(
                    "managedFields are dropped: the object does not fit its schema", kind=self._kind, why=str(error)
                )
                return new
        if owners:
            metadata["managedFields"] = managed.encode(owners)
        return new

    def _owners_before(self, live: JsonObject | None, given: Any) -> Managed:
        """Return who owned what before an update: its author may say so, and may reset it."""
        present = _live_entries(live)
        if given in self._resets:
            return {}
        if not isinstance(given, list) or not given or given == present:
            return managed.decode_own(present)
        try:
            return managed.decode(given)
        except TypedError:
            return managed.decode_own(present)

    @property
    def type(self) -> Type:
        """The type of the kind in its own version: how its parts are merged."""
        return self._versions.types[self._api_version]

    def _owner(self, manager: str, operation: str, subresource: str) -> Owner:
        version = self._api_version if operation == UPDATE else ""
        return Owner(manager or _NAMELESS, operation, version, subresource)

    def _ownership(self, subresource: str) -> Ownership:
        rules = self._rules.get(subresource)
        if rules is None:
            ignored = self._reset_fields.get(subresource, {})
            rules = self._rules[subresource] = Ownership(self._versions, self._api_version, ignored)
        return rules

    def _update(self, live: JsonObject | None, new: JsonObject, owners: Managed, *, owner: Owner, time: str) -> Managed:
        old = _without_managed_fields(live) if live else self._empty
        rest, gained = self._ownership(owner.subresource).update(old, new, owners)
        gained = difference(gained, NOBODYS)
        if gained:
            before = rest.get(owner)
            fields = union(before.fields, gained) if before else gained
            rest[owner] = Owned(fields, self._api_version, time)
        return managed.capped(rest)

    def apply(
        self,
        live: JsonObject | None,
        patch: JsonObject,
        *,
        manager: str,
        time: str,
        force: bool = False,
        subresource: str = "",
    ) -> JsonObject:
        """Return what a live object becomes (or a new one, where there is none) when a part of it is applied.

        The result shares nothing with what was given. Raise `Failure`: 409 where others own what would change, 400
        where the patch is for something else, 500 where it cannot be read by its schema.
        """
        self._check(patch)
        owners = managed.decode_own(_live_entries(live))
        base = _without_managed_fields(live or self._empty)
        if not owners:
            before = self._owner(_BEFORE, UPDATE, subresource)
            owners = self._first_owners(base, before, time)
        owner = self._owner(manager, APPLY, subresource)
        try:
            result = self._apply(base, patch, owners, owner=owner, force=force, time=time)
        except Conflicts as error:
            raise _conflict(error.conflicts) from None
        if manager == last_applied.MANAGER:
            last_applied.keep_in_step(result, patch)
        return result

    def _check(self, patch: JsonObject) -> None:
        if (patch.get("apiVersion"), patch.get("kind")) != (self._api_version, self._kind):
            raise failure.bad_request(f"invalid object type: {_gvk(patch)}")
        if _metadata(patch).get("managedFields") is not None:
            raise failure.bad_request("metadata.managedFields must be nil")

    def _first_owners(self, live: JsonObject, before: Owner, time: str) -> Managed:
        try:
            return self._update(None, live, {}, owner=before, time=time)
        except TypedError as error:
            raise _unreadable(f"failed to create manager for existing fields: {error}") from None

    def _apply(
        self, live: JsonObject, patch: JsonObject, owners: Managed, *, owner: Owner, force: bool, time: str
    ) -> JsonObject:
        self._validate(patch, "failed to create typed patch object", allows_duplicates=False)
        self._validate(live, "failed to create typed live object", allows_duplicates=True)
        try:
            result, rest = self._apply_or_adopt(live, patch, owners, owner=owner, force=force)
        except TypedError as error:
            raise _unreadable(str(error)) from None
        is_changed = not is_same(live, result)
        own = rest.get(owner)
        if own:
            rest[owner] = Owned(difference(own.fields, NOBODYS), own.api_version, time if is_changed else own.time)
            if not rest[owner].fields:
                del rest[owner]
        return _with_managed_fields(result, managed.encode(rest))

    def _apply_or_adopt(
        self, live: JsonObject, patch: JsonObject, owners: Managed, *, owner: Owner, force: bool
    ) -> tuple[JsonObject, Managed]:
        """Apply; kubectl may take without force what its client-side apply had set."""
        rules = self._ownership(owner.subresource)
        try:
            return rules.apply(live, patch, owners, owner=owner, force=force)
        except Conflicts as error:
            adopted = None
            if owner.manager == last_applied.MANAGER:
                adopted = last_applied.applied_by_client(self.type, live, self._api_version)
            if adopted is None:
                raise
            foreign = [conflict for conflict in error.conflicts if not has(adopted, conflict.path)]
            if foreign:
                raise Conflicts(foreign) from None
        return rules.apply(live, patch, owners, owner=owner, force=True)

    def _validate(self, value: JsonObject, what: str, *, allows_duplicates: bool) -> None:
        try:
            validate(self.type, value, allows_duplicates=allows_duplicates)
        except TypedError as error:
            metadata = _metadata(value)
            name = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
            raise _unreadable(f"{what} ({name}; {_gvk(value)}): {error}") from None


def _metadata(value: JsonObject) -> JsonObject:
    found = value.get("metadata")
    return found if isinstance(found, dict) else {}


def _without_managed_fields(value: JsonObject) -> JsonObject:
    metadata = _metadata(value)
    if "managedFields" not in metadata:
        return value
    return {**value, "metadata": {name: part for name, part in metadata.items() if name != "managedFields"}}


def _with_managed_fields(value: JsonObject, entries: list[dict[str, Any]]) -> JsonObject:
    """Return a copy of an object that shares nothing with it, with these managedFields."""
    copy: JsonObject = msgspec.json.decode(msgspec.json.encode(value))
    if entries:
        copy.setdefault("metadata", {})["managedFields"] = entries
    return copy


def _live_entries(live: JsonObject | None) -> list[dict[str, Any]]:
    return _metadata(live or {}).get("managedFields") or []


def _gvk(value: JsonObject) -> str:
    """Name an object's kind as Go prints a GroupVersionKind: `apps/v1, Kind=Deployment`."""
    group, _, version = str(value.get("apiVersion") or "").rpartition("/")
    return f"{group}/{version}, Kind={value.get('kind') or ''}"


def _unreadable(message: str) -> failure.Failure:
    return failure.Failure(500, "", message)


def _conflict(conflicts: list[Conflict]) -> failure.Failure:
    causes = []
    by_owner: dict[Owner, list[str]] = {}
    for conflict in sorted(conflicts, key=lambda found: found.owner.identifier):
        path = "".join(shown(element, as_read=True) for element in conflict.path)
        by_owner.setdefault(conflict.owner, []).append(path)
        message = f"conflict with {conflict.owner}"
        causes.append({"reason": "FieldManagerConflict", "message": message, "field": path})
    if len(causes) == 1:
        text = f"Apply failed with 1 conflict: {causes[0]['message']}: {causes[0]['field']}"
        return failure.apply_conflict(text, causes)
    lines = [
        line for owner, found in by_owner.items() for line in (f"conflicts with {owner}:", *(f"- {p}" for p in found))
    ]
    return failure.apply_conflict(f"Apply failed with {len(causes)} conflicts: " + "\n".join(lines), causes)
