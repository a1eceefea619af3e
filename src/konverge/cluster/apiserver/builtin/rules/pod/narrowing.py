"""A pod that waits for gates may still be told where to go: nearer to where it was told before, never elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_AT: Final = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"


def narrowing_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge the node selector and the affinity to nodes against the old ones."""
    selector, before = spec.get("nodeSelector") or {}, old.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in before.items()):
        wrong = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield field_error.invalid("spec.nodeSelector", spec.get("nodeSelector"), wrong)
    terms, known = _terms(spec), _terms(old)
    if known and len(terms or ()) != len(known):
        wrong = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        yield field_error.invalid(_AT, internal_text("[]core.NodeSelectorTerm", terms), wrong)
        return
    for index, (term, other) in enumerate(zip(terms or (), known or (), strict=False)):
        if not _is_narrower(term, other):
            wrong = "only additions are allowed (no mutations or deletions)"
            shown = internal_text("core.NodeSelectorTerm", term)
            yield field_error.invalid(f"{_AT}[{index}]", shown, wrong)


def _terms(spec: JsonObject) -> list[JsonObject] | None:
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    found: list[JsonObject] | None = required.get("nodeSelectorTerms")
    return found


def _is_narrower(term: JsonObject, old: JsonObject) -> bool:
    pairs = [_requirements(term, old, name) for name in ("matchExpressions", "matchFields")]
    if not any(before for _, before in pairs):
        return not any(after for after, _ in pairs)  # a term of nothing selects nothing, and more would widen it
    return all(json_equal(after[: len(before)], before) for after, before in pairs)


def _requirements(term: JsonObject, old: JsonObject, name: str) -> tuple[list[Any], list[Any]]:
    return list(term.get(name) or ()), list(old.get(name) or ())
