"""Warnings of a pod's spec and metadata, in a pod or in a template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.builtin.rules.pod.annotations import SECCOMP, SECCOMP_PREFIX
from konverge.cluster.apiserver.builtin.rules.pod.app_armor import app_armor_warnings
from konverge.cluster.apiserver.builtin.rules.pod.each_container import each_container
from konverge.cluster.apiserver.builtin.warnings.addresses import address_warnings
from konverge.cluster.apiserver.builtin.warnings.node_labels import OLD_LABELS, term_warnings
from konverge.cluster.apiserver.builtin.warnings.small_kinds import OLD_VOLUMES, shown_volume
from konverge.cluster.apiserver.builtin.warnings.volume_paths import MOST, path_warnings
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_NO_SELECTOR: Final = "a null labelSelector results in matching no pod"
_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}
_USE_SECCOMP: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_BYTES: Final = ("memory", "ephemeral-storage")


def pod_warnings(template: JsonObject, path: str) -> list[str]:
    """Warn of a pod or template at a path; empty for a pod itself."""
    spec, annotations = template.get("spec", {}), template.get("metadata", {}).get("annotations", {})
    begin = f"{path}." if path else ""
    at = f"{begin}spec"
    found = [*_of_nodes(spec, at), *_of_annotations(annotations, begin), *_of_volumes(spec, at)]
    found += islice(path_warnings(spec.get("volumes", ())), MOST)
    found += _of_repeated(spec, at)
    found += _fractions(spec.get("overhead", {}), f"{at}.overhead")
    if SECCOMP in annotations and _has_no_seccomp(spec):
        found.append(f"{begin}metadata.annotations[{SECCOMP}]: {_USE_SECCOMP}")
    for container, where in each_container(spec, at):
        found += _of_profiles(container, template, begin)
        found += _of_container(container, where)
    found += [*islice(_of_ports(spec, at), MOST), *_of_port_names(spec, at)]
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        text = "must be >= 0; negative values are invalid and will be treated as 1"
        found.append(f"{at}.terminationGracePeriodSeconds: {text}")
    return [*found, *_of_affinity(spec.get("affinity", {}), f"{at}.affinity"), *_of_addresses(spec, at)]


def _of_nodes(spec: JsonObject, at: str) -> Iterator[str]:
    for key in spec.get("nodeSelector", ()):
        if key in OLD_LABELS:
            yield f"{at}.nodeSelector[{key}]: {OLD_LABELS[key]}"
    affinity, path = spec.get("affinity", {}).get("nodeAffinity", {}), f"{at}.affinity.nodeAffinity"
    for index, term in enumerate(affinity.get(_REQUIRED, {}).get("nodeSelectorTerms") or ()):
        yield from term_warnings(f"{path}.{_REQUIRED}.nodeSelectorTerms[{index}]", term)
    for index, term in enumerate(affinity.get(_PREFERRED, ())):
        where = f"{path}.{_PREFERRED}[{index}].preference"
        yield from term_warnings(where, term.get("preference", {}), checks_values=True)
    for index, constraint in enumerate(spec.get("topologySpreadConstraints", ())):
        where, key = f"{at}.topologySpreadConstraints[{index}]", constraint.get("topologyKey", "")
        if key in OLD_LABELS:
            yield f"{where}.topologyKey: {key} is {OLD_LABELS[key]}"
        if "labelSelector" not in constraint:
            yield f"{where}.labelSelector: {_NO_SELECTOR}"


def _of_annotations(annotations: JsonObject, begin: str) -> Iterator[str]:
    for key, text in _ANNOTATIONS.items():
        if key in annotations:
            yield f"{begin}metadata.annotations[{key}]: {text}"


def _of_volumes(spec: JsonObject, at: str) -> Iterator[str]:
    for index, volume in enumerate(spec.get("volumes", ())):
        where = f"{at}.volumes[{index}]"
        for name, text in OLD_VOLUMES.items():
            if name in volume:
                yield f"{where}.{shown_volume(name)}: {text}"
        claim = volume.get("ephemeral", {}).get("volumeClaimTemplate")
        if claim is not None:
            yield from claim_spec_warnings(f"{where}.ephemeral.volumeClaimTemplate.spec", claim.get("spec", {}))


def claim_spec_warnings(path: str, spec: JsonObject) -> list[str]:
    """Warn of a claim to a part of a byte."""
    resources = spec.get("resources", {})
    return [
        warning
        for part in ("requests", "limits")
        for warning in _fractions(resources.get(part, {}), f"{path}.resources.{part}", ("storage",))
    ]


def _fractions(amounts: JsonObject, path: str, names: Sequence[str] = _BYTES) -> Iterator[str]:
    for name in names:
        if name in amounts and Quantity(amounts[name]).milli_value() % 1000:
            shown = quoted(amounts[name])
            yield f"{path}[{name}]: fractional byte value {shown} is invalid, must be an integer"


def _of_repeated(spec: JsonObject, at: str) -> Iterator[str]:
    addresses = [alias.get("ip", "") for alias in spec.get("hostAliases", ())]
    for index in sorted(repeated(addresses)):
        yield f"{at}.hostAliases[{index}].ip: duplicate ip {quoted(addresses[index])}"
    names = [secret.get("name", "") for secret in spec.get("imagePullSecrets", ())]
    for index in sorted(repeated(names)):
        yield f"{at}.imagePullSecrets[{index}].name: duplicate name {quoted(names[index])}"
    for index, text in enumerate(names):
        if not text:
            yield f'{at}.imagePullSecrets[{index}].name: invalid empty name ""'


def _of_profiles(container: JsonObject, template: JsonObject, begin: str) -> Iterator[str]:
    """Warn of annotations that are fields today; a new pod's AppArmor is told of when it becomes one."""
    key = SECCOMP_PREFIX + container.get("name", "")
    if key in template.get("metadata", {}).get("annotations", {}) and _has_no_seccomp(container):
        yield f"{begin}metadata.annotations[{key}]: {_USE_SECCOMP}"
    if begin:
        yield from app_armor_warnings(container, template, begin)


