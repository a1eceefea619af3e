"""Empty lists and maps that Go always writes: what is stored does not tell them from absent ones.

An author may own an empty list, so it is kept while a request is read and its owners are recorded; then it becomes
the null that Go writes for a list that is not there.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from konverge.cluster.apiserver.builtin.go_scalar import GoType
from konverge.cluster.apiserver.builtin.go_type import Listing, Map, Member, Struct


def drop_empties(kind: GoType, value: Any) -> None:
    """Put null in the place of empty lists and maps, where Go writes them."""
    if isinstance(kind, Listing):
        for item in value:
            drop_empties(kind.item, item)
    elif isinstance(kind, Map):
        for item in value.values():
            drop_empties(kind.item, item)
    elif isinstance(kind, Struct):
        for name, member in _members(kind):
            if item := value.get(name):
                drop_empties(member.kind, item)
            elif name in value and _is_written(member):
                value[name] = None


@cache
def _members(kind: Struct) -> tuple[tuple[str, Member], ...]:
    """Return the members of a type that are such lists, or lead to some."""
    return tuple(
        (name, member)
        for name, member in kind.fields.items()
        if _is_written(member) or _leads(member.kind, frozenset({kind}))
    )


def _is_written(member: Member) -> bool:
    return member.default is None and isinstance(member.kind, Listing | Map)


def _leads(kind: GoType, seen: frozenset[GoType]) -> bool:
    """Whether there is such a list somewhere in a type; a type may contain itself."""
    if isinstance(kind, Listing | Map):
        return _leads(kind.item, seen)
    if not isinstance(kind, Struct) or kind in seen:
        return False
    return any(_is_written(member) or _leads(member.kind, seen | {kind}) for member in kind.fields.values())
