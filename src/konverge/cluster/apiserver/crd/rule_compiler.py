"""CEL rules in a CRD's schema: compiled where they stand, their faults and estimated costs told. The seam to `cel`.

CEL is loaded when the first schema with rules is met: most have none, and a server is to start at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from konverge.cluster.apiserver.field_error import FieldError

if TYPE_CHECKING:
    from konverge.cluster.apiserver.cel.definition_rules import RuleScope

Schema = Mapping[str, Any]


class RuleCompiler:
    """Compiles the rules of one schema; the cost of all of them together is limited too."""

    def __init__(self, *, checks_cost: bool) -> None:
        self._checks_cost = checks_cost
        self._root: RuleScope | None = None

    def root(self, schema: Schema) -> RuleScope:
        """Begin at the root."""
        from konverge.cluster.apiserver.cel.definition_rules import RuleScope  # noqa: PLC0415 - see above

        self._root = RuleScope.root(schema)
        return self._root

    def faults(self, scope: RuleScope, path: str, *, uncorrelated: str) -> list[FieldError]:
        """Return what is wrong with the rules of a node."""
        return scope.compile(path, uncorrelatable=uncorrelated, checks_cost=self._checks_cost)

    def total_faults(self, path: str) -> list[FieldError]:
        """Say that all rules together cost too much."""
        return [] if self._root is None else self._root.total_faults(path)
