"""The spec of a pod, in a pod or in a template: the whole of it, in the order of the real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import address_errors
from konverge.cluster.apiserver.builtin.rules.device.pod_claims import pod_claim_errors
from konverge.cluster.apiserver.builtin.rules.label_selector import label_errors
from konverge.cluster.apiserver.builtin.rules.number_rules import LARGEST_INT32
from konverge.cluster.apiserver.builtin.rules.pod.annotations import MIRROR, NOWHERE
from konverge.cluster.apiserver.builtin.rules.pod.container_resources import resource_errors
from konverge.cluster.apiserver.builtin.rules.pod.containers import choice_errors, container_errors
from konverge.cluster.apiserver.builtin.rules.pod.dns import dns_errors
from konverge.cluster.apiserver.builtin.rules.pod.each_container import each_container
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import affinity_errors, spread_errors, toleration_errors
from konverge.cluster.apiserver.builtin.rules.pod.security import pod_security_errors
from konverge.cluster.apiserver.builtin.rules.pod.volumes import volume_errors
from konverge.cluster.apiserver.builtin.rules.pod.whole_resources import whole_resource_errors
from konverge.cluster.apiserver.builtin.rules.pod.windows import host_process_errors, system_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_label, dns_subdomain, qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION: Final = ("PreemptLowerPriority", "Never")
_LONGEST_HOSTNAME: Final = 64


def pod_spec_errors(spec: JsonObject, path: str, *, metadata: JsonObject | None = None) -> Iterator[FieldError]:
    """Judge a spec; a pod's, given its metadata, is asked for a little more than a template's."""
    is_pod = metadata is not None
    if spec.get("terminationGracePeriodSeconds") is None:
        yield field_error.required(f"{path}.terminationGracePeriodSeconds")
    volumes: dict[str, JsonObject] = {}
    if found := spec.get("volumes"):
        yield from volume_errors(found, f"{path}.volumes", metadata=metadata, known=volumes)
    if claims := spec.get("resourceClaims"):
        yield from _claim_errors(claims, f"{path}.resourceClaims", metadata=metadata)
    yield from container_errors(spec, path, volumes=volumes)
    if spec.get("resources") is not None:
        yield from whole_resource_errors(spec, path)
    if spec.get("hostNetwork"):
        yield from _host_network_errors(spec, path, is_pod=is_pod)
    yield from choice_errors(spec.get("restartPolicy", ""), f"{path}.restartPolicy", choices=_RESTART_POLICIES)
    yield from choice_errors(spec.get("dnsPolicy", ""), f"{path}.dnsPolicy", choices=_DNS_POLICIES)
    if selector := spec.get("nodeSelector"):
        yield from label_errors(selector, f"{path}.nodeSelector")
    yield from pod_security_errors(spec, path)
    yield from _placement_errors(spec, path)
    yield from _name_errors(spec, path)
    yield from _rest_errors(spec, path)
    if is_pod and not spec.get("serviceAccountName"):
        yield from _token_errors(spec, path)


def _claim_errors(claims: list[JsonObject], path: str, *, metadata: JsonObject | None) -> Iterator[FieldError]:
    if MIRROR in ((metadata or {}).get("annotations") or {}):
        yield from (field_error.forbidden(NOWHERE, "static pods do not support resource claims") for _ in claims)
    else:
        yield from pod_claim_errors(claims, path)


def _token_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge tokens of nobody."""
    for index, volume in enumerate(spec.get("volumes") or ()):
        for number, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if source.get("serviceAccountToken") is not None:
                where = f"{path}.volumes[{index}].projected.sources[{number}].serviceAccountToken"
                yield field_error.forbidden(where, "must not be specified when serviceAccountName is not set")


def _placement_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    if affinity := spec.get("affinity"):
        yield from affinity_errors(affinity, f"{path}.affinity")
    if spec.get("dnsConfig") or spec.get("dnsPolicy") == "None":
        yield from dns_errors(spec, path)
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        kind, where = gate.get("conditionType", ""), f"{path}.readinessGates[{index}].conditionType"
        yield from (field_error.invalid(where, kind, wrong) for wrong in qualified_name(kind))
    yield from _gate_errors(spec.get("schedulingGates") or [], f"{path}.schedulingGates")
    if constraints := spec.get("topologySpreadConstraints"):
        yield from spread_errors(constraints, f"{path}.topologySpreadConstraints")
    yield from host_process_errors(spec, path)
    if spec.get("hostUsers") is False:
        yield from _own_users_errors(spec, path)


