"""Reconciliation of a set with a schema that has changed since it was written.

What was granular and is atomic now is owned as a whole by whoever owned a part. The other way round nothing is to be
done: the owner of the whole keeps it.
"""

from __future__ import annotations

from konverge.cluster.apiserver.apply.field_set import LEAF, FieldSet
from konverge.cluster.apiserver.apply.path_element import MEMBER
from konverge.cluster.apiserver.apply.types import Type


def reconciled(fields: FieldSet, kind: Type) -> FieldSet:
    """Return a set as the schema has it now; the set itself where nothing changes."""
    return _parts(fields, kind) if kind.has_atomic else fields


def _parts(node: FieldSet, kind: Type) -> FieldSet:
    made = None
    for element, below in node.items():
        if not below or element == MEMBER:
            continue
        part = _part(kind, element)
        if part is None or not part.has_atomic:
            continue
        now = _node(below, part)
        if now is not below:
            made = dict(node) if made is None else made
            made[element] = now
    return node if made is None else made


def _part(kind: Type, element: str) -> Type | None:
    if kind.map is not None:
        named = kind.map.fields.get(element[2:]) if element[0] == "f" else None
        return named or kind.map.element
    return kind.list.element if kind.scalar is None and kind.list is not None else None


def _node(node: FieldSet, kind: Type) -> FieldSet:
    if kind.map is not None:
        if kind.map.is_deduced:
            return node
        return LEAF if kind.map.is_atomic else _parts(node, kind)
    if kind.scalar is None and kind.list is not None:
        return LEAF if kind.list.is_atomic else _parts(node, kind)
    return node
