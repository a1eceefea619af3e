"""Admission: an AdmissionReview in, an AdmissionReview out; no I/O, so a handler is tested without a server.

The API server asks (`AdmissionRequest`), a handler answers (`AdmissionResponse`). `answer` does all of it on bytes and
never fails: whatever is wrong with the question or with the handler becomes an answer that the API server understands.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final

import msgspec

from konverge import log
from konverge.api.kind import GroupVersionKind, GroupVersionResource, ObjectKey
from konverge.errors import ApiError, BadRequest, KonvergeError, RequestError

_LOG: Final = log.get("webhook")
_VERSIONS: Final = ("admission.k8s.io/v1", "admission.k8s.io/v1beta1")
_ABSENT: Final = (b"", b"null")
_CURRENT: ContextVar[AdmissionRequest] = ContextVar("admission request")


class Denied(KonvergeError):
    """A handler says no, in its own words; the user gets them with code 403."""


class UserInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Who asked the API server."""

    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)


class AdmissionRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the API server asks; objects are the bytes that it sent. Its repr shows no contents."""

    uid: str
    kind: GroupVersionKind
    resource: GroupVersionResource
    operation: str  # CREATE, UPDATE, DELETE or CONNECT
    sub_resource: str = ""
    request_kind: GroupVersionKind | None = None  # as the user wrote it, where that was an equivalent kind
    request_resource: GroupVersionResource | None = None
    request_sub_resource: str = ""
    name: str = ""
    namespace: str = ""
    user_info: UserInfo = msgspec.field(default_factory=UserInfo)
    object: msgspec.Raw = msgspec.Raw(b"null")
    old_object: msgspec.Raw = msgspec.Raw(b"null")
    dry_run: bool | None = None
    options: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def key(self) -> ObjectKey:
        """The object; a name that the server is still to make up is empty."""
        return ObjectKey(self.namespace, self.name)

    @property
    def has_object(self) -> bool:
        """Whether there is a new object."""
        return bytes(self.object) not in _ABSENT

    @property
    def has_old_object(self) -> bool:
        """Whether there is an old object."""
        return bytes(self.old_object) not in _ABSENT

    @property
    def is_confidential(self) -> bool:
        """Whether nothing that an error quotes of the object may be shown."""
        return not self.kind.group and self.kind.kind == "Secret"

    def __str__(self) -> str:
        return f'{self.operation} {self.kind} "{self.key}"'

    def __repr__(self) -> str:
        return f"AdmissionRequest({self})"


class AdmissionResponse(msgspec.Struct, frozen=True, kw_only=True):
    """What a handler answers."""

    allowed: bool
    status: Mapping[str, Any] = msgspec.field(default_factory=dict)  # a Status: code, reason, message, details
    patch: tuple[Mapping[str, Any], ...] = ()  # a JSON patch
    warnings: tuple[str, ...] = ()
    audit_annotations: Mapping[str, str] = msgspec.field(default_factory=dict)


AdmissionHandler = Callable[[AdmissionRequest], Awaitable[AdmissionResponse]]
"""Answers a request; what it raises becomes an answer, too."""


def current_request() -> AdmissionRequest:
    """Return what the handler that calls this was asked: the user, the operation, whether it is a dry run."""
    found = _CURRENT.get(None)
    if found is None:
        raise RequestError("no admission request is being answered here: call this in a defaulter or validator")
    return found


def allowed(*warnings: str) -> AdmissionResponse:
    """Let it pass."""
    return AdmissionResponse(allowed=True, status={"code": 200}, warnings=warnings)


def denied(message: str) -> AdmissionResponse:
    """Refuse it with code 403."""
    return errored(403, message, reason="Forbidden")


def errored(code: int, message: str, *, reason: str = "") -> AdmissionResponse:
    """Refuse it with a code."""
    status: dict[str, Any] = {"status": "Failure", "code": code, "message": message}
    return AdmissionResponse(allowed=False, status={**status, "reason": reason} if reason else status)


def refused(error: ApiError, request: AdmissionRequest | None = None) -> AdmissionResponse:
    """Refuse it as the API server would have: the error's code, reason and causes reach the user."""
    response = errored(error.code or 500, error.message, reason=error.reason)
    if not error.causes:
        return response
    causes = [{"reason": cause.reason, "message": cause.message, "field": cause.field} for cause in error.causes]
    # kubectl names the object by the details. What a call of the handler's own was refused for is about another one.
    named = _named(request) if request is not None and error.operation is None else {}
    return msgspec.structs.replace(response, status={**response.status, "details": {**named, "causes": causes}})


