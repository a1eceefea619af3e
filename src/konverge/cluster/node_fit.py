"""Whether a node takes a pod: its name, labels, taints and cordon, by the rules of the real scheduler; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from konverge.models import core_v1

_UNSCHEDULABLE_TAINT: Final = "node.kubernetes.io/unschedulable"
_KEEPS_AWAY: Final = ("NoSchedule", "NoExecute")


def misfit(pod: core_v1.Pod, node: core_v1.Node) -> str | None:
    """Return why a node does not take a pod; None if it does."""
    if node.spec.unschedulable and not tolerates(pod, core_v1.Taint(key=_UNSCHEDULABLE_TAINT, effect="NoSchedule")):
        return "node(s) were unschedulable"
    if (taint := next(_kept_away_by(pod, node), None)) is not None:
        return f"node(s) had untolerated taint(s) {{{taint.key}: {taint.value or ''}}}"
    if not selects(pod, node):
        return "node(s) didn't match Pod's node affinity/selector"
    return None


def _kept_away_by(pod: core_v1.Pod, node: core_v1.Node) -> Iterator[core_v1.Taint]:
    return (taint for taint in node.spec.taints or () if taint.effect in _KEEPS_AWAY and not tolerates(pod, taint))


def tolerates(pod: core_v1.Pod, taint: core_v1.Taint) -> bool:
    """Whether a pod has a toleration for a taint."""
    return any(_matches(toleration, taint) for toleration in pod.spec.tolerations or ())


def _matches(toleration: core_v1.Toleration, taint: core_v1.Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if (toleration.operator or "Equal") == "Exists":
        return True
    return (toleration.value or "") == (taint.value or "")


def selects(pod: core_v1.Pod, node: core_v1.Node) -> bool:
    """Whether a node is one that a pod asks for, by its node selector and its required node affinity."""
    labels = node.metadata.labels or {}
    wanted = pod.spec.node_selector or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity else None
    if required is None:
        return True
    return any(_term_matches(term, node) for term in required.node_selector_terms)


def _term_matches(term: core_v1.NodeSelectorTerm, node: core_v1.Node) -> bool:
    """Whether a node meets all of a term; an empty term matches nothing."""
    fields = {"metadata.name": node.metadata.name or ""}
    labels = node.metadata.labels or {}
    asked = [
        *((each, labels) for each in term.match_expressions or ()),
        *((each, fields) for each in term.match_fields or ()),
    ]
    return bool(asked) and all(_requirement_met(each, values) for each, values in asked)


_OPERATORS: Final[Mapping[str, Callable[[str | None, list[str]], bool]]] = {
    "In": lambda value, wanted: value is not None and value in wanted,
    "NotIn": lambda value, wanted: value is None or value not in wanted,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
    "Gt": lambda value, wanted: _number(value, wanted, lambda one, other: one > other),
    "Lt": lambda value, wanted: _number(value, wanted, lambda one, other: one < other),
}


def _requirement_met(requirement: core_v1.NodeSelectorRequirement, values: Mapping[str, str]) -> bool:
    decide = _OPERATORS.get(requirement.operator)
    return decide is not None and decide(values.get(requirement.key), requirement.values or [])


def _number(value: str | None, wanted: list[str], compare: Callable[[int, int], bool]) -> bool:
    try:
        return value is not None and compare(int(value), int(wanted[0]))
    except (ValueError, IndexError):
        return False
