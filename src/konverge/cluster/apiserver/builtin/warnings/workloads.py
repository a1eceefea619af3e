"""Warnings of pods, of what makes them, and of claims to volumes."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.warnings.pod_spec import claim_spec_warnings, pod_warnings
from konverge.cluster.apiserver.name_rules import dns_label
from konverge.cluster.apiserver.strategy import JsonObject

_SURPRISING: Final = "which can result in surprising behavior; a DNS label is recommended:"
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_OLD_CLASS: Final = f'metadata.annotations[{_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead'
_TIME_ZONE: Final = (
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


def pod_kind_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of a new pod; few people change one by hand."""
    if old is not None:
        return []
    return _of_name(value, "the Pod's hostname") + pod_warnings(value, "")


def _of_name(value: JsonObject, use: str) -> list[str]:
    faults = dns_label(value["metadata"]["name"])
    return [f"metadata.name: this is used in {use}, {_SURPRISING} [{' '.join(faults)}]"] if faults else []


def _is_as_before(value: JsonObject, old: JsonObject | None) -> bool:
    return old is not None and value["metadata"].get("generation") == old["metadata"].get("generation")


def template_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of a template that is new, or changed."""
    return [] if _is_as_before(value, old) else pod_warnings(value["spec"].get("template") or {}, "spec.template")


def named_template_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Do so where pods get their names from its owner's."""
    name = _of_name(value, "Pod names and hostnames") if old is None else []
    return name + template_warnings(value, old)


def replication_controller_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of a replication controller's template; of a change, as the real server does, of the template before it."""
    if old is None:
        return named_template_warnings(value, old)
    return [] if _is_as_before(value, old) else template_warnings(old, None)


def pod_template_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of a template that stands alone."""
    return [] if _is_as_before(value, old) else pod_warnings(value.get("template", {}), "template")


def stateful_set_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of a template, of claims, and of a history without end."""
    spec, found = value["spec"], template_warnings(value, old)
    for index, claim in enumerate(spec.get("volumeClaimTemplates", ())):
        path = f"spec.volumeClaimTemplates[{index}]" + ("" if old is None else ".Spec")
        found += claim_spec_warnings(path, claim.get("spec", {}))
    if spec.get("revisionHistoryLimit", 0) < 0:
        text = "a negative value retains all historical revisions; a value >= 0 is recommended"
        found.append(f"spec.revisionHistoryLimit: {text}")
    return found


def cron_job_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of the template of jobs, and of a time zone in the schedule."""
    found = _of_name(value, "Pod names and hostnames") if old is None else []
    if not _is_as_before(value, old):
        template = value["spec"].get("jobTemplate", {}).get("spec", {}).get("template", {})
        found += pod_warnings(template, "spec.jobTemplate.spec.template")
    is_zoned = old is not None and "TZ" in value["spec"].get("schedule", "")
    return [*found, _TIME_ZONE] if is_zoned else found


def claim_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:  # noqa: ARG001 - as every kind's
    """Warn of the old way to name a class, and of a claim to a part of a byte."""
    is_old = _CLASS in (value["metadata"].get("annotations") or {})
    return [_OLD_CLASS] * is_old + claim_spec_warnings("spec", value["spec"])
