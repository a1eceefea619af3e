"""Templates of pods: the pod that a workload makes again and again."""

from __future__ import annotations

from collections.abc import Iterator

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.label_selector import label_errors
from konverge.cluster.apiserver.builtin.rules.pod.annotations import annotation_rule_errors, profile_mismatch_errors
from konverge.cluster.apiserver.builtin.rules.pod.spec import pod_spec_errors
from konverge.cluster.apiserver.builtin.rules.workload_selector import is_empty, is_well_formed, matches, shown
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import annotation_errors

_IMMUTABLE = "field is immutable"


def template_errors(template: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a template by itself."""
    spec, annotations = template.get("spec") or {}, (template.get("metadata") or {}).get("annotations") or {}
    yield from template_metadata_errors(template, path)
    yield from annotation_rule_errors(annotations, spec, path=f"{path}.annotations")
    yield from pod_spec_errors(spec, f"{path}.spec")
    yield from profile_mismatch_errors(annotations, spec, path=f"{path}.spec")
    if spec.get("ephemeralContainers"):
        wrong = "ephemeral containers not allowed in pod template"
        yield field_error.forbidden(f"{path}.spec.ephemeralContainers", wrong)


def template_metadata_errors(template: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the labels and annotations of the pods that a template makes."""
    metadata = template.get("metadata") or {}
    yield from label_errors(metadata.get("labels"), f"{path}.labels")
    yield from annotation_errors(metadata.get("annotations") or {}, f"{path}.annotations")


def lasting_errors(template: JsonObject, path: str, *, kind: str) -> Iterator[FieldError]:
    """Judge what a template of pods that never end may not say."""
    spec = template.get("spec") or {}
    if spec.get("restartPolicy") != "Always":
        yield field_error.not_supported(f"{path}.spec.restartPolicy", spec.get("restartPolicy", ""), ("Always",))
    if spec.get("activeDeadlineSeconds") is not None:
        wrong = f"activeDeadlineSeconds in {kind} is not Supported"
        yield field_error.forbidden(f"{path}.spec.activeDeadlineSeconds", wrong)


def mismatch_errors(selector: JsonObject | None, template: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge whether a template makes pods that the selector finds; none finds nothing."""
    labels = (template.get("metadata") or {}).get("labels")
    if is_well_formed(selector) and not matches(selector, labels or {}):
        yield field_error.invalid(f"{path}.metadata.labels", labels, "`selector` does not match template `labels`")


def empty_errors(selector: JsonObject, path: str, *, kind: str) -> Iterator[FieldError]:
    """Judge a selector that would find every pod."""
    if is_empty(selector):
        yield field_error.invalid(path, shown(selector), f"empty selector is invalid for {kind}")


def changed_selector_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge a selector that became another."""
    if (spec.get("selector") or None) != (old.get("selector") or None):
        yield field_error.invalid("spec.selector", shown(spec.get("selector")), _IMMUTABLE)
