"""Warnings of services."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver.builtin.warnings.addresses import address_warnings, range_warnings
from konverge.cluster.apiserver.strategy import JsonObject

_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"


def service_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:  # noqa: ARG001 - as every kind's
    """Warn of what is deprecated, or ignored for the type of a service."""
    spec = value["spec"]
    found = list(_of_annotations(value["metadata"].get("annotations", {})))
    is_headless = spec["type"] == "ClusterIP" and spec.get("clusterIP") == "None"
    if not is_headless:
        for index, text in enumerate(spec.get("clusterIPs", ())):
            found += address_warnings(f"spec.clusterIPs[{index}]", text)
    else:
        found += _of_headless(spec)
    for index, text in enumerate(spec.get("externalIPs", ())):
        found += address_warnings(f"spec.externalIPs[{index}]", text)
    if spec.get("externalIPs") and not is_headless and spec["type"] != "ExternalName":
        found.append("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
    if text := spec.get("loadBalancerIP"):
        found += address_warnings("spec.loadBalancerIP", text)
    for index, text in enumerate(spec.get("loadBalancerSourceRanges", ())):
        found += range_warnings(f"spec.loadBalancerSourceRanges[{index}]", text)
    return [*found, *_of_type(spec)]


def _of_annotations(annotations: JsonObject) -> Iterator[str]:
    if _HINTS in annotations:
        yield f"annotation {_HINTS} is deprecated, please use {_MODE} instead"


def _of_headless(spec: JsonObject) -> Iterator[str]:
    if spec.get("loadBalancerIP"):
        yield "spec.loadBalancerIP is ignored for headless services"
    if spec.get("externalIPs"):
        yield "spec.externalIPs is ignored for headless services"
    if spec.get("sessionAffinity") != "None":
        yield "spec.SessionAffinity is ignored for headless services"


def _of_type(spec: JsonObject) -> Iterator[str]:
    is_name = spec["type"] == "ExternalName"
    if is_name and spec.get("externalIPs"):
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if not is_name and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'
