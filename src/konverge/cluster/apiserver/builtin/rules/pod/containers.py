"""The containers of a pod, the regular ones, those that run before and those that are added later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.pod_claims import used_claim_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_env import env_errors, env_from_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_mounts import mount_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_probes import PROBES, probe_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_resources import resource_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_restarts import resize_errors, restart_errors
from konverge.cluster.apiserver.builtin.rules.pod.security import container_security_errors
from konverge.cluster.apiserver.builtin.rules.port import PROTOCOLS, port_name, port_number
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_label
from konverge.cluster.apiserver.strategy import JsonObject

Volumes = Mapping[str, JsonObject]
PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_SIDECARS_ONLY: Final = "may not be set for init containers without restartPolicy=Always"
# Of the fields of a container, in Go's order, those that an ephemeral one may not have.
_NOT_EPHEMERAL: Final = (
    *("ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules"),
    *("livenessProbe", "readinessProbe", "startupProbe", "lifecycle"),
)
_SET_WHERE_EMPTY: Final = ("restartPolicy", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle")
_NOT_NOW: Final = "cannot be set for an Ephemeral Container"


def container_errors(spec: JsonObject, path: str, *, volumes: Volumes) -> Iterator[FieldError]:
    """Judge all containers of a pod."""
    yield from _regular_errors(spec, f"{path}.containers", volumes=volumes)
    if spec.get("initContainers"):
        yield from _init_errors(spec, f"{path}.initContainers", volumes=volumes)
    if spec.get("ephemeralContainers"):
        yield from _ephemeral_errors(spec, f"{path}.ephemeralContainers", volumes=volumes)


def _regular_errors(spec: JsonObject, path: str, *, volumes: Volumes) -> Iterator[FieldError]:
    containers = spec.get("containers") or ()
    if not containers:
        yield field_error.required(path)
        return
    names: set[str] = set()
    for index, container in enumerate(containers):
        where, name = f"{path}[{index}]", container.get("name", "")
        yield from _one_errors(container, where, spec=spec, volumes=volumes)
        if name in names:
            yield field_error.duplicate(f"{where}.name", name)
        names.add(name)
        yield from probe_errors(container, where, grace=spec.get("terminationGracePeriodSeconds"))
        yield from restart_errors(container, where)
    yield from _host_port_errors(enumerate(containers), path)


def _init_errors(spec: JsonObject, path: str, *, volumes: Volumes) -> Iterator[FieldError]:
    names = {container.get("name", "") for container in spec.get("containers") or ()}
    for index, container in enumerate(spec["initContainers"]):
        where, name = f"{path}[{index}]", container.get("name", "")
        yield from _one_errors(container, where, spec=spec, volumes=volumes)
        yield from restart_errors(container, where, is_init=True)
        if name in names:
            yield field_error.duplicate(f"{where}.name", name)
        elif name:
            names.add(name)
        yield from _host_port_errors([(0, container)], path)  # the real server counts each alone, as the first
        if container.get("restartPolicy") == "Always":
            yield from probe_errors(container, where, grace=spec.get("terminationGracePeriodSeconds"))
        else:
            yield from _passing_errors(container, where)


def _passing_errors(container: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge an init container that ends before the others begin."""
    for name in ("lifecycle", *PROBES):
        if container.get(name) is not None:
            yield field_error.forbidden(f"{path}.{name}", _SIDECARS_ONLY)
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            wrong = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield field_error.invalid(f"{path}.resizePolicy[{index}].restartPolicy", "RestartContainer", wrong)


def _ephemeral_errors(spec: JsonObject, path: str, *, volumes: Volumes) -> Iterator[FieldError]:
    others = {each.get("name", "") for name in ("containers", "initContainers") for each in spec.get(name) or ()}
    names = set(others)
    for index, container in enumerate(spec["ephemeralContainers"]):
        where, name = f"{path}[{index}]", container.get("name", "")
        yield from _one_errors(container, where, spec=spec, volumes=volumes)
        yield from image_space_errors(container, where)
        if name in names:
            yield field_error.duplicate(f"{where}.name", name)
        names.add(name)
        target = container.get("targetContainerName")
        if target and target not in others:
            yield field_error.not_found(f"{where}.targetContainerName", target)
        yield from _not_ephemeral_errors(container, where)


