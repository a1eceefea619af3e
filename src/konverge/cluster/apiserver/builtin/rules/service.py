"""Services: each type has fields of its own, and what only the old type had goes with it."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.allocation.kept import drop_of_other_type
from konverge.cluster.apiserver.builtin.rules.address import address_errors, endpoint_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import label_errors
from konverge.cluster.apiserver.builtin.rules.load_balancer import (
    balancer_errors,
    changed_balancer_errors,
    class_errors,
    status_errors,
)
from konverge.cluster.apiserver.builtin.rules.service_addresses import (
    changed_address_errors,
    changed_family_errors,
    cluster_ip_errors,
    is_headless,
)
from konverge.cluster.apiserver.builtin.rules.service_ports import port_list_errors, repeated_port_errors
from konverge.cluster.apiserver.builtin.rules.service_traffic import changed_traffic_errors, traffic_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES: Final = ("ClientIP", "None")
_NOT_OF_NAMES: Final = "may not be set for ExternalName services"
_MODE: Final = "service.kubernetes.io/topology-mode"
_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_LONGEST_AFFINITY: Final = 86400  # seconds


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if not subresource:
        drop_of_other_type(value, old)
    if value["spec"]["type"] == "ExternalName":
        value["spec"].pop("internalTrafficPolicy", None)  # never shown, though the old type had it


def _validate(value: JsonObject, old: JsonObject | None = None) -> list[FieldError]:
    spec, before = value["spec"], None if old is None else old["spec"]
    errors = _annotation_errors(value["metadata"].get("annotations") or {}) + _type_errors(spec)
    errors += port_list_errors(spec.get("ports") or ())
    errors += label_errors(spec.get("selector"), "spec.selector")
    errors += _affinity_errors(spec)
    errors += cluster_ip_errors(spec, before)
    errors += _external_errors(spec, before)
    errors += _known_type_errors(spec.get("type", ""))
    errors += repeated_port_errors(spec)
    errors += balancer_errors(value, old)
    return errors + traffic_errors(spec)


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return status_errors(value, old)
    spec, before = value["spec"], old["spec"]
    errors = changed_address_errors(spec, before) + changed_family_errors(spec, before)
    errors += changed_balancer_errors(spec, before) + class_errors(spec)
    errors += changed_traffic_errors(spec, before)
    return errors + _validate(value, old)


def _annotation_errors(annotations: JsonObject) -> list[FieldError]:
    if _MODE not in annotations or annotations[_MODE] == annotations.get(_HINTS, annotations[_MODE]):
        return []
    wrong = f"must match annotations[{_HINTS}] when both are specified"
    return [field_error.invalid(f"metadata.annotations[{_MODE}]", annotations[_MODE], wrong)]


def _type_errors(spec: JsonObject) -> list[FieldError]:
    kind = spec.get("type", "")
    errors = []
    if not spec.get("ports") and not is_headless(spec) and kind != "ExternalName":
        errors.append(field_error.required("spec.ports"))
    if kind in ("LoadBalancer", "NodePort") and is_headless(spec):
        errors.append(
            field_error.invalid("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
        )
    return errors + _external_name_errors(spec) if kind == "ExternalName" else errors


def _external_name_errors(spec: JsonObject) -> list[FieldError]:
    addressed = [name for name in ("clusterIPs", "ipFamilies") if spec.get(name)]
    if spec.get("ipFamilyPolicy") is not None:
        addressed.append("ipFamilyPolicy")
    errors = [field_error.forbidden(f"spec.{name}", _NOT_OF_NAMES) for name in addressed]
    path, name = "spec.externalName", spec.get("externalName", "").removesuffix(".")
    if not name:
        return [*errors, field_error.required(path)]
    return errors + [field_error.invalid(path, name, wrong) for wrong in name_rules.dns_subdomain(name)]


def _affinity_errors(spec: JsonObject) -> list[FieldError]:
    affinity, path = spec.get("sessionAffinity", ""), "spec.sessionAffinityConfig"
    if not affinity:
        return [field_error.required("spec.sessionAffinity")]
    if affinity not in _AFFINITIES:
        return [field_error.not_supported("spec.sessionAffinity", affinity, _AFFINITIES)]
    config = spec.get("sessionAffinityConfig")
    if affinity == "ClientIP":
        return _client_errors(config, path)
    wrong = "must not be set when session affinity is None"
    return [] if config is None else [field_error.forbidden(path, wrong)]


def _client_errors(config: JsonObject | None, path: str) -> list[FieldError]:
    needed = "when session affinity type is ClientIP"
    if config is None:
        return [field_error.required(path, needed)]
    if (client := config.get("clientIP")) is None:
        return [field_error.required(f"{path}.clientIP", needed)]
    path = f"{path}.clientIP.timeoutSeconds"
    if (seconds := client.get("timeoutSeconds")) is None:
        return [field_error.required(path, needed)]
    wrong = f"must be greater than 0 and less than {_LONGEST_AFFINITY}"
    return [] if 0 < seconds <= _LONGEST_AFFINITY else [field_error.invalid(path, seconds, wrong)]


def _external_errors(spec: JsonObject, old: JsonObject | None) -> list[FieldError]:
    errors = []
    kept = (old or {}).get("externalIPs") or ()
    for index, text in enumerate(spec.get("externalIPs") or ()):
        path = f"spec.externalIPs[{index}]"
        errors += address_errors(text, path, kept) or endpoint_errors(text, path)
    return errors


def _known_type_errors(kind: str) -> list[FieldError]:
    if not kind:
        return [field_error.required("spec.type")]
    return [] if kind in _TYPES else [field_error.not_supported("spec.type", kind, _TYPES)]


SERVICE: Final = KindRules(prepare_for_update=_prepare_for_update, validate=_validate, validate_update=_validate_update)
