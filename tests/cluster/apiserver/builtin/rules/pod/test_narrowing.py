"""Pods that wait for gates: where they go may only become narrower."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.builtin.rules.pod.narrowing import narrowing_errors

_ZONE = {"key": "zone", "operator": "In", "values": ["a"]}
_ARCH = {"key": "arch", "operator": "Exists"}


def _to(*terms: dict[str, Any], **selector: str) -> dict[str, Any]:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"nodeSelector": selector, "affinity": {"nodeAffinity": required}}


def _faults(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return [error.detail for error in narrowing_errors(new, old)]


def test_more_may_be_asked_of_nodes() -> None:
    """Another label, another requirement at the end of a term."""
    old = _to({"matchExpressions": [_ZONE]}, a="b")
    assert _faults(_to({"matchExpressions": [_ZONE, _ARCH]}, a="b", c="d"), old) == []
    assert _faults(_to({"matchExpressions": [_ZONE]}), {}) == []


def test_nothing_else_changes() -> None:
    """Labels stay, terms are not added, and requirements stay where they are."""
    old = _to({"matchExpressions": [_ZONE]}, a="b")
    (fault,) = _faults(_to({"matchExpressions": [_ZONE]}, a="c"), old)
    assert fault.startswith("only additions to spec.nodeSelector")
    (fault,) = _faults(_to({"matchExpressions": [_ZONE]}, {"matchExpressions": [_ARCH]}, a="b"), old)
    assert fault.startswith("no additions/deletions")
    (fault,) = _faults(_to({"matchExpressions": [_ARCH, _ZONE]}, a="b"), old)
    assert fault.startswith("only additions are allowed")


def test_a_term_of_nothing_stays_so() -> None:
    """It selects no node, and a requirement would make it select some."""
    assert _faults(_to({"matchExpressions": [_ZONE]}), _to({})) != []
    assert _faults(_to({}), _to({})) == []
