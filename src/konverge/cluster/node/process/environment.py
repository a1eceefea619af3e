"""The environment of a container: what its pod asks for, in the order and with the errors of a kubelet; pure."""

from __future__ import annotations

from collections.abc import Mapping

from konverge.cluster.node.process.downward import Whereabouts, field_value, resource_value
from konverge.cluster.node.process.expansion import expand
from konverge.cluster.node.process.pod_sources import ConfigProblem, PodSources
from konverge.cluster.node.process.service_links import service_links
from konverge.models import core_v1

Environment = dict[str, str]


def environment(
    pod: core_v1.Pod, container: core_v1.Container, sources: PodSources, *, where: Whereabouts, given: Mapping[str, str]
) -> Environment:
    """Return a container's variables; `given` are those that the node has for it, unless the pod says otherwise.

    Raises `ConfigProblem` where a ConfigMap, a Secret or a key of one is missing that may not be.
    """
    links = service_links(
        sources.services, pod.metadata.namespace or "", enabled=pod.spec.enable_service_links is not False
    )
    background = {**links, **given}
    found: Environment = {}
    for source in container.env_from or ():
        found.update(_all_of(source, sources))
    for variable in container.env or ():
        value = _value(pod, container, variable, sources=sources, where=where, known={**background, **found})
        if value is not None:
            found[variable.name] = value
    return {**background, **found}


def _all_of(source: core_v1.EnvFromSource, sources: PodSources) -> Environment:
    values: dict[str, bytes] | None = None
    if (config_map := source.config_map_ref) is not None:
        values = sources.config_map(config_map.name or "", optional=bool(config_map.optional))
    elif (secret := source.secret_ref) is not None:
        values = sources.secret(secret.name or "", optional=bool(secret.optional))
    return {(source.prefix or "") + key: _text(value) for key, value in (values or {}).items()}


def _value(
    pod: core_v1.Pod,
    container: core_v1.Container,
    variable: core_v1.EnvVar,
    *,
    sources: PodSources,
    where: Whereabouts,
    known: Mapping[str, str],
) -> str | None:
    """The value of one variable; None where it comes from something that may be and is missing."""
    origin = variable.value_from
    if origin is None:
        return expand(variable.value or "", known)
    if (field := origin.field_ref) is not None:
        return field_value(pod, field.field_path, where)
    if (resource := origin.resource_field_ref) is not None:
        return resource_value(pod, resource, container.name, where)
    return _key(pod.metadata.namespace or "", origin, sources)


def _key(namespace: str, origin: core_v1.EnvVarSource, sources: PodSources) -> str | None:
    selector: core_v1.ConfigMapKeySelector | core_v1.SecretKeySelector
    if origin.config_map_key_ref is not None:
        selector, kind = origin.config_map_key_ref, "ConfigMap"
        values = sources.config_map(selector.name or "", optional=bool(selector.optional))
    elif origin.secret_key_ref is not None:
        selector, kind = origin.secret_key_ref, "Secret"
        values = sources.secret(selector.name or "", optional=bool(selector.optional))
    else:
        raise ConfigProblem("a variable's valueFrom has a source that this node does not know")
    if values is not None and selector.key in values:
        return _text(values[selector.key])
    if selector.optional:
        return None
    raise ConfigProblem(f"couldn't find key {selector.key} in {kind} {namespace}/{selector.name}")


def _text(value: bytes) -> str:
    # What is no UTF-8 goes to the process as the bytes it is: that is what surrogates are for.
    return value.decode("utf-8", "surrogateescape").replace("\0", "")
