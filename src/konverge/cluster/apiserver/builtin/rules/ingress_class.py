"""Ingress classes: a controller, which stays, and where its parameters are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_LONGEST: Final = 250
_PATH: Final = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
_SCOPES: Final = ("Cluster", "Namespace")


def _validate(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    return [
        *_controller_errors(spec.get("controller", ""), "spec.controller"),
        *_parameter_errors(spec.get("parameters"), "spec.parameters"),
    ]


def _controller_errors(controller: str, path: str) -> Iterator[FieldError]:
    if len(controller.encode()) > _LONGEST:
        yield field_error.too_long(path, _LONGEST)
    if not controller:
        yield field_error.required(path)
        return
    host, _, rest = controller.partition("/")
    if not host or not rest:
        yield field_error.invalid(path, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')
        return
    yield from (field_error.invalid(path, host, wrong) for wrong in name_rules.dns_subdomain(host))
    if not re.fullmatch(_PATH, rest):
        yield field_error.invalid(path, rest, name_rules.pattern_text("Invalid path", _PATH))


def _parameter_errors(parameters: JsonObject | None, path: str) -> Iterator[FieldError]:
    if parameters is None:
        return
    if (group := parameters.get("apiGroup")) is not None:
        yield from (field_error.invalid(f"{path}.apiGroup", group, wrong) for wrong in name_rules.dns_subdomain(group))
    for name in ("kind", "name"):
        text = parameters.get(name, "")
        if not text:
            yield field_error.required(f"{path}.{name}")
        yield from (field_error.invalid(f"{path}.{name}", text, wrong) for wrong in name_rules.path_segment(text))
    yield from _scope_errors(parameters.get("scope"), parameters.get("namespace"), path)


def _scope_errors(scope: str | None, namespace: str | None, path: str) -> Iterator[FieldError]:
    where = f"{path}.namespace"
    if scope is None:
        yield field_error.required(f"{path}.scope")
    elif scope not in _SCOPES:
        yield field_error.not_supported(f"{path}.scope", scope, _SCOPES, is_plain=True)
    elif scope == "Cluster":
        if namespace is not None:
            yield field_error.forbidden(where, "`parameters.scope` is set to 'Cluster'")
    elif namespace is None:
        yield field_error.required(where, "`parameters.scope` is set to 'Namespace'")
    else:
        yield from (field_error.invalid(where, namespace, wrong) for wrong in name_rules.dns_label(namespace))


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    controller = (value.get("spec") or {}).get("controller", "")
    is_same = controller == (old.get("spec") or {}).get("controller", "")
    changed = [] if is_same else [field_error.invalid("spec.controller", controller, "field is immutable")]
    return changed + _validate(value)


INGRESS_CLASS: Final = KindRules(validate=_validate, validate_update=_validate_update)
