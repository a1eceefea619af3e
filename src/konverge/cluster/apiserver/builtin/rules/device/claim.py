"""Claims on devices, and their templates: what they ask for never changes."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.claim_metadata import claim_metadata_errors, refused_metadata_empties
from konverge.cluster.apiserver.builtin.rules.device.claim_author import claim_author_errors
from konverge.cluster.apiserver.builtin.rules.device.claim_status import drop_released_devices, status_errors
from konverge.cluster.apiserver.builtin.rules.device.request import claim_errors
from konverge.cluster.apiserver.builtin.rules.device.sameness import is_same
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.kind_rules import EmptyPath, KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_FIXED: Final = "field is immutable"


def _validate_claim(value: JsonObject) -> list[FieldError]:
    return list(claim_errors((value.get("spec") or {}).get("devices") or {}, "spec.devices"))


def _claim_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return list(status_errors(value, old))
    errors = _metadata_errors(value)
    if not is_same(value.get("spec"), old.get("spec")):
        errors.append(
            field_error.invalid("spec", internal_text("resource.ResourceClaimSpec", value.get("spec")), _FIXED)
        )
    return errors


def _metadata_errors(value: JsonObject) -> list[FieldError]:
    """Judge metadata once more, as that of a new object: the real server does, for these kinds."""
    return new_metadata_errors(value["metadata"], lambda name, **_: dns_subdomain(name), namespaced=True)


def _prepare_claim_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if subresource == "status":
        drop_released_devices(value.get("status") or {}, old.get("status") or {})


def _refused_template_empties(value: JsonObject) -> list[EmptyPath]:
    spec = value.get("spec")
    metadata = spec.get("metadata") if isinstance(spec, dict) else None
    return [("spec", "metadata", name) for name in refused_metadata_empties(metadata)]


def _validate_template(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    return [
        *claim_metadata_errors(spec.get("metadata") or {}, "spec.metadata"),
        *claim_errors((spec.get("spec") or {}).get("devices") or {}, "spec.spec.devices"),
    ]


def _template_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors = _metadata_errors(value) + _validate_template(value)
    if not is_same(value.get("spec"), old.get("spec")):
        errors.append(
            field_error.invalid("spec", internal_text("resource.ResourceClaimTemplateSpec", value.get("spec")), _FIXED)
        )
    return errors


RESOURCE_CLAIM: Final = KindRules(
    prepare_for_update=_prepare_claim_update,
    author_errors=claim_author_errors,
    validate=_validate_claim,
    validate_update=_claim_update,
)
RESOURCE_CLAIM_TEMPLATE: Final = KindRules(
    refused_empties=_refused_template_empties,
    author_errors=claim_author_errors,
    validate=_validate_template,
    validate_update=_template_update,
)
