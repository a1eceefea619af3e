"""Groups of the Kubernetes community (`*.k8s.io`, `*.kubernetes.io`): a CRD in one needs a note of its approval."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any
from urllib.parse import urlsplit

from konverge.cluster.apiserver.field_error import FieldError, invalid, required
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.schema.go_url import is_request_uri

ANNOTATION = "api-approved.kubernetes.io"
_SEE = "see https://github.com/kubernetes/enhancements/pull/1111"
_PATH = f"metadata.annotations[{ANNOTATION}]"


class Approval(Enum):
    """What the annotation says."""

    INVALID = auto()
    APPROVED = auto()
    BYPASSED = auto()
    MISSING = auto()


def is_protected(group: str) -> bool:
    """Whether a group is the community's."""
    return group in ("k8s.io", "kubernetes.io") or group.endswith((".k8s.io", ".kubernetes.io"))


def approval(crd: Mapping[str, Any]) -> tuple[Approval, str]:
    """Return what the annotation of a CRD says, and why."""
    value = ((crd.get("metadata") or {}).get("annotations") or {}).get(ANNOTATION) or ""
    if not value:
        return Approval.MISSING, f'protected groups must have approval annotation "{ANNOTATION}", {_SEE}'
    if value.startswith("unapproved"):
        return Approval.BYPASSED, f"not approved: {quoted(value)}"
    if is_request_uri(value) and urlsplit(value).scheme and urlsplit(value).netloc:
        return Approval.APPROVED, f"approved in {value}"
    text = f'protected groups must have approval annotation "{ANNOTATION}" with either a URL or a reason starting with'
    return Approval.INVALID, f'{text} "unapproved", {_SEE}'


def approval_faults(crd: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[FieldError]:
    """Say that a CRD of a protected group lacks its approval, unless it did so before."""
    if not is_protected((crd.get("spec") or {}).get("group") or ""):
        return []
    state, reason = approval(crd)
    if old is not None and approval(old)[0] is state:
        return []
    if state is Approval.MISSING:
        return [required(_PATH, reason)]
    if state is Approval.INVALID:
        return [invalid(_PATH, crd["metadata"]["annotations"][ANNOTATION], reason)]
    return []