def _named(request: AdmissionRequest) -> dict[str, str]:
    found = {"name": request.name, "group": request.kind.group, "kind": request.kind.kind}
    return {key: value for key, value in found.items() if value}


async def admit(
    request: AdmissionRequest,
    handler: AdmissionHandler,
    *,
    timeout: float | None = None,  # noqa: ASYNC109 - the API server's own, and its end is an answer
    panicked: Callable[[], object] = lambda: None,
) -> AdmissionResponse:
    """Answer a request; a handler that raises or is slow is an answer, too. `panicked` counts a handler with a bug."""
    token, limit = _CURRENT.set(request), asyncio.timeout(timeout)
    try:
        async with limit:
            return await handler(request)
    except Denied as error:
        return denied(str(error))
    except ApiError as error:
        return refused(error, request)
    except Exception as error:  # noqa: BLE001 - the author's code; one object's bug must not stop the others
        if isinstance(error, TimeoutError) and limit.expired():
            return _too_slow(request, timeout or 0.0)
        panicked()
        return _broken(request, error)
    finally:
        _CURRENT.reset(token)


def _too_slow(request: AdmissionRequest, seconds: float) -> AdmissionResponse:
    _LOG.warning("a webhook's handler was too slow; the request was refused", request=str(request), seconds=seconds)
    return errored(504, f"the webhook did not decide on {request} within {seconds:g} s", reason="Timeout")


def _broken(request: AdmissionRequest, error: Exception) -> AdmissionResponse:
    kind = type(error).__name__
    if request.is_confidential:  # its message, and the values in its stack, may quote the Secret
        _LOG.error("a webhook's handler failed", request=str(request), failure=kind)
        return errored(500, f"the webhook failed: {kind}", reason="InternalError")
    _LOG.error("a webhook's handler failed", error, request=str(request))
    return errored(500, f"the webhook failed: {kind}: {error}", reason="InternalError")


async def answer(
    body: bytes,
    handler: AdmissionHandler,
    *,
    timeout: float | None = None,  # noqa: ASYNC109 - as above
    panicked: Callable[[], object] = lambda: None,
) -> bytes:
    """Answer the bytes of an AdmissionReview."""
    try:
        version, request = read_review(body)
    except BadRequest as error:
        _LOG.warning("a request to a webhook could not be read", cause=error.message)
        return write_review(refused(error))
    response = await admit(request, handler, timeout=timeout, panicked=panicked)
    return write_review(response, uid=request.uid, version=version)


class _Review(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    request: AdmissionRequest | None = None


def read_review(body: bytes) -> tuple[str, AdmissionRequest]:
    """Read an AdmissionReview: its apiVersion and the request. Raises `BadRequest`, which quotes nothing of it."""
    if not body:
        raise BadRequest("request body is empty")
    try:
        review = msgspec.json.decode(body, type=_Review)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"the body is no AdmissionReview: {error}") from error
    if review.kind != "AdmissionReview" or review.api_version not in _VERSIONS or review.request is None:
        raise BadRequest(f"the body is no AdmissionReview of {' or '.join(_VERSIONS)} with a request")
    return review.api_version, review.request


def write_review(response: AdmissionResponse, *, uid: str = "", version: str = _VERSIONS[0]) -> bytes:
    """Write the AdmissionReview that carries an answer."""
    body: dict[str, Any] = {"uid": uid, "allowed": response.allowed, "status": dict(response.status)}
    if response.patch:
        body["patchType"] = "JSONPatch"
        body["patch"] = base64.b64encode(msgspec.json.encode(response.patch)).decode()
    if response.warnings:
        body["warnings"] = list(response.warnings)
    if response.audit_annotations:
        body["auditAnnotations"] = dict(response.audit_annotations)
    return msgspec.json.encode({"apiVersion": version, "kind": "AdmissionReview", "response": body})
