"""Validation of a value under a schema, in the order in which the real server's causes come.

The quick check decides; the thorough one finds the words. On an update what did not change is not refused
(ratcheting): neither by the schema, nor for what stands twice in a list if that was so before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.schema.accept import accepts
from konverge.cluster.apiserver.schema.check import check
from konverge.cluster.apiserver.schema.correlate import Correlated
from konverge.cluster.apiserver.schema.embedded import check_embedded
from konverge.cluster.apiserver.schema.finding import field_errors
from konverge.cluster.apiserver.schema.list_types import check_list_types
from konverge.cluster.apiserver.schema.rules import check_rules
from konverge.cluster.apiserver.schema.structural import Structural


def validate(
    value: Any,
    node: Structural,
    *,
    old: Any = None,
    own_errors: Sequence[FieldError] = (),
    warnings: list[str] | None = None,
) -> list[FieldError]:
    """Say what is wrong with an object: its values, embedded objects, lists, and its CEL rules.

    `old` is the object that it replaces, None for a new one. `own_errors` are what the kind itself found wrong; they
    stand after those of the values. `warnings` takes what rules would refuse had it not been so before.
    """
    errors = [*value_errors(value, node, old=old), *own_errors]
    errors += check_embedded(value, node)
    errors += list_errors(value, node, old=old)
    verdict = check_rules(value, node, old=old, errors=errors)
    if warnings is not None:
        warnings += verdict.warnings
    return [*errors, *verdict.errors]


def value_errors(value: Any, node: Structural, *, old: Any = None, path: str = "") -> list[FieldError]:
    """Say what is wrong with the values alone; `path` is where the value stands in its object."""
    if accepts(value, node):
        return []
    correlated = None if old is None else Correlated(value, old, node)
    return field_errors(check(value, node, "", correlated), path)


def list_errors(value: Any, node: Structural, *, old: Any = None) -> list[FieldError]:
    """Say what stands twice in sets and maps, unless the old object had such a fault too."""
    errors = check_list_types(value, node)
    if errors and old is not None and check_list_types(old, node):
        return []
    return errors
