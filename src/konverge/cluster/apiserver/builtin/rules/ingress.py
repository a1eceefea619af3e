"""Ingresses: rules lead hosts and paths to backends, each of which is a service's port or another object."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.address import address_errors, read_address
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.load_balancer import host_errors
from konverge.cluster.apiserver.builtin.rules.object_reference import reference_errors
from konverge.cluster.apiserver.builtin.rules.port import port_name, port_number
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_CLASS: Final = "kubernetes.io/ingress.class"
_NOT_IN_PATHS: Final = ("//", "/./", "/../", "%2f", "%2F")
_NOT_AT_ENDS: Final = ("/..", "/.")
_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_NO_ADDRESS: Final = "must be a DNS name, not an IP address"


def _validate(value: JsonObject) -> list[FieldError]:
    errors = _spec_errors(value["spec"])
    named, written = value["spec"].get("ingressClassName"), value["metadata"].get("annotations", {}).get(_CLASS)
    if named is not None and written is not None and named != written:
        wrong = "must match `ingressClassName` when both are specified"
        errors.append(field_error.invalid(f"annotations.{_CLASS}", written, wrong))
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return _status_errors(value, old)
    # Its metadata is judged as that of a new one as well, and each fault told once more.
    return new_metadata_errors(value["metadata"], _name_rule, namespaced=True) + _spec_errors(
        value["spec"], old["spec"]
    )


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return name_rules.dns_subdomain(name_rules.before_suffix(name) if is_prefix else name)


def _spec_errors(spec: JsonObject, old: JsonObject | None = None) -> list[FieldError]:
    rules, backend = spec.get("rules") or (), spec.get("defaultBackend")
    errors = []
    if not rules and backend is None:
        wrong = "either `defaultBackend` or `rules` must be specified"
        errors.append(field_error.invalid("spec", spec.get("rules"), wrong))
    if backend is not None:
        errors += _backend_errors(backend, "spec.defaultBackend")
    for index, rule in enumerate(rules):
        errors += _rule_errors(rule, f"spec.rules[{index}]", old)
    errors += _tls_errors(spec, keeps_names=old is not None and bool(_secret_errors(old)))
    if (name := spec.get("ingressClassName")) is not None:
        errors += [field_error.invalid("spec.ingressClassName", name, text) for text in name_rules.dns_subdomain(name)]
    return errors


def _rule_errors(rule: JsonObject, path: str, old: JsonObject | None) -> list[FieldError]:
    host = rule.get("host", "")
    errors = []
    if host and read_address(host) is not None:
        errors.append(field_error.invalid(f"{path}.host", host, _NO_ADDRESS))
    if host:
        errors += [field_error.invalid(f"{path}.host", host, wrong) for wrong in _host_rule(host)]
    if "*" in host and old is not None and _had_wrong_wildcard(old):
        return errors
    return errors + _http_errors(rule.get("http"), f"{path}.http")


def _host_rule(host: str) -> list[str]:
    return name_rules.wildcard_subdomain(host) if "*" in host else name_rules.dns_subdomain(host)


def _had_wrong_wildcard(old: JsonObject) -> bool:
    starred = (rule for rule in old.get("rules") or () if "*" in rule.get("host", ""))
    return any(_http_errors(rule.get("http"), "") for rule in starred)


def _http_errors(http: JsonObject | None, path: str) -> list[FieldError]:
    if http is None:
        return []
    paths = http.get("paths") or ()
    errors = [] if paths else [field_error.required(f"{path}.paths")]
    for index, each in enumerate(paths):
        errors += _path_errors(each, f"{path}.paths[{index}]")
    return errors


def _path_errors(each: JsonObject, path: str) -> list[FieldError]:
    kind = each.get("pathType")
    if kind is None:
        return [field_error.required(f"{path}.pathType", "pathType must be specified")]
    if kind not in _PATH_TYPES:
        errors = [field_error.not_supported(f"{path}.pathType", kind, _PATH_TYPES)]
    else:
        wrongs = _path_faults(each.get("path", ""), kind)
        errors = [field_error.invalid(f"{path}.path", each.get("path", ""), wrong) for wrong in wrongs]
    return errors + _backend_errors(each.get("backend") or {}, f"{path}.backend")


def _path_faults(path: str, kind: str) -> list[str]:
    is_free = kind == "ImplementationSpecific"
    wrong = [] if path.startswith("/") or (is_free and not path) else ["must be an absolute path"]
    if is_free:
        return wrong
    wrong += [f"must not contain '{part}'" for part in _NOT_IN_PATHS if part in path]
    return wrong + [f"cannot end with '{end}'" for end in _NOT_AT_ENDS if path.endswith(end)]


def _backend_errors(backend: JsonObject, path: str) -> list[FieldError]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        return [field_error.invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return _resource_errors(resource, f"{path}.resource")
    if service is None:
        return [field_error.invalid(path, "", "resource or service backend is required")]
    name = service.get("name", "")
    wrongs = name_rules.dns_label(name) if name else ()
    errors = [] if name else [field_error.required(f"{path}.service.name")]
    errors += [field_error.invalid(f"{path}.service.name", name, wrong) for wrong in wrongs]
    return errors + _backend_port_errors(service.get("port") or {}, path)


def _resource_errors(resource: JsonObject, path: str) -> list[FieldError]:
    group = resource.get("apiGroup")
    wrongs = [] if group is None else name_rules.dns_subdomain(group)
    errors = [field_error.invalid(f"{path}.apiGroup", group, wrong) for wrong in wrongs]
    return errors + reference_errors(resource, path)


def _backend_port_errors(port: JsonObject, path: str) -> list[FieldError]:
    name, number, where = port.get("name", ""), port.get("number", 0), f"{path}.service.port"
    if name and number:
        return [field_error.invalid(path, "", "cannot set both port name & port number")]
    if name:
        return [field_error.invalid(f"{where}.name", name, wrong) for wrong in port_name(name)]
    if number:
        return [field_error.invalid(f"{where}.number", number, wrong) for wrong in port_number(number)]
    return [field_error.required(path, "port name or number is required")]


def _tls_errors(spec: JsonObject, *, keeps_names: bool) -> list[FieldError]:
    errors = []
    for index, each in enumerate(spec.get("tls") or ()):
        for number, host in enumerate(each.get("hosts") or ()):
            path = f"spec.tls[{index}].hosts[{number}]"
            errors += [field_error.invalid(path, host, wrong) for wrong in _host_rule(host)]
        errors += [] if keeps_names else _secret_errors({"tls": [each]}, first=index)
    return errors


def _secret_errors(spec: JsonObject, *, first: int = 0) -> list[FieldError]:
    names = enumerate((each.get("secretName", "") for each in spec.get("tls") or ()), first)
    return [
        field_error.invalid(f"spec.tls[{index}].secretName", name, wrong)
        for index, name in names
        if name
        for wrong in name_rules.dns_subdomain(name)
    ]


def _status_errors(value: JsonObject, old: JsonObject) -> list[FieldError]:
    points, before = (each.get("status", {}).get("loadBalancer", {}).get("ingress") or () for each in (value, old))
    kept = [point["ip"] for point in before if point.get("ip")]
    errors = []
    for index, point in enumerate(points):
        path = f"status.loadBalancer.ingress[{index}]"
        if text := point.get("ip"):
            errors += address_errors(text, f"{path}.ip", kept)
        errors += host_errors(point.get("hostname", ""), f"{path}.hostname")
    return errors


INGRESS: Final = KindRules(validate=_validate, validate_update=_validate_update)
