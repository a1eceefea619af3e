"""The status of a node: how much it has, where it is reached, what its kubelet can do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.number_rules import positive
from konverge.cluster.apiserver.builtin.rules.resource_name import amount_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_FEATURE: Final = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")
_LONGEST_FEATURE: Final = 253
_FEATURE_TEXT: Final = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or "
    "MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)


def node_amount_errors(status: JsonObject) -> Iterator[FieldError]:
    """Judge how much a node has, and how much of it pods can have."""
    for part in ("capacity", "allocatable"):
        for name, amount in (status.get(part) or {}).items():
            yield from amount_errors(name, Quantity(amount), f"status.{part}.{name}")


def node_swap_errors(status: JsonObject) -> Iterator[FieldError]:
    """Judge how much swap a node has."""
    capacity = ((status.get("nodeInfo") or {}).get("swap") or {}).get("capacity")
    if capacity is not None:
        yield from positive(capacity, "metadata.nodeSwapStatus.capacity")  # as the real server names it


def node_feature_errors(status: JsonObject) -> Iterator[FieldError]:
    """Judge the names of features, which stand in order."""
    features, path = status.get("declaredFeatures") or [], "status.declaredFeatures"
    for index, (name, following) in enumerate(pairwise([*features, None])):
        if wrong := _feature_fault(name):
            yield field_error.invalid(f"{path}[{index}]", name, f"invalid feature name {quoted(name)}: {wrong}")
        if name == following:
            yield field_error.duplicate(f"{path}[{index + 1}]", following)
        elif following is not None and name.encode() > following.encode():
            yield field_error.invalid(f"{path}[{index + 1}]", following, "list must be sorted alphabetically")


def _feature_fault(name: str) -> str:
    if len(name.encode()) > _LONGEST_FEATURE:
        return f"must be no more than {_LONGEST_FEATURE} characters"
    return "" if _FEATURE.fullmatch(name) else _FEATURE_TEXT


def node_address_errors(addresses: Sequence[JsonObject]) -> Iterator[FieldError]:
    """Judge the addresses of a node, each of which stands there once."""
    seen: set[tuple[str, str]] = set()
    for index, address in enumerate(addresses):
        key = address.get("type", ""), address.get("address", "")
        if key in seen:
            yield field_error.duplicate(f"status.addresses[{index}]", internal_text("core.NodeAddress", address))
        seen.add(key)
