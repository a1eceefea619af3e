"""Defaults of network policies and ingress classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, constants
from konverge.cluster.apiserver.strategy import JsonObject


def _network_policy(value: JsonObject) -> None:
    spec = value.setdefault("spec", {})
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


DEFAULTS: Final[Mapping[str, Default]] = {
    "IngressClassParametersReference": constants(scope="Cluster"),
    "NetworkPolicy": _network_policy,
    "NetworkPolicyPort": constants(protocol="TCP"),
}
