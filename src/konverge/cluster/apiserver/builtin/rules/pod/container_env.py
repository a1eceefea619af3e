"""The environment of a container: each variable has a name, and one source at most."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import before_suffix, config_key, dns_label, dns_subdomain, qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_FULL_NAME: Final = re.compile("[ -<>-~]+")  # printable ASCII but for the equals sign
_NAME_TEXT: Final = "a valid environment variable name must consist only of printable ASCII characters other than '='"
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_NO_SOURCE: Final = (
    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
)
_SEVERAL: Final = "may not have more than one field specified at a time"
_ENV_FIELDS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
VOLUME_FIELDS: Final = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
_KNOWN_FIELDS: Final = {*_ENV_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
_SUBSCRIPT: Final = re.compile(r"(.+?)\['(.*)'\]", re.DOTALL)
_RESOURCES: Final = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE: Final = ("requests.hugepages-", "limits.hugepages-")
_BYTES: Final = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"
_DIVIDED: Final = {
    "cpu": ("1m and 1", ("1m", "1"), "cpu resource"),
    "memory": (_BYTES, tuple(_BYTES.split(", ")), "memory resource"),
    "ephemeral-storage": (_BYTES, tuple(_BYTES.split(", ")), "local ephemeral storage resource"),
}
_HUGE_DIVIDED: Final = (_BYTES, tuple(_BYTES.split(", ")), "hugepages resource")


def env_errors(variables: list[JsonObject], path: str) -> Iterator[FieldError]:
    """Judge the variables of a container."""
    for index, variable in enumerate(variables):
        where, name = f"{path}[{index}]", variable.get("name", "")
        if not name:
            yield field_error.required(f"{where}.name")
        elif not _FULL_NAME.fullmatch(name):
            yield field_error.invalid(f"{where}.name", name, _NAME_TEXT)
        if (source := variable.get("valueFrom")) is not None:
            yield from _source_errors(source, f"{where}.valueFrom", has_value=bool(variable.get("value")))


def _source_errors(source: JsonObject, path: str, *, has_value: bool) -> Iterator[FieldError]:
    given = [name for name in _SOURCES if source.get(name) is not None]
    for name in given:
        yield from _JUDGES[name](source[name], f"{path}.{name}")
    if not given:
        yield field_error.invalid(path, "", _NO_SOURCE)
    elif has_value:
        yield field_error.invalid(path, "", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield field_error.invalid(path, "", _SEVERAL)


def _env_field_errors(ref: JsonObject, path: str) -> Iterator[FieldError]:
    return field_ref_errors(ref, path, allowed=_ENV_FIELDS)


def field_ref_errors(ref: JsonObject, path: str, *, allowed: tuple[str, ...]) -> Iterator[FieldError]:
    """Judge a reference to a field of the pod."""
    field = ref.get("fieldPath", "")
    field = "spec.nodeName" if field == "spec.host" else field  # as old clients say it
    if not field:
        yield field_error.required(f"{path}.fieldPath")
        return
    subscripted = _SUBSCRIPT.fullmatch(field)
    known = subscripted[1] if subscripted else field
    if ref.get("apiVersion", "v1") != "v1":
        wrong = f"error converting fieldPath: unsupported pod version: {ref['apiVersion']}"
        yield field_error.invalid(f"{path}.fieldPath", field, wrong)
    elif subscripted and known in ("metadata.annotations", "metadata.labels"):
        key = subscripted[2].lower() if known == "metadata.annotations" else subscripted[2]
        yield from (field_error.invalid(path, key, wrong) for wrong in qualified_name(key))
    elif subscripted:
        wrong = f"error converting fieldPath: field label does not support subscript: {field}"
        yield field_error.invalid(f"{path}.fieldPath", field, wrong)
    elif field not in _KNOWN_FIELDS:
        wrong = f"error converting fieldPath: field label not supported: {field}"
        yield field_error.invalid(f"{path}.fieldPath", field, wrong)
    elif field not in allowed:
        yield field_error.not_supported(f"{path}.fieldPath", field, allowed, is_plain=True)


def resource_ref_errors(ref: JsonObject, path: str, *, of_volume: bool = False) -> Iterator[FieldError]:
    """Judge a reference to what a container asks for."""
    name = ref.get("resource", "")
    if of_volume and not ref.get("containerName"):
        yield field_error.required(f"{path}.containerName")
    elif not name:
        yield field_error.required(f"{path}.resource")
    elif name not in _RESOURCES and not name.startswith(_HUGE):
        yield field_error.not_supported(f"{path}.resource", name, _RESOURCES, is_plain=True)
    yield from _divisor_errors(name, ref.get("divisor"), f"{path}.divisor")


def _divisor_errors(name: str, divisor: str | None, path: str) -> Iterator[FieldError]:
    rule = _HUGE_DIVIDED if name.startswith(_HUGE) else _DIVIDED.get(name.partition(".")[2])
    if not divisor or rule is None or not Quantity(divisor):
        return
    shown, allowed, what = rule
    if str(Quantity(divisor)) not in allowed:
        yield field_error.invalid(path, name, f"only divisor's values {shown} are supported with the {what}")


def _key_errors(ref: JsonObject, path: str) -> Iterator[FieldError]:
    name, key = ref.get("name", ""), ref.get("key", "")
    for wrong in dns_subdomain(name):
        yield field_error.invalid(f"{path}.name", name, wrong)
    if not key:
        yield field_error.required(f"{path}.key")
        return
    for wrong in config_key(key):
        yield field_error.invalid(f"{path}.key", key, wrong)


def _file_errors(ref: JsonObject, path: str) -> Iterator[FieldError]:
    key, volume, file = ref.get("key", ""), ref.get("volumeName", ""), ref.get("path", "")
    if not key:
        yield field_error.required(f"{path}.key")
    elif not _FULL_NAME.fullmatch(key):
        yield field_error.invalid(f"{path}.key", key, _NAME_TEXT)
    if not volume:
        yield field_error.required(f"{path}.volumeName")
    for wrong in dns_label(volume) if volume else ():
        yield field_error.invalid(f"{path}.volumeName", volume, wrong)
    if not file:
        yield field_error.required(f"{path}.path")
    elif ".." in file.split("/"):
        yield field_error.invalid(f"{path}.path", file, "must not contain '..'")


_JUDGES: Final = {
    "fieldRef": _env_field_errors,
    "resourceFieldRef": resource_ref_errors,
    "configMapKeyRef": _key_errors,
    "secretKeyRef": _key_errors,
    "fileKeyRef": _file_errors,
}


def env_from_errors(sources: list[JsonObject], path: str) -> Iterator[FieldError]:
    """Judge what a container takes all variables from."""
    for index, source in enumerate(sources):
        where, prefix = f"{path}[{index}]", source.get("prefix", "")
        if prefix and not _FULL_NAME.fullmatch(prefix):
            yield field_error.invalid(f"{where}.prefix", prefix, _NAME_TEXT)
        given = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
        for name in given:
            yield from _whole_errors(source[name].get("name", ""), f"{where}.{name}.name")
        if not given:
            yield field_error.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(given) > 1:
            yield field_error.invalid(path, "", _SEVERAL)


def _whole_errors(name: str, path: str) -> Iterator[FieldError]:
    if not name:
        yield field_error.required(path)
        return
    for wrong in dns_subdomain(before_suffix(name)):
        yield field_error.invalid(path, name, wrong)
