"""A call as the estimates of its cost see it, and what they say: its cost, and how large its result can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from konverge.cluster.apiserver.cel.ast import Expr
from konverge.cluster.apiserver.cel.estimate import UNKNOWN, Estimate
from konverge.cluster.apiserver.cel.go_path import GoPath
from konverge.cluster.apiserver.cel.types import Kind, Type

STRING_FACTOR: Final = 0.1  # of a text's length: the cost of reading it once
REGEX_FACTOR: Final = 0.25  # of a pattern's length: the cost of matching one unit of text

SizeOf: TypeAlias = Callable[[list[str]], Estimate | None]


class EntrySize(NamedTuple):
    """The sizes of a list's or a map's keys and values."""

    kind: Kind
    key: Estimate
    value: Estimate

    def union(self, other: EntrySize) -> EntrySize:
        """Return the sizes that hold both."""
        return EntrySize(self.kind, self.key.union(other.key), self.value.union(other.value))


@dataclass(frozen=True, slots=True)
class Node:
    """An argument, as the estimators see it."""

    expr: Expr | None
    type: Type
    path: GoPath
    size: Estimate | None
    entry_size_of: Callable[[Expr], EntrySize | None] | None = None

    def entry_size(self) -> EntrySize | None:
        """Return the sizes of its keys and values, where they are known."""
        if self.entry_size_of is None or self.expr is None:
            return None
        return self.entry_size_of(self.expr)


@dataclass(frozen=True, slots=True)
class CallNodes:
    """A call's function, receiver and arguments; `size_of` asks the schema."""

    function: str
    target: Node | None
    args: list[Node]
    size_of: SizeOf

    def size(self, node: Node) -> Estimate:
        """Return the size of a node, from the expression or from the schema, or that it is unknown."""
        if node.size is not None:
            return node.size
        declared = self.size_of(node.path.names()) if len(node.path) else None
        return UNKNOWN if declared is None else declared


class CallCost(NamedTuple):
    """A call's cost, the size of its result, and of the keys and values in it."""

    cost: Estimate
    size: Estimate | None = None
    entry_size: EntrySize | None = None
