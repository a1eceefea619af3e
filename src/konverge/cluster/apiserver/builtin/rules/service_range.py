"""ServiceCIDRs: one range of each family at most, which stays; a second one may be added."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import canonical_range_fault, read_range
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_RANGES: Final = "spec.cidrs"
_MOST: Final = 2
_FIXED: Final = "field is immutable"
_ONE_EACH: Final = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"


def _ranges(value: JsonObject) -> list[str]:
    found: list[str] = (value.get("spec") or {}).get("cidrs") or []
    return found


def _validate(value: JsonObject) -> list[FieldError]:
    ranges = _ranges(value)
    if not ranges:
        return [field_error.required(_RANGES, "at least one CIDR required")]
    if len(ranges) > _MOST:
        shown = {"CIDRs": ranges}  # as the internal type spells it
        return [field_error.invalid(_RANGES, shown, "may only hold up to 2 values")]
    faults = [(index, text, canonical_range_fault(text)) for index, text in enumerate(ranges)]
    errors = [field_error.invalid(f"{_RANGES}[{index}]", text, fault) for index, text, fault in faults if fault]
    families = [network.version for text in ranges if (network := read_range(text)) is not None]
    if len(families) > len(set(families)):
        errors.append(field_error.invalid(_RANGES, ranges, _ONE_EACH))
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource:
        return []
    new, before = _ranges(value), _ranges(old)
    kept = [_changed(index, text) for index, text in enumerate(new[: len(before)]) if text != before[index]]
    if len(new) == len(before):
        return kept
    if len(before) == 1 and len(new) == _MOST:
        return kept + _validate(value)
    return [field_error.invalid(_RANGES, new, _FIXED)]


def _changed(index: int, value: Any) -> FieldError:
    return field_error.invalid(f"{_RANGES}[{index}]", value, _FIXED)


SERVICE_RANGE: Final = KindRules(validate=_validate, validate_update=_validate_update)
