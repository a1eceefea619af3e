"""Field sets: which fields of an object, as the nested dictionaries that managedFields has on the wire.

A node's key is a path element (`path_element`). An empty node is a member of the set; a node that has parts is a member
only where it also has the key `.`. At the root an empty dictionary is the empty set. There is no node without a member
in or below it. So equal sets are equal dictionaries, and reading and writing managedFields costs nothing.

Sets are never changed once made: every operation returns a new one, which may share parts with its operands, or the
operand itself where nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from konverge.cluster.apiserver.apply.path_element import MEMBER, canonical, order
from konverge.cluster.apiserver.apply.typed_error import TypedError

FieldSet = dict[str, Any]
Path = tuple[str, ...]

EMPTY: Final[FieldSet] = {}
LEAF: Final[FieldSet] = {}


def is_member(node: FieldSet) -> bool:
    """Whether a node itself belongs to its set."""
    return not node or MEMBER in node


def as_member(node: FieldSet) -> FieldSet:
    """Return a node that also belongs to its set itself."""
    return node if is_member(node) else {MEMBER: LEAF, **node}


def of_paths(*paths: Sequence[str]) -> FieldSet:
    """Return the set of these paths; a step without a kind is a field's name."""
    made: FieldSet = {}
    for path in paths:
        insert(made, tuple(step if step[1:2] == ":" else f"f:{step}" for step in path))
    return made


def insert(into: FieldSet, path: Path, node: FieldSet = LEAF) -> None:
    """Add a node at a path to a set that is being made."""
    for element in path[:-1]:
        child = into.get(element)
        if not child:
            child = {} if child is None else {MEMBER: LEAF}
            into[element] = child
        into = child
    present = into.get(path[-1])
    into[path[-1]] = node if present is None else _union_nodes(present, node)


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return what is in either set."""
    if not left or left is right:
        return right
    made = None
    for element, theirs in right.items():
        mine = left.get(element)
        joined = theirs if mine is None else _union_nodes(mine, theirs)
        if joined is not mine:
            made = dict(left) if made is None else made
            made[element] = joined
    return left if made is None else made


def _union_nodes(mine: FieldSet, theirs: FieldSet) -> FieldSet:
    if not mine:
        return as_member(theirs) if theirs else mine
    return union(mine, theirs) if theirs else as_member(mine)


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return what is in the left set and not in the right one. A parent's membership and its parts' are apart."""
    made = None
    for element in left if len(left) < len(right) else right:
        mine, theirs = left.get(element), right.get(element)
        if mine is None or theirs is None:
            continue
        rest = _difference_nodes(mine, theirs)
        if rest is mine:
            continue
        made = dict(left) if made is None else made
        _put(made, element, rest)
    return left if made is None else made


def _difference_nodes(mine: FieldSet, theirs: FieldSet) -> FieldSet | None:
    if not mine:
        return None if is_member(theirs) else mine
    return _node(difference(mine, theirs or {MEMBER: LEAF}))


def recursive_difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return the left set without the members of the right one and all that is below them."""
    made = None
    for element, theirs in right.items():
        mine = left.get(element)
        if mine is None:
            continue
        rest = None if is_member(theirs) else _node(recursive_difference(mine, theirs)) if mine else mine
        if rest is mine:
            continue
        made = dict(left) if made is None else made
        _put(made, element, rest)
    return left if made is None else made


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return what is in both sets."""
    made: FieldSet = {}
    smaller, larger = (left, right) if len(left) <= len(right) else (right, left)
    for element, mine in smaller.items():
        theirs = larger.get(element)
        if theirs is not None:
            _put(made, element, _intersection_nodes(mine, theirs))
    return made


def _intersection_nodes(mine: FieldSet, theirs: FieldSet) -> FieldSet | None:
    if not mine or not theirs:
        return LEAF if is_member(mine) and is_member(theirs) else None
    return _node(intersection(mine, theirs))


def _node(parts: FieldSet) -> FieldSet | None:
    """Return the node that has these parts: None for none, a leaf where it is only a member itself."""
    if not parts:
        return None
    return LEAF if len(parts) == 1 and MEMBER in parts else parts


def _put(into: FieldSet, element: str, node: FieldSet | None) -> None:
    if node is None:
        into.pop(element, None)
    else:
        into[element] = node


def has(fields: FieldSet, path: Path) -> bool:
    """Whether a path is a member of a set."""
    node: FieldSet | None = fields
    for element in path:
        node = node.get(element) if node else None
        if node is None:
            return False
    return bool(path) and is_member(node or LEAF)


def paths(fields: FieldSet, above: Path = ()) -> Iterator[Path]:
    """Yield every member in canonical order: a node's members, then what is below each of them."""
    elements = sorted((element for element in fields if element != MEMBER), key=order)
    for element in elements:
        if is_member(fields[element]):
            yield (*above, element)
    for element in elements:
        yield from paths(fields[element], (*above, element))


def ordered(fields: FieldSet) -> FieldSet:
    """Return the set with its elements in the order in which the real server writes them."""
    if not fields:
        return fields
    elements = sorted(fields)
    if elements[-1][0] != "f":  # items of lists, whose order is not that of their texts; `.` is the first of all
        elements = sorted(fields, key=lambda element: (0,) if element == MEMBER else (1, *order(element)))
    return {element: ordered(fields[element]) for element in elements}


def read(value: Any) -> FieldSet:
    """Read a FieldsV1 that someone else wrote: elements in canonical text, unknown kinds dropped."""
    fields = _read_node(value)
    return {element: node for element, node in fields.items() if element != MEMBER}


def _read_node(value: Any) -> FieldSet:
    if value is None:
        return LEAF
    if not isinstance(value, dict):
        raise TypedError("expect { or n, but found something else")
    made: FieldSet = {}
    for text, below in value.items():
        element = MEMBER if text == MEMBER else canonical(text)
        if element is not None:
            made[element] = LEAF if element == MEMBER else _read_node(below)
    return _node(made) or LEAF
