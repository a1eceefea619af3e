"""Managed: who owns which fields, read from an object's managedFields and written back.

An owner is a manager with an operation, a subresource and, for updates, an API version: each of a manager's ways of
writing is one. An entry that does not change is written back as it was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import msgspec

from konverge.api.invalid import InvalidValue
from konverge.api.time import format_time, parse_time
from konverge.cluster.apiserver.apply.field_set import FieldSet, ordered, read, union
from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.go_text import quoted

APPLY: Final = "Apply"
UPDATE: Final = "Update"
MAX_UPDATERS: Final = 10
OLDEST: Final = "ancient-changes"  # the manager that the oldest updates are put together under
_FORM: Final = "FieldsV1"
_UTC_SECONDS: Final = len("2026-01-31T12:00:00Z")


class Owner(NamedTuple):
    """Who owns fields, and by which way of writing."""

    manager: str
    operation: str
    api_version: str  # of an update; empty for an apply, whose entry moves to the version it applies in
    subresource: str = ""

    @property
    def identifier(self) -> str:
        """The text that the real server tells owners apart by: it sorts by it."""
        entry = {
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "subresource": self.subresource,
        }
        return msgspec.json.encode({name: value for name, value in entry.items() if value}).decode()

    def __str__(self) -> str:
        """Name the owner as the message of a conflict does."""
        text = quoted(self.manager)
        if self.subresource:
            text += f" with subresource {quoted(self.subresource)}"
        return f"{text} using {self.api_version}" if self.operation == UPDATE else text


@dataclass(frozen=True, slots=True)
class Owned:
    """What one owner owns."""

    fields: FieldSet
    api_version: str
    time: str = ""  # RFC 3339 in UTC, whole seconds: it sorts as a text; empty: not known

    def with_fields(self, fields: FieldSet) -> Owned:
        """Return the same with other fields; itself where they are the same."""
        return self if fields is self.fields else replace(self, fields=fields)


Managed = dict[Owner, Owned]


def decode(entries: Sequence[Any]) -> Managed:
    """Read managedFields that someone else may have written; TypedError where they are malformed."""
    managed: Managed = {}
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise TypedError("managedFields entry must be an object")
        _check(index, entry)
        owner = _owner(entry)
        managed[owner] = Owned(
            read(entry.get("fieldsV1")) if "fieldsV1" in entry else {}, entry["apiVersion"], _time(entry)
        )
    return managed


def decode_own(entries: Sequence[dict[str, Any]]) -> Managed:
    """Read managedFields that this module wrote: nothing is checked or copied."""
    return {_owner(entry): Owned(entry["fieldsV1"], entry["apiVersion"], entry.get("time") or "") for entry in entries}


def _owner(entry: dict[str, Any]) -> Owner:
    operation = entry["operation"]
    version = "" if operation == APPLY else entry["apiVersion"]
    return Owner(entry.get("manager") or "", operation, version, entry.get("subresource") or "")


def _check(index: int, entry: dict[str, Any]) -> None:
    if entry.get("operation") not in {APPLY, UPDATE}:
        raise TypedError("operation must be `Apply` or `Update`")
    if not entry.get("apiVersion"):
        raise TypedError("apiVersion must not be empty")
    form = entry.get("fieldsType", "")
    if not form:
        raise TypedError(f"missing fieldsType in managed fields entry {index}")
    if form != _FORM:
        raise TypedError(f"invalid fieldsType {quoted(str(form))} in managed fields entry {index}")


def _time(entry: dict[str, Any]) -> str:
    text = entry.get("time") or ""
    if not text or (len(text) == _UTC_SECONDS and text.endswith("Z")):
        return str(text)
    try:
        return format_time(parse_time(text))
    except InvalidValue as error:
        raise TypedError(str(error)) from None


def encode(managed: Managed) -> list[dict[str, Any]]:
    """Write managedFields: applies first, then updates, each by time and name."""
    owners = sorted(managed, key=lambda owner: (owner.operation, managed[owner].time, *_rank(owner, managed)))
    return [_entry(owner, managed[owner]) for owner in owners]


def _rank(owner: Owner, managed: Managed) -> tuple[str, str, str]:
    return owner.manager, managed[owner].api_version, owner.subresource


def _entry(owner: Owner, owned: Owned) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    if owner.manager:
        entry["manager"] = owner.manager
    entry["operation"] = owner.operation
    entry["apiVersion"] = owned.api_version
    if owned.time:
        entry["time"] = owned.time
    entry["fieldsType"] = _FORM
    entry["fieldsV1"] = ordered(owned.fields)  # some clients compare the text
    if owner.subresource:
        entry["subresource"] = owner.subresource
    return entry


def capped(managed: Managed) -> Managed:
    """Return the owners with the oldest updates put together, a bucket per version, so that at most ten are left."""
    updaters = [owner for owner in managed if owner.operation == UPDATE]
    if len(updaters) <= MAX_UPDATERS:
        return managed
    updaters.sort(key=lambda owner: (managed[owner].time, owner.identifier))
    made = dict(managed)
    first: dict[str, Owner] = {}
    excess = len(updaters) - MAX_UPDATERS
    for owner in updaters:
        if not excess:
            break
        version = owner.api_version
        if version not in first:
            first[version] = owner
            continue
        bucket = Owner(OLDEST, UPDATE, version)
        if bucket not in made:
            made[bucket] = made.pop(first[version])
        made[bucket] = replace(made[owner], fields=union(made[owner].fields, made[bucket].fields))
        if owner != bucket:
            del made[owner]
        excess -= 1
    return made
