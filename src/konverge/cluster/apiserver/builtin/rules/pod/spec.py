"""The spec of a pod, in a pod or in a template: the whole of it, in the order of the real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import address_errors
from konverge.cluster.apiserver.builtin.rules.label_selector import label_errors
from konverge.cluster.apiserver.builtin.rules.number_rules import LARGEST_INT32
from konverge.cluster.apiserver.builtin.rules.pod.containers import choice_errors, container_errors
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import affinity_errors, spread_errors, toleration_errors
from konverge.cluster.apiserver.builtin.rules.pod.security import pod_security_errors
from konverge.cluster.apiserver.builtin.rules.pod.volumes import volume_errors
from konverge.cluster.apiserver.builtin.rules.device.pod_claims import pod_claim_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_label, dns_subdomain, qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION: Final = ("PreemptLowerPriority", "Never")
_SYSTEMS: Final = ("linux", "windows")
_MOST_NAMESERVERS: Final = 3
_MOST_SEARCHES: Final = 32
_LONGEST_HOSTNAME: Final = 64


def pod_spec_errors(spec: JsonObject, path: str, *, is_pod: bool = False) -> Iterator[FieldError]:
    """Judge a spec; a pod's is asked for a little more than a template's."""
    if spec.get("terminationGracePeriodSeconds") is None:
        yield field_error.required(f"{path}.terminationGracePeriodSeconds")
    volumes: dict[str, JsonObject] = {}
    if found := spec.get("volumes"):
        yield from volume_errors(found, f"{path}.volumes", known=volumes)
    if claims := spec.get("resourceClaims"):
        yield from pod_claim_errors(claims, f"{path}.resourceClaims")
    yield from container_errors(spec, path, volumes=volumes)
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
    yield from _dns_errors(spec.get("dnsConfig"), f"{path}.dnsConfig", policy=spec.get("dnsPolicy"))
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        kind, where = gate.get("conditionType", ""), f"{path}.readinessGates[{index}].conditionType"
        yield from (field_error.invalid(where, kind, wrong) for wrong in qualified_name(kind))
    yield from _gate_errors(spec.get("schedulingGates") or [], f"{path}.schedulingGates")
    if constraints := spec.get("topologySpreadConstraints"):
        yield from spread_errors(constraints, f"{path}.topologySpreadConstraints")
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
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            if container.get("volumeDevices"):
                where = f"{path}.{kind}[{index}].volumeDevices"
                yield field_error.forbidden(where, "when `hostUsers` is false")


def _host_network_errors(spec: JsonObject, path: str, *, is_pod: bool) -> Iterator[FieldError]:
    for index, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort", 0)
            if (is_pod or host) and host != port.get("containerPort", 0):
                where = f"{path}.containers[{index}].ports[{number}].hostPort"
                wrong = "must match `containerPort` when `hostNetwork` is true"
                yield field_error.invalid(where, host, wrong)


def _dns_errors(config: JsonObject | None, path: str, *, policy: str | None) -> Iterator[FieldError]:
    if policy == "None":
        if config is None:
            yield field_error.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            needed = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield field_error.required(f"{path}.nameservers", needed)
            return
    if not config:
        return
    servers, searches = config.get("nameservers") or [], config.get("searches") or []
    if len(servers) > _MOST_NAMESERVERS:
        wrong = f"must not have more than {_MOST_NAMESERVERS} nameservers"
        yield field_error.invalid(f"{path}.nameservers", servers, wrong)
    for index, server in enumerate(servers):
        yield from address_errors(server, f"{path}.nameservers[{index}]")
    if len(searches) > _MOST_SEARCHES:
        wrong = f"must not have more than {_MOST_SEARCHES} search paths"
        yield field_error.invalid(f"{path}.searches", searches, wrong)
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            yield field_error.required(f"{path}.options[{index}]", "must not be empty")


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
    if (system := spec.get("os")) is not None:
        if not system.get("name"):
            yield field_error.required(f"{path}.os.name")
        elif system["name"] not in _SYSTEMS:
            yield field_error.not_supported(f"{path}.os", system["name"], _SYSTEMS)
    yield from _file_errors(spec, path)


def _file_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge variables that come from files: those lie in a volume that starts empty."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            for number, variable in enumerate(container.get("env") or ()):
                if (ref := (variable.get("valueFrom") or {}).get("fileKeyRef")) is not None:
                    where = f"{path}.{kind}[{index}].env[{number}].valueFrom.fileKeyRef.volumeName"
                    yield from _file_volume_errors(ref.get("volumeName", ""), spec, path=where)


def _file_volume_errors(name: str, spec: JsonObject, *, path: str) -> Iterator[FieldError]:
    volume = next((each for each in spec.get("volumes") or () if each.get("name", "") == name), None)
    if volume is None:
        yield field_error.not_found(path, name)
    elif volume.get("emptyDir") is None:
        yield field_error.invalid(path, name, "referenced volume must be of type emptyDir")
