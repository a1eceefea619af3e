"""Nodes: taints and ranges of addresses; what a controller has once set stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import range_errors, read_range
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import label_name_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import label_value
from konverge.cluster.apiserver.strategy import JsonObject

_RANGES: Final = "spec.podCIDRs"
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ONCE: Final = 'node updates may not change {} except from "" to valid'
_MOST_RANGES: Final = 2


def _prepare_for_create(value: JsonObject) -> None:
    (value.get("spec") or {}).pop("configSource", None)  # its feature is gone


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:  # noqa: ARG001 - the same for all
    if "configSource" not in (old.get("spec") or {}):
        (value.get("spec") or {}).pop("configSource", None)


def _validate(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    return [*_taint_errors(spec.get("taints") or []), *_range_errors(spec.get("podCIDRs") or [])]


def _taint_errors(taints: list[JsonObject]) -> Iterator[FieldError]:
    seen: list[tuple[str, str]] = []
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
            yield field_error.FieldError(
                field_error.Fault.DUPLICATE, path, taint, "taints must be unique by key and effect pair"
            )
        seen.append((key, effect))


def _range_errors(ranges: list[str]) -> Iterator[FieldError]:
    for index, text in enumerate(ranges):
        yield from range_errors(text, f"{_RANGES}[{index}]")
    families = [network.version for text in ranges if (network := read_range(text)) is not None]
    if len(ranges) > 1 and (len(set(families)) < _MOST_RANGES or len(ranges) > _MOST_RANGES):
        yield field_error.invalid(_RANGES, ranges, "may specify no more than one CIDR for each IP family")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    spec, before = value.get("spec") or {}, old.get("spec") or {}
    errors = list(_taint_errors(spec.get("taints") or [])) if subresource else _validate(value)
    if before.get("podCIDRs") and spec.get("podCIDRs") != before["podCIDRs"]:
        errors.append(field_error.forbidden(_RANGES, _ONCE.format("podCIDR")))
    if before.get("providerID") and spec.get("providerID") != before["providerID"]:
        errors.append(field_error.forbidden("spec.providerID", _ONCE.format("providerID")))
    if spec.get("externalID", "") != before.get("externalID", ""):
        errors.append(field_error.forbidden("spec.externalID", "may not be updated"))
    return errors


NODE: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
