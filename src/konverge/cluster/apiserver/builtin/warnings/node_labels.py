"""Labels of nodes that have other names now."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.name_rules import label_value
from konverge.cluster.apiserver.strategy import JsonObject

OLD_LABELS: Final = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def term_warnings(path: str, term: JsonObject, *, checks_values: bool = False) -> list[str]:
    """Warn of a term of a node selector."""
    found = []
    for index, expression in enumerate(term.get("matchExpressions", ())):
        where, key = f"{path}.matchExpressions[{index}]", expression.get("key", "")
        if key in OLD_LABELS:
            found.append(f"{where}.key: {key} is {OLD_LABELS[key]}")
        if checks_values:
            for place, value in enumerate(expression.get("values", ())):
                found += [f"{where}.values[{place}]: {value} is invalid, {text}" for text in label_value(value)]
    return found