def _has_no_seccomp(holder: JsonObject) -> bool:
    return (holder.get("securityContext") or {}).get("seccompProfile") is None


def _of_container(container: JsonObject, where: str) -> Iterator[str]:
    resources = container.get("resources", {})
    for name in _BYTES:
        for part in ("limits", "requests"):
            yield from _fractions(resources.get(part, {}), f"{where}.resources.{part}", (name,))
    seen: set[str] = set()
    for index, variable in enumerate(container.get("env", ())):
        name, value = variable.get("name", ""), variable.get("value", "")
        reference = f"$({name})"
        if name in seen and ("valueFrom" in variable or value == reference or reference not in value):
            hidden = f"hides previous definition of {quoted(name)}, which may be dropped when using apply"
            yield f"{where}.env[{index}]: {hidden}"
        seen.add(name)


def _of_ports(spec: JsonObject, at: str) -> Iterator[str]:
    known: dict[tuple[Any, Any], list[tuple[JsonObject, str]]] = {}
    for port, where in _ports(spec, at):
        if port.get("hostIP") and not port.get("hostPort"):
            yield f"{where}: hostIP set without hostPort: {_shown_port(port)}"
        alike = known.setdefault((port.get("containerPort"), port.get("protocol")), [])
        for other, there in alike:
            if clash := _clash(port, other):
                yield f"{where}: {clash} port definition with {there}"
        alike.append((port, where))


def _shown_port(port: JsonObject) -> str:
    """Return a port as Go prints it."""
    name, number, protocol = port.get("name", ""), port.get("containerPort", 0), port.get("protocol", "")
    return f"{{Name:{name} HostPort:0 ContainerPort:{number} Protocol:{protocol} HostIP:{port['hostIP']}}}"


def _ports(spec: JsonObject, at: str) -> Iterator[tuple[JsonObject, str]]:
    for container, where in each_container(spec, at):
        for index, port in enumerate(container.get("ports", ())):
            yield port, f"{where}.ports[{index}]"


def _clash(port: JsonObject, other: JsonObject) -> str:
    numbers = port.get("hostPort", 0), other.get("hostPort", 0)
    addresses = port.get("hostIP", ""), other.get("hostIP", "")
    if numbers[0] == numbers[1] and addresses[0] == addresses[1]:
        return "duplicate"
    if not all(numbers):
        return "overlapping"
    is_half = bool(addresses[0]) != bool(addresses[1])
    return "dangerously ambiguous" if numbers[0] == numbers[1] and is_half else ""


def _of_port_names(spec: JsonObject, at: str) -> Iterator[str]:
    known: dict[str, str] = {}
    for port, where in _ports(spec, at):
        name = port.get("name", "")
        if name and (first := known.setdefault(name, where)) != where:
            used = f"services and probes that select ports by name will use {first}"
            yield f"{where}: duplicate port name {quoted(name)} with {first}, {used}"


def _of_affinity(affinity: JsonObject, at: str) -> Iterator[str]:
    forms: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
        (_REQUIRED, "labelSelector", lambda term: term),
        (_PREFERRED, "podAffinityTerm.labelSelector", lambda term: term.get("podAffinityTerm", {})),
    )
    for kind in ("podAffinity", "podAntiAffinity"):
        for name, field, inner in forms:
            for index, term in enumerate(affinity.get(kind, {}).get(name, ())):
                if "labelSelector" not in inner(term):
                    yield f"{at}.{kind}.{name}[{index}].{field}: {_NO_SELECTOR}"


def _of_addresses(spec: JsonObject, at: str) -> Iterator[str]:
    for index, text in enumerate(spec.get("dnsConfig", {}).get("nameservers", ())):
        yield from address_warnings(f"{at}.dnsConfig.nameservers[{index}]", text)
    for index, alias in enumerate(spec.get("hostAliases", ())):
        yield from address_warnings(f"{at}.hostAliases[{index}].ip", alias.get("ip", ""))
