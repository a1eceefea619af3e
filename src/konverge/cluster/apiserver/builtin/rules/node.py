"""Nodes: taints and ranges of addresses; what a controller has once set stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import range_errors, read_range
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import label_name_errors
from konverge.cluster.apiserver.builtin.rules.status.node import (
    node_address_errors,
    node_amount_errors,
    node_feature_errors,
    node_swap_errors,
)
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import before_suffix, dns_subdomain, label_value
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_RANGES: Final = "spec.podCIDRs"
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ONCE: Final = 'node updates may not change {} except from "" to valid'
_MOST_RANGES: Final = 2


def _prepare_for_create(value: JsonObject) -> None:
    (value.get("spec") or {}).pop("configSource", None)  # its feature is gone
    (value.get("status") or {}).pop("config", None)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:  # noqa: ARG001 - the same for all
    for part, name in (("spec", "configSource"), ("status", "config")):
        if name not in (old.get(part) or {}):
            (value.get(part) or {}).pop(name, None)


def _validate(value: JsonObject) -> list[FieldError]:
    spec, status = value.get("spec") or {}, value.get("status") or {}
    return [
        *_taint_errors(spec.get("taints") or []),
        *node_amount_errors(status),
        *node_swap_errors(status),
        *node_feature_errors(status),
        *_range_errors(spec.get("podCIDRs") or []),
    ]


def _taint_errors(taints: list[JsonObject]) -> Iterator[FieldError]:
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        path, key = f"metadata.taints[{index}]", taint.get("key", "")  # as the real server names it
        value, effect = taint.get("value", ""), taint.get("effect", "")
        yield from label_name_errors(key, f"{path}.key")
        if wrong := label_value(value):
            yield field_error.invalid(f"{path}.value", value, ";".join(wrong))
        if not effect:
            yield field_error.required(f"{path}.effect")
        elif effect not in _EFFECTS:
            yield field_error.not_supported(f"{path}.effect", effect, _EFFECTS)
        if (key, effect) in seen:
            shown, wrong_pair = internal_text("core.Taint", taint), "taints must be unique by key and effect pair"
            yield field_error.FieldError(field_error.Fault.DUPLICATE, path, shown, wrong_pair)
        seen.add((key, effect))


def _range_errors(ranges: list[str]) -> Iterator[FieldError]:
    for index, text in enumerate(ranges):
        yield from range_errors(text, f"{_RANGES}[{index}]")
    if len(ranges) < _MOST_RANGES:
        return
    networks = [read_range(text) for text in ranges]
    if None in networks:
        place = networks.index(None)
        why = f"invalid CIDR[{place}]: <nil> (invalid CIDR address: {ranges[place]})"
        wrong = f"invalid PodCIDRs. failed to check with dual stack with error:{why}"
        yield field_error.internal(_RANGES, wrong)
    families = {network.version for network in networks if network is not None}
    if None in networks or len(families) < _MOST_RANGES or len(ranges) > _MOST_RANGES:
        yield field_error.invalid(_RANGES, ranges, "may specify no more than one CIDR for each IP family")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource:
        return list(_change_errors(value, old))
    # As the real server does: by itself first, then as a change, which judges much of it again.
    errors = new_metadata_errors(value["metadata"], _name_rule, namespaced=False)
    return [*errors, *_validate(value), *_change_errors(value, old)]


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return dns_subdomain(before_suffix(name) if is_prefix else name)


def _change_errors(value: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, before, status = value.get("spec") or {}, old.get("spec") or {}, value.get("status") or {}
    yield from node_amount_errors(status)
    yield from node_feature_errors(status)
    yield from node_address_errors(status.get("addresses") or ())
    yield from _changed_range_errors(spec.get("podCIDRs") or [], before.get("podCIDRs") or [])
    if before.get("providerID") and spec.get("providerID") != before["providerID"]:
        yield field_error.forbidden("spec.providerID", _ONCE.format("providerID"))
    yield from _taint_errors(spec.get("taints") or [])
    if spec.get("externalID", "") != before.get("externalID", ""):
        yield field_error.forbidden("spec.externalID", "may not be updated")


def _changed_range_errors(ranges: list[str], before: list[str]) -> Iterator[FieldError]:
    wrong = field_error.forbidden(_RANGES, _ONCE.format("podCIDR"))
    if len(ranges) == len(before):
        yield from (wrong for new, old in zip(ranges, before, strict=True) if new != old)
    elif before:
        yield wrong


NODE: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
