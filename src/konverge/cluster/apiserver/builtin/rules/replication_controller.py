"""Replication controllers, and templates of pods that stand alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.builtin.rules.pod.template import lasting_errors, template_errors
from konverge.cluster.apiserver.builtin.rules.status_counts import count_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_TEMPLATE: Final = "spec.template"
_PARTS: Final = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def _validate(value: JsonObject) -> list[FieldError]:
    return list(_spec_errors(value.get("spec") or {}))


def _spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    selector, template = spec.get("selector") or {}, spec.get("template")
    yield from nonnegative(spec, ("minReadySeconds",), "spec")
    if not selector:
        yield field_error.required("spec.selector")
    if spec.get("replicas") is None:
        yield field_error.required("spec.replicas")
    yield from nonnegative(spec, ("replicas",), "spec")
    if template is None:
        yield field_error.required(_TEMPLATE)
        return
    labels = (template.get("metadata") or {}).get("labels")
    if not selector.items() <= (labels or {}).items():
        wrong = "`selector` does not match template `labels`"
        yield field_error.invalid(f"{_TEMPLATE}.metadata.labels", labels, wrong)
    yield from template_errors(template, _TEMPLATE)
    yield from lasting_errors(template, _TEMPLATE, kind="ReplicationController")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - all of it may change
    return list(_status_errors(value.get("status") or {})) if subresource == "status" else _validate(value)


def _status_errors(status: JsonObject) -> Iterator[FieldError]:
    yield from nonnegative(status, ("replicas", *_PARTS, "observedGeneration"), "status")
    yield from count_errors(status, _PARTS)


def _validate_template(value: JsonObject) -> list[FieldError]:
    return list(template_errors(value.get("template") or {}, "template"))


REPLICATION_CONTROLLER: Final = KindRules(validate=_validate, validate_update=_validate_update)
POD_TEMPLATE: Final = KindRules(
    validate=_validate_template, validate_update=lambda value, _old, _subresource: _validate_template(value)
)
