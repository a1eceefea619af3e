"""A class of devices: which devices are in it, and how they are configured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.bounded import list_errors
from konverge.cluster.apiserver.builtin.rules.device.configuration import MOST_CONFIGURATIONS, configuration_errors
from konverge.cluster.apiserver.builtin.rules.device.sameness import is_same
from konverge.cluster.apiserver.builtin.rules.device.selector import selector_list_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.resource_name import is_extended
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors


def _validate(value: JsonObject) -> list[FieldError]:
    return list(_errors(value.get("spec") or {}, None))


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    # Its metadata is judged as that of a new one as well.
    errors = new_metadata_errors(value["metadata"], lambda name, **_: dns_subdomain(name), namespaced=False)
    return [*errors, *_errors(value.get("spec") or {}, old.get("spec") or {})]


def _errors(spec: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    configs = spec.get("config")
    is_stored = old is not None and is_same(configs, old.get("config"))

    def judge(config: JsonObject, path: str) -> Iterator[FieldError]:
        return configuration_errors(config, path, is_stored=is_stored)

    yield from selector_list_errors(spec.get("selectors"), "spec.selectors")
    yield from list_errors(configs, "spec.config", judge, most=MOST_CONFIGURATIONS)
    name = spec.get("extendedResourceName")
    if name is not None and not is_extended(name):
        yield field_error.invalid("spec.extendedResourceName", name, "must be a valid extended resource name")


DEVICE_CLASS: Final = KindRules(validate=_validate, validate_update=_validate_update)