def _not_ephemeral_errors(container: JsonObject, path: str) -> Iterator[FieldError]:
    for name in _NOT_EPHEMERAL:
        value = container.get(name)
        if value or (value is not None and name in _SET_WHERE_EMPTY):
            yield field_error.forbidden(f"{path}.{name}", _NOT_NOW)
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        for name in ("subPath", "subPathExpr"):
            if mount.get(name):
                yield field_error.forbidden(f"{path}.volumeMounts[{index}].{name}", _NOT_NOW)


def image_space_errors(container: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the image's name as only pods are judged, not templates."""
    image = container.get("image", "")
    if image != image.strip():
        yield field_error.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def _one_errors(container: JsonObject, path: str, *, spec: JsonObject, volumes: Volumes) -> Iterator[FieldError]:
    """Judge what every container has."""
    yield from _identity_errors(container, path)
    if ports := container.get("ports"):
        yield from _port_errors(ports, f"{path}.ports")
    if env := container.get("env"):
        yield from env_errors(env, f"{path}.env")
    if sources := container.get("envFrom"):
        yield from env_from_errors(sources, f"{path}.envFrom")
    if container.get("volumeMounts") or container.get("volumeDevices"):
        yield from mount_errors(container, path, volumes=volumes)
    yield from choice_errors(container.get("imagePullPolicy", ""), f"{path}.imagePullPolicy", choices=PULL_POLICIES)
    if resources := container.get("resources"):
        yield from resource_errors(resources, f"{path}.resources")
        if used := resources.get("claims"):
            claims = spec.get("resourceClaims") or []
            yield from used_claim_errors(used, f"{path}.resources.claims", claims=claims)
    if policies := container.get("resizePolicy"):
        yield from resize_errors(policies, f"{path}.resizePolicy", pod_policy=spec.get("restartPolicy", ""))
    if context := container.get("securityContext"):
        has_host_users = spec.get("hostUsers") is not False
        yield from container_security_errors(context, f"{path}.securityContext", has_host_users=has_host_users)


def _identity_errors(container: JsonObject, path: str) -> Iterator[FieldError]:
    name = container.get("name", "")
    if not name:
        yield field_error.required(f"{path}.name")
    else:
        yield from (field_error.invalid(f"{path}.name", name, wrong) for wrong in dns_label(name))
    if not container.get("image"):
        yield field_error.required(f"{path}.image")
    policy = container.get("terminationMessagePolicy", "")
    yield from choice_errors(policy, f"{path}.terminationMessagePolicy", choices=_MESSAGE_POLICIES)


def choice_errors(value: str, path: str, *, choices: tuple[str, ...]) -> Iterator[FieldError]:
    """Judge a value that must be there and one of these."""
    if not value:
        yield field_error.required(path)
    elif value not in choices:
        yield field_error.not_supported(path, value, choices)


def _port_errors(ports: list[JsonObject], path: str) -> Iterator[FieldError]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        where = f"{path}[{index}]"
        if name := port.get("name"):
            wrong = port_name(name)
            yield from (field_error.invalid(f"{where}.name", name, text) for text in wrong)
            if not wrong and name in names:
                yield field_error.duplicate(f"{where}.name", name)
            names.add(name)
        if not port.get("containerPort"):
            yield field_error.required(f"{where}.containerPort")
        for field in ("containerPort", "hostPort"):
            if number := port.get(field):
                yield from (field_error.invalid(f"{where}.{field}", number, text) for text in port_number(number))
        yield from choice_errors(port.get("protocol", ""), f"{where}.protocol", choices=PROTOCOLS)


def _host_port_errors(containers: Iterable[tuple[int, JsonObject]], path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, container in containers:
        for number, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            text = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{port['hostPort']}"
            if text in seen:
                yield field_error.duplicate(f"{path}[{index}].ports[{number}].hostPort", text)
            seen.add(text)
