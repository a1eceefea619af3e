"""The addresses of a service and their families: asked for in agreement, and kept for as long as it has any.

The families are judged before addresses are given out, and once more with all the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import address_errors, is_ipv6
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

NONE: Final = "None"
_PATH: Final = "spec.clusterIPs"
_FAMILIES: Final = ("IPv4", "IPv6")
_POLICIES: Final = ("PreferDualStack", "RequireDualStack", "SingleStack")
_SINGLE: Final = "SingleStack"
_FIXED: Final = "may not change once set"
_MOST: Final = 2  # one address of each family


def is_headless(spec: JsonObject) -> bool:
    """Whether a service says that it wants no address."""
    return list(spec.get("clusterIPs") or ()) == [NONE]


def cluster_ip_errors(spec: JsonObject, old: JsonObject | None) -> list[FieldError]:
    """Judge the addresses that a service asks for, and their families."""
    if spec.get("type") == "ExternalName":
        return []
    several = spec.get("clusterIPs") or []
    errors = _agreement_errors(spec.get("clusterIP", ""), several) + _family_errors(spec)
    wrong = _address_errors(several, kept=(old or {}).get("clusterIPs") or ())
    errors += wrong
    if len(several) > _MOST:
        errors.append(field_error.invalid(_PATH, several, "may only hold up to 2 values"))
    return errors if wrong else errors + _matching_errors(spec, several)


def _agreement_errors(one: str, several: Sequence[str]) -> list[FieldError]:
    if not one:
        wrong = "must be empty when `clusterIP` is not specified"
        return [field_error.invalid(_PATH, several, wrong)] if several else []
    if not several:
        return [field_error.required(_PATH)]
    return [] if several[0] == one else [field_error.invalid(_PATH, several, "first value must match `clusterIP`")]


def _family_errors(spec: JsonObject) -> list[FieldError]:
    errors = []
    families = spec.get("ipFamilies") or ()
    again = repeated(families)
    for index, family in enumerate(families):
        path = f"spec.ipFamilies[{index}]"
        if family not in _FAMILIES:
            errors.append(field_error.not_supported(path, family, _FAMILIES))
        if index in again:
            errors.append(field_error.duplicate(path, family))
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _POLICIES:
        errors.append(field_error.not_supported("spec.ipFamilyPolicy", policy, _POLICIES))
    return errors


def _address_errors(several: Sequence[str], *, kept: Sequence[str]) -> list[FieldError]:
    errors = []
    for index, text in enumerate(several):
        if index == 0 and text == NONE:
            if len(several) > 1:
                errors.append(field_error.invalid(_PATH, several, "'None' must be the first and only value"))
        else:
            errors += address_errors(text, f"{_PATH}[{index}]", kept)
    return errors


def _matching_errors(spec: JsonObject, several: Sequence[str]) -> list[FieldError]:
    errors = []
    of_each = {is_ipv6(text) for text in several}
    if len(several) > 1 and len(of_each) == 1:
        errors.append(field_error.invalid(_PATH, several, "may specify no more than one IP for each IP family"))
    if is_headless(spec):
        return errors
    for index, (text, family) in enumerate(zip(several, spec.get("ipFamilies") or (), strict=False)):
        if (family == "IPv6") != is_ipv6(text) and family in _FAMILIES:
            wrong = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            errors.append(field_error.invalid(f"{_PATH}[{index}]", text, wrong))
    return errors


def changed_address_errors(spec: JsonObject, old: JsonObject) -> list[FieldError]:
    """Judge what an update does to the addresses: a second one may come and go."""
    if "ExternalName" in (spec.get("type"), old.get("type")) or (is_headless(spec) and is_headless(old)):
        return []
    new, before = spec.get("clusterIPs") or [], old.get("clusterIPs") or []
    if len(new) == len(before):
        return [
            field_error.invalid(f"{_PATH}[{index}]", new, _FIXED)
            for index, text in enumerate(before)
            if text != new[index]
        ]
    errors = []
    if not new:
        errors.append(field_error.invalid(f"{_PATH}[0]", new, "primary clusterIP can not be unset"))
    if new and before and new[0] != before[0]:
        errors.append(field_error.invalid(f"{_PATH}[0]", new, _FIXED))
    if len(new) == 1 and len(before) > 1:
        errors += _release_errors(spec, "clusterIP")
    return errors


def changed_family_errors(spec: JsonObject, old: JsonObject) -> list[FieldError]:
    """Judge what an update does to the families, as of the addresses."""
    if "ExternalName" in (spec.get("type"), old.get("type")) or is_headless(spec) or is_headless(old):
        return []
    new, before = spec.get("ipFamilies") or [], old.get("ipFamilies") or []
    path = "spec.ipFamilies[0]"
    if len(new) == len(before):
        return [field_error.invalid(path, new, _FIXED) for index, each in enumerate(before) if each != new[index]]
    errors = []
    if new and before and new[0] != before[0]:
        errors.append(field_error.invalid(path, spec.get("clusterIPs") or [], _FIXED))
    if len(new) == 1 and len(before) > 1:
        errors += _release_errors(spec, "ipFamily")
    return errors


def _release_errors(spec: JsonObject, what: str) -> list[FieldError]:
    policy = spec.get("ipFamilyPolicy")
    wrong = f"must be set to 'SingleStack' when releasing the secondary {what}"
    return [] if policy == _SINGLE else [field_error.invalid("spec.ipFamilyPolicy", policy, wrong)]
