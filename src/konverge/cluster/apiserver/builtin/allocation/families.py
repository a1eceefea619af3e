"""The IP families of a service: this server has one, IPv4, for all services that have addresses."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.rules.address import is_ipv6
from konverge.cluster.apiserver.builtin.rules.service_addresses import cluster_ip_errors
from konverge.cluster.apiserver.failure import invalid
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_FAMILY: Final = "IPv4"
_OTHER: Final = {"IPv4": "IPv6", "IPv6": "IPv4"}
_SINGLE: Final = "SingleStack"
_DUAL: Final = "RequireDualStack"


def set_families(admission: Admission, old: JsonObject | None) -> None:
    """Set a service's families and their policy; raise where they are not to be had."""
    spec = admission.spec
    if spec.get("type") == "ExternalName":
        return
    is_bare = spec.get("clusterIP") == "None" and not spec.get("selector")  # headless, and nobody knows its endpoints
    if "ipFamilyPolicy" not in spec:
        spec["ipFamilyPolicy"] = (old or {}).get("ipFamilyPolicy") or (_DUAL if is_bare else _SINGLE)
    if errors := cluster_ip_errors(spec, old) or _dual_errors(spec, old):
        raise invalid("Service", "", admission.value["metadata"].get("name", ""), errors)
    if is_bare:
        _set_of_bare(spec)
        return
    if errors := _errors(spec):
        raise invalid("Service", "", admission.value["metadata"].get("name", ""), errors)
    if not spec.get("ipFamilies"):
        spec["ipFamilies"] = [_FAMILY]


def _dual_errors(spec: JsonObject, old: JsonObject | None) -> list[FieldError]:
    several, families, policy = spec.get("clusterIPs") or [], spec.get("ipFamilies") or [], spec["ipFamilyPolicy"]
    is_same = old is not None and families == (old.get("ipFamilies") or [])
    errors = []
    for found, what in ((several, "cluster IPs"), ([] if is_same else families, "IP families")):
        if policy == _SINGLE and len(found) > 1:
            wrong = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
            errors.append(field_error.invalid("spec.ipFamilyPolicy", policy, wrong))
    return errors + [
        field_error.invalid(f"spec.clusterIPs[{index}]", several, "IPv6 is not configured on this cluster")
        for index, text in enumerate(several)
        if index >= len(families) and is_ipv6(text)
    ]


def _set_of_bare(spec: JsonObject) -> None:
    families = spec.get("ipFamilies") or [_FAMILY]
    if len(families) == 1 and spec["ipFamilyPolicy"] != _SINGLE:
        families = [*families, _OTHER.get(families[0], _FAMILY)]
    spec["ipFamilies"] = families


def _errors(spec: JsonObject) -> list[FieldError]:
    errors = []
    families, policy = spec.get("ipFamilies", ()), spec["ipFamilyPolicy"]
    if policy == _DUAL:
        text = "this cluster is not configured for dual-stack services"
        errors.append(field_error.invalid("spec.ipFamilyPolicy", policy, text))
    for index, family in enumerate(families):
        if family != _FAMILY:
            errors.append(field_error.invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster"))
    return errors
