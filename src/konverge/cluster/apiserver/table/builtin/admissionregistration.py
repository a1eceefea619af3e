"""Kinds of the group admissionregistration.k8s.io."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import UNSET, Cells, Printer, age_of, below, listed, name_of


def _webhooks(value: JsonObject) -> Cells:
    return [name_of(value), len(listed(value, "webhooks")), age_of(value)]


def _policy(rules: str) -> Printer:
    return lambda value: [name_of(value), len(listed(value, "spec", rules)), _param_kind(value), age_of(value)]


def _param_kind(value: JsonObject) -> str:
    kind = below(value, "spec").get("paramKind")
    return UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


def _binding(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    return [name_of(value), spec.get("policyName", ""), _param(spec.get("paramRef") or {}), age_of(value)]


def _param(reference: JsonObject) -> str:
    if reference.get("name"):
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    selector = reference.get("selector")
    return UNSET if selector is None else _go_selector(selector)


def _go_selector(selector: JsonObject) -> str:
    """Return a LabelSelector as Go prints the struct."""
    labels = "".join(f"{name}: {value}," for name, value in sorted(below(selector, "matchLabels").items()))
    expressions = "".join(f"{_go_expression(found)}," for found in listed(selector, "matchExpressions"))
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


def _go_expression(expression: dict[str, Any]) -> str:
    key, operator = expression.get("key", ""), expression.get("operator", "")
    values = " ".join(expression.get("values") or ())
    return f"LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}}"


PRINTERS: Final[dict[str, Printer]] = {
    "MutatingAdmissionPolicy": _policy("mutations"),
    "MutatingAdmissionPolicyBinding": _binding,
    "MutatingWebhookConfiguration": _webhooks,
    "ValidatingAdmissionPolicy": _policy("validations"),
    "ValidatingAdmissionPolicyBinding": _binding,
    "ValidatingWebhookConfiguration": _webhooks,
}