def _gate_errors(gates: list[JsonObject], path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name, where = gate.get("name", ""), f"{path}[{index}]"
        yield from (field_error.invalid(where, name, wrong) for wrong in qualified_name(name))
        if name in seen:
            yield field_error.duplicate(where, name)
        seen.add(name)


def _own_users_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    for name, shown in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(name):
            yield field_error.forbidden(f"{path}.{shown}", "when `hostUsers` is false")
    for container, where in each_container(spec, path):
        if container.get("volumeDevices"):
            yield field_error.forbidden(f"{where}.volumeDevices", "when `hostUsers` is false")


def _host_network_errors(spec: JsonObject, path: str, *, is_pod: bool) -> Iterator[FieldError]:
    for index, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort", 0)
            if (is_pod or host) and host != port.get("containerPort", 0):
                where = f"{path}.containers[{index}].ports[{number}].hostPort"
                wrong = "must match `containerPort` when `hostNetwork` is true"
                yield field_error.invalid(where, host, wrong)


def _name_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    if (override := spec.get("hostnameOverride")) is not None:
        yield from _override_errors(spec, override, f"{path}.hostnameOverride")
    for name in ("serviceAccountName", "nodeName"):
        if value := spec.get(name):
            yield from (field_error.invalid(f"{path}.{name}", value, wrong) for wrong in dns_subdomain(value))
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= LARGEST_INT32:
        wrong = f"must be between 1 and {LARGEST_INT32}, inclusive"
        yield field_error.invalid(f"{path}.activeDeadlineSeconds", deadline, wrong)
    for name in ("hostname", "subdomain"):
        if value := spec.get(name):
            yield from (field_error.invalid(f"{path}.{name}", value, wrong) for wrong in dns_label(value))


def _override_errors(spec: JsonObject, override: str, path: str) -> Iterator[FieldError]:
    if spec.get("setHostnameAsFQDN"):
        yield field_error.forbidden(path, "may not be specified when setHostnameAsFQDN is true")
    if spec.get("hostNetwork"):
        yield field_error.forbidden(path, "may not be specified when hostNetwork is true")
    if len(override) > _LONGEST_HOSTNAME:
        yield field_error.too_long(path, _LONGEST_HOSTNAME)
    yield from (field_error.invalid(path, override, wrong) for wrong in dns_subdomain(override))


def _rest_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    if tolerations := spec.get("tolerations"):
        yield from toleration_errors(tolerations, f"{path}.tolerations")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        where = f"{path}.hostAliases[{index}]"
        yield from address_errors(alias.get("ip", ""), f"{where}.ip")
        for number, name in enumerate(alias.get("hostnames") or ()):
            at = f"{where}.hostnames[{number}]"
            yield from (field_error.invalid(at, name, wrong) for wrong in dns_subdomain(name))
    for name in ("priorityClassName", "runtimeClassName"):
        if value := spec.get(name):
            yield from (field_error.invalid(f"{path}.{name}", value, wrong) for wrong in dns_subdomain(value))
    if (preemption := spec.get("preemptionPolicy")) is not None:
        yield from choice_errors(preemption, f"{path}.preemptionPolicy", choices=_PREEMPTION)
    if (overhead := spec.get("overhead")) is not None:
        yield from resource_errors({"limits": overhead}, f"{path}.overhead")
    if spec.get("os") is not None:
        yield from system_errors(spec, path)
    yield from _file_errors(spec, path)


def _file_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge variables that come from files: those lie in a volume that starts empty."""
    for container, where in each_container(spec, path):
        for index, variable in enumerate(container.get("env") or ()):
            if (ref := (variable.get("valueFrom") or {}).get("fileKeyRef")) is not None:
                at = f"{where}.env[{index}].valueFrom.fileKeyRef.volumeName"
                yield from _file_volume_errors(ref.get("volumeName", ""), spec, path=at)


def _file_volume_errors(name: str, spec: JsonObject, *, path: str) -> Iterator[FieldError]:
    volume = next((each for each in spec.get("volumes") or () if each.get("name", "") == name), None)
    if volume is None:
        yield field_error.not_found(path, name)
    elif volume.get("emptyDir") is None:
        yield field_error.invalid(path, name, "referenced volume must be of type emptyDir")
