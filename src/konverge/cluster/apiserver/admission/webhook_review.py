"""AdmissionReview: what a webhook is sent, and what its answer must be; v1, and v1beta1 for those who know no other."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from konverge.cluster.apiserver.admission.attributes import Attributes, GroupVersionKind
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject

_GROUP: Final = "admission.k8s.io"
_KNOWN: Final = ("v1", "v1beta1")
_LEAST_REFUSAL: Final = 400
_LARGEST_CODE: Final = 999  # what HTTP can carry; the real server ends the connection at a larger one
_OWN_FAULT: Final = 500


class BadReview(Exception):
    """An answer that is no answer to what was asked; the message has the real server's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a webhook says."""

    is_allowed: bool
    patch: bytes = field(default=b"", repr=False)
    patch_type: str = ""
    status: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)


def review_version(versions: tuple[str, ...]) -> str:
    """Return the first version of AdmissionReview that both sides know."""
    for version in versions:
        if version in _KNOWN:
            return version
    known = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
    raise BadReview(f"could not create admission objects: {known}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A write in the version in which a webhook wants to see it."""

    attributes: Attributes
    resource: Resource
    kind: GroupVersionKind
    value: JsonObject | None
    old: JsonObject | None


def admission_review(asked: Asked, *, version: str, uid: str) -> JsonObject:
    """Return the review to send."""
    attributes = asked.attributes
    request: JsonObject = {
        "uid": uid,
        "kind": _kind(asked.kind),
        "resource": _resource(asked.resource),
        "subResource": attributes.subresource,
        "requestKind": _kind(attributes.kind),
        "requestResource": _resource(attributes.resource),
        "requestSubResource": attributes.subresource,
        "name": attributes.name,
        "namespace": attributes.namespace,
    }
    request = {name: value for name, value in request.items() if value != ""}
    request |= {
        "operation": str(attributes.operation),
        "userInfo": attributes.user.info(),
        "object": asked.value,
        "oldObject": asked.old,
        "dryRun": attributes.is_dry_run,
        "options": attributes.options or None,
    }
    return {"kind": "AdmissionReview", "apiVersion": f"{_GROUP}/{version}", "request": request}


def _kind(kind: GroupVersionKind) -> JsonObject:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _resource(resource: Resource) -> JsonObject:
    return {"group": resource.group, "version": resource.version, "resource": resource.plural}


def read_verdict(review: JsonObject, *, version: str, uid: str, is_mutating: bool) -> Verdict:
    """Read a webhook's answer; raises `BadReview`."""
    response = review.get("response")
    if response is None:
        raise BadReview("webhook response was absent")
    if version == "v1":
        _check_v1(review, response, uid=uid, is_mutating=is_mutating)
    patch = base64.b64decode(response.get("patch") or "") if is_mutating else b""
    return Verdict(
        is_allowed=bool(response.get("allowed")),
        patch=patch,
        patch_type=(response.get("patchType") or "" if version == "v1" else "JSONPatch") if patch else "",
        status=response.get("status"),
        warnings=tuple(response.get("warnings") or ()),
        annotations=response.get("auditAnnotations") or {},
    )


def _check_v1(review: JsonObject, response: JsonObject, *, uid: str, is_mutating: bool) -> None:
    found = response.get("uid") or ""
    if found != uid:
        raise BadReview(f"expected response.uid={quoted(uid)}, got {quoted(found)}")
    api_version, kind = review.get("apiVersion") or "", review.get("kind") or ""
    if (api_version, kind) != (f"{_GROUP}/v1", "AdmissionReview"):
        group, _, version = api_version.rpartition("/")
        shown = f"{group}/{version}, Kind={kind}"
        raise BadReview(f"expected webhook response of {_GROUP}/v1, Kind=AdmissionReview, got {shown}")
    has_patch, patch_type = bool(response.get("patch")), response.get("patchType")
    if is_mutating:
        _check_patch_type(patch_type, has_patch=has_patch)
    elif has_patch:
        raise BadReview("validating webhook may not return response.patch")
    elif patch_type is not None:
        raise BadReview("validating webhook may not return response.patchType")


def _check_patch_type(patch_type: str | None, *, has_patch: bool) -> None:
    if has_patch and patch_type is None:
        raise BadReview("webhook returned response.patch but not response.patchType")
    if not has_patch and patch_type is not None:
        raise BadReview("webhook returned response.patchType but not response.patch")
    if patch_type == "":
        raise BadReview('webhook returned invalid response.patchType of ""')


def denial(name: str, status: Mapping[str, Any] | None) -> Failure:
    """Return the refusal that a webhook gave, as the client gets it."""
    given = dict(status or {})
    by = f"admission webhook {quoted(name)} denied the request"
    why = given.get("message") or given.get("reason") or ""
    details = given.get("details")
    details = dict(details) if details is not None else None
    code = max(given.get("code") or 0, _LEAST_REFUSAL)
    return Failure(
        code if code <= _LARGEST_CODE else _OWN_FAULT,
        given.get("reason") or "",
        f"{by}: {why}" if why else f"{by} without explanation",
        details=details,
        retry_after=(details or {}).pop("retryAfterSeconds", 0) if details else 0,
    )
