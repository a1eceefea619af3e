"""A write that changes nothing but the times in managedFields changes nothing: it gets the old times back."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.apply.comparison import is_same

JsonObject = dict[str, Any]


def keep_times(new: JsonObject, old: JsonObject) -> None:
    """Give an object its old times back where all else is as it was, so that its write is none.

    Called last, when admission is through: only then is it known what the object will be.
    """
    entries, before = _entries(new), _entries(old)
    if not entries or len(entries) != len(before):
        return
    if all(map(_has_same_time, entries, before)) or not all(map(_is_same_but_time, entries, before)):
        return
    if is_same(_rest(new), _rest(old)):
        new["metadata"]["managedFields"] = before


def _entries(value: JsonObject) -> list[JsonObject]:
    return (value.get("metadata") or {}).get("managedFields") or []


def _has_same_time(entry: JsonObject, before: JsonObject) -> bool:
    return entry.get("time") == before.get("time")


def _is_same_but_time(entry: JsonObject, before: JsonObject) -> bool:
    return entry | {"time": ""} == before | {"time": ""}


def _rest(value: JsonObject) -> JsonObject:
    metadata = {name: part for name, part in value["metadata"].items() if name != "managedFields"}
    return {**value, "metadata": metadata}
