"""Jobs: their pods are told from all others by labels that the server makes; most of their spec never changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Raw

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.job_spec import job_spec_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.builtin.rules.pod.template import changed_selector_errors, mismatch_errors
from konverge.cluster.apiserver.builtin.rules.status.job import job_status_errors
from konverge.cluster.apiserver.builtin.rules.workload_selector import is_well_formed, matches, shown
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import before_suffix, dns_label, dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_UID: Final = "batch.kubernetes.io/controller-uid"
_OLD_UID: Final = "controller-uid"
_NAME: Final = "batch.kubernetes.io/job-name"
_OLD_NAME: Final = "job-name"
_IMMUTABLE: Final = "field is immutable"
_SCHEDULED: Final = ("nodeSelector", "tolerations", "schedulingGates", "affinity")


def _prepare_for_create(value: JsonObject) -> None:
    spec, metadata = value["spec"], value["metadata"]
    if spec.get("manualSelector"):
        return
    name, uid = metadata.get("name", ""), metadata["uid"]
    made = {_OLD_NAME: name, _NAME: name, _OLD_UID: uid, _UID: uid}
    template = spec.setdefault("template", {}).setdefault("metadata", {})
    is_default = not metadata.get("labels") or metadata["labels"] is template.get("labels")
    template["labels"] = {**made, **template.get("labels", {})}
    selector = spec.setdefault("selector", {})
    selector["matchLabels"] = {_UID: uid, **selector.get("matchLabels", {})}
    if is_default:
        metadata["labels"] = dict(template["labels"])


def _validate(value: JsonObject, old: JsonObject | None = None) -> list[FieldError]:
    spec, name = value.get("spec") or {}, value["metadata"].get("name", "")
    errors = [*_generated_errors(value, old), *_spec_errors(spec)]
    completions = spec.get("completions") or 0
    if spec.get("completionMode") == "Indexed" and completions > 0 and dns_label(f"{name}-{completions - 1}"):
        wrong = f"will not able to create pod with invalid DNS label: {name}-{completions - 1}"
        errors.append(field_error.invalid("metadata.name", name, wrong))
    return errors


def _generated_errors(value: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    """Judge the labels and the selector that the server makes, where an author wrote others.

    An old job keeps on without those that have a prefix, if it never had them.
    """
    spec, metadata = value.get("spec") or {}, value["metadata"]
    selector = spec.get("selector")
    if spec.get("manualSelector") or selector is None:
        return
    name, uid = metadata.get("name", ""), metadata.get("uid", "")
    labels = _template_labels(value)
    expected = {_OLD_UID: uid, _OLD_NAME: name}
    if old is None or {_UID, _NAME} <= _template_labels(old).keys():
        expected |= {_UID: uid, _NAME: name}
    for key, wanted in expected.items():
        where = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            yield field_error.required(where, f"must be '{wanted}'")
        elif labels[key] != wanted:
            yield field_error.invalid(where, labels, f"must be '{wanted}'")
    if is_well_formed(selector) and not matches(selector, expected):
        yield field_error.invalid("spec.selector", shown(selector), "`selector` not auto-generated")


def _template_labels(job: JsonObject) -> JsonObject:
    found: JsonObject = (((job.get("spec") or {}).get("template") or {}).get("metadata") or {}).get("labels") or {}
    return found


def _spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    yield from job_spec_errors(spec, "spec")
    selector = spec.get("selector")
    if selector is None:
        yield field_error.required("spec.selector")
    else:
        yield from selector_errors(selector, "spec.selector")
    yield from mismatch_errors(selector, spec.get("template") or {}, "spec.template")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return list(job_status_errors(value, old))
    spec, before = value.get("spec") or {}, old.get("spec") or {}
    errors = new_metadata_errors(value["metadata"], _name_rule, namespaced=True)
    # As the real server does: by itself first, then as a change, which judges the spec again.
    return [*errors, *_validate(value, old), *_spec_errors(spec), *_change_errors(spec, before, old=old)]


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return dns_subdomain(before_suffix(name) if is_prefix else name)


def _change_errors(spec: JsonObject, before: JsonObject, *, old: JsonObject) -> Iterator[FieldError]:
    yield from _completions_errors(spec, before)
    yield from changed_selector_errors(spec, before)
    yield from _template_errors(spec.get("template") or {}, before.get("template") or {}, old=old)
    yield from _fixed_errors("completionMode", spec, before)
    if not json_equal(spec.get("podFailurePolicy"), before.get("podFailurePolicy")):
        yield field_error.invalid("spec.podFailurePolicy", _shown(spec, "podFailurePolicy"), _IMMUTABLE)
    yield from _fixed_errors("backoffLimitPerIndex", spec, before)
    yield from _fixed_errors("managedBy", spec, before)
    if not json_equal(spec.get("successPolicy"), before.get("successPolicy")):
        yield field_error.invalid("spec.successPolicy", _shown(spec, "successPolicy"), _IMMUTABLE)


def _shown(spec: JsonObject, name: str) -> Raw:
    return internal_text(f"*batch.{name[0].upper()}{name[1:]}", spec.get(name))


def _fixed_errors(name: str, spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    if spec.get(name) != before.get(name):
        yield field_error.invalid(f"spec.{name}", spec.get(name), _IMMUTABLE)


def _completions_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    completions = spec.get("completions")
    if spec.get("completionMode") != "Indexed":
        yield from _fixed_errors("completions", spec, before)
    elif completions is not None and completions not in (before.get("completions"), spec.get("parallelism")):
        wrong = "can only be modified in tandem with spec.parallelism"
        yield field_error.invalid("spec.completions", completions, wrong)


def _template_errors(template: JsonObject, before: JsonObject, *, old: JsonObject) -> Iterator[FieldError]:
    """Judge a change of the template."""
    if not _may_change_template(old):
        if not json_equal(template, before):
            yield field_error.invalid("spec.template", internal_text("core.PodTemplateSpec", template), _IMMUTABLE)
    elif not json_equal(_fixed_pod(template), _fixed_pod(before)):
        yield field_error.invalid("spec.template.spec", internal_text("core.PodSpec", template.get("spec")), _IMMUTABLE)


def _may_change_template(old: JsonObject) -> bool:
    """Whether a job is suspended and runs nothing: then where its pods go and what they ask for may change."""
    status = old.get("status") or {}
    conditions = status.get("conditions") or ()
    is_suspended = any(each.get("type") == "Suspended" and each.get("status") == "True" for each in conditions)
    waits = status.get("startTime") is None or is_suspended
    return bool((old.get("spec") or {}).get("suspend")) and waits and not status.get("active")


def _fixed_pod(template: JsonObject) -> JsonObject:
    spec: dict[str, Any] = template.get("spec") or {}
    kept = {name: value for name, value in spec.items() if name not in _SCHEDULED}
    for name in ("containers", "initContainers"):
        kept[name] = [{**each, "resources": None} for each in spec.get(name) or ()]
    others = {name: value for name, value in (spec.get("affinity") or {}).items() if name != "nodeAffinity"}
    return {**kept, "affinity": others}


JOB: Final = KindRules(prepare_for_create=_prepare_for_create, validate=_validate, validate_update=_validate_update)
