"""Evaluator: how one kind of objects is counted.

The plain one counts objects (`count/deployments.apps`); pods, services and claims are measured by more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from konverge.api.quantity import Quantity
from konverge.api.quota.amounts import Amounts
from konverge.api.quota.scope import scopes_of

JsonObject = Mapping[str, Any]


def count_name(group: str, plural: str) -> str:
    """Return the name under which objects of a kind are counted."""
    return f"count/{plural}.{group}" if group else f"count/{plural}"


class Evaluator:
    """Counts the objects of one plural; `alias` is a second name of the same number."""

    def __init__(self, group: str, plural: str, alias: str = "") -> None:
        self.group = group
        self.plural = plural
        self._names = (count_name(group, plural), *([alias] if alias else ()))

    def tracked(self, names: Iterable[str]) -> list[str]:
        """Return those of the resources that objects of this kind use, sorted."""
        return sorted(name for name in dict.fromkeys(names) if self.tracks(name))

    def tracks(self, name: str) -> bool:
        """Whether objects of this kind use a resource."""
        return name in self._names

    def handles(self, value: JsonObject, old: JsonObject | None, *, subresource: str = "") -> bool:
        """Whether a write may change what is used; `old` is None where the object is new."""
        del value  # a count needs no look at it
        return old is None and not subresource

    def is_in(self, scope: JsonObject, value: JsonObject) -> bool:
        """Whether an object is in a scope; most kinds are in none."""
        del scope, value
        return False

    def scope_facts(self, value: JsonObject) -> object:
        """Return what can change in an object and decides in which scopes it is; equal facts, equal scopes."""
        del value
        return None

    def missing(self, names: Iterable[str], value: JsonObject) -> str:
        """Say what an object must tell because a quota limits it; empty where nothing is missing."""
        del names, value
        return ""

    def usage(self, value: JsonObject, now: datetime) -> Amounts:
        """Return what an object uses."""
        del value, now
        return {name: Quantity(1) for name in self._names}

    def matches(self, quota: JsonObject, value: JsonObject) -> bool:
        """Whether a quota is about an object: it limits something of it, and all its scopes fit."""
        hard = (quota.get("status") or {}).get("hard") or {}
        return bool(self.tracked(hard)) and self.is_in_all(quota, value)

    def is_in_all(self, quota: JsonObject, value: JsonObject) -> bool:
        """Whether an object is in every scope of a quota."""
        return all(self.is_in(scope, value) for scope in scopes_of(quota))
