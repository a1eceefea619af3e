"""Defaults of small kinds of the core group."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, texts
from konverge.cluster.apiserver.strategy import JsonObject

NAME_LABEL: Final = "kubernetes.io/metadata.name"


def default_namespace(value: JsonObject) -> None:
    """Give a namespace its name as a label."""
    metadata = value["metadata"]
    if name := metadata.get("name"):
        metadata["labels"] = {**metadata.get("labels", {}), NAME_LABEL: name}


def _secret(value: JsonObject) -> None:
    """A secret's type; texts that were given in the clear become data, and are not kept as such."""
    for name, text in value.pop("stringData", {}).items():
        value.setdefault("data", {})[name] = base64.b64encode(text.encode()).decode()
    if not value.get("type"):
        value["type"] = "Opaque"


def _replication_controller(value: JsonObject) -> None:
    """One that says neither whom it selects nor its labels takes both from its template."""
    spec = value.setdefault("spec", {})
    labels = spec.get("template", {}).get("metadata", {}).get("labels")
    if labels:
        if not spec.get("selector"):
            spec["selector"] = dict(labels)
        if not value["metadata"].get("labels"):
            value["metadata"]["labels"] = dict(labels)


def _node_spec(value: JsonObject) -> None:
    """The one range of addresses that nodes had once, and the several that they have now."""
    if first := value.get("podCIDR"):
        if first not in value.get("podCIDRs", ())[:1]:
            value["podCIDRs"] = [first]
    elif any(value.get("podCIDRs", ())[:1]):
        value["podCIDR"] = value["podCIDRs"][0]


def _node_status(value: JsonObject) -> None:
    if "allocatable" not in value and "capacity" in value:
        value["allocatable"] = dict(value["capacity"])


def _limit_range_item(value: JsonObject) -> None:
    """A container's default limit is the most that it may have; its default request that, or the least."""
    if value.get("type") != "Container":
        return
    limits = {**value.get("max", {}), **value.get("default", {})}
    requests = {**value.get("min", {}), **limits, **value.get("defaultRequest", {})}
    for name, amounts in (("default", limits), ("defaultRequest", requests)):
        if amounts:
            value[name] = amounts


DEFAULTS: Final[Mapping[str, Default]] = {
    "EndpointPort": texts(protocol="TCP"),
    "LimitRangeItem": _limit_range_item,
    "Namespace": default_namespace,
    "NamespaceStatus": texts(phase="Active"),
    "NodeSpec": _node_spec,
    "NodeStatus": _node_status,
    "ReplicationController": _replication_controller,
    "Secret": _secret,
}
