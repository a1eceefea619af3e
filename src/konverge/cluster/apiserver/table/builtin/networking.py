"""Kinds of the group networking.k8s.io."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.failure import qualified
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.core import ingress_points
from konverge.cluster.apiserver.table.builtin.parts import (
    NONE,
    Cells,
    Printer,
    age_of,
    below,
    listed,
    name_of,
    selector_text,
)

_DEFAULT: Final = "ingressclass.kubernetes.io/is-default-class"
_MOST_HOSTS: Final = 3


def _ingress(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    chosen = spec.get("ingressClassName")
    return [
        name_of(value),
        NONE if chosen is None else chosen,
        _hosts(listed(spec, "rules")),
        ",".join(ingress_points(value)),
        "80, 443" if listed(spec, "tls") else "80",
        age_of(value),
    ]


def _hosts(rules: list[JsonObject]) -> str:
    """Return the first hosts; what comes after the third is counted by rules, named or not."""
    shown: list[str] = []
    for rule in rules:
        if len(shown) == _MOST_HOSTS:
            return f"{','.join(shown)} + {len(rules) - _MOST_HOSTS} more..."
        if rule.get("host"):
            shown.append(rule["host"])
    return ",".join(shown) or "*"


def _ingress_class(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    is_default = below(value, "metadata", "annotations").get(_DEFAULT) == "true"
    name = f"{name_of(value)} (default)" if is_default else name_of(value)
    parameters = spec.get("parameters")
    return [name, spec.get("controller", ""), NONE if parameters is None else _parameters(parameters), age_of(value)]


def _parameters(parameters: JsonObject) -> str:
    kind = parameters.get("kind", "")
    if parameters.get("apiGroup") is not None:
        kind = f"{kind}.{parameters['apiGroup']}"
    return f"{kind}/{parameters.get('name', '')}"


def _ip_address(value: JsonObject) -> Cells:
    parent = below(value, "spec").get("parentRef")
    return [name_of(value), NONE if parent is None else _parent(parent), age_of(value)]


def _parent(parent: JsonObject) -> str:
    kind = qualified(parent.get("resource", ""), parent.get("group", "")).lower()
    return "/".join(part for part in (kind, parent.get("namespace", ""), parent.get("name", "")) if part)


def _network_policy(value: JsonObject) -> Cells:
    return [name_of(value), selector_text(below(value, "spec").get("podSelector")), age_of(value)]


def _service_cidr(value: JsonObject) -> Cells:
    return [name_of(value), ",".join(listed(value, "spec", "cidrs")), age_of(value)]


PRINTERS: Final[dict[str, Printer]] = {
    "Ingress": _ingress,
    "IngressClass": _ingress_class,
    "IPAddress": _ip_address,
    "NetworkPolicy": _network_policy,
    "ServiceCIDR": _service_cidr,
}
