"""A label selector as the messages of Kubernetes' controllers show it."""

from __future__ import annotations

from konverge.api.meta import LabelSelector


def selector_text(selector: LabelSelector | None) -> str:
    """Return the text of a selector, as Go prints the struct."""
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.match_labels or {}).items()))
    demands = "".join(
        f"LabelSelectorRequirement{{Key:{each.key},Operator:{each.operator},Values:[{' '.join(each.values or ())}],}},"
        for each in selector.match_expressions or ()
    )
    inside = f"MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{demands}}},"
    return f"&LabelSelector{{{inside}}}"
