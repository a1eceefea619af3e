"""Failures: the answers that say no, each a Status in Kubernetes' words.

Raised anywhere in the core, turned into the answer in one place (`ApiServer.handle`). A resource is named
`plural.group`, as `GroupResource` prints itself; a kind `Kind.group`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted

_MOST_TOLD: Final = 1 << 20  # characters of the causes of a refusal


class Failure(Exception):
    """An answer that says no."""

    def __init__(
        self, code: int, reason: str, message: str, *, details: dict[str, Any] | None = None, retry_after: int = 0
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.retry_after = retry_after  # seconds; also in the header of that name
        self.is_sniffed = True  # whether a browser may guess what the answer is; what is refused to someone says no

    def status(self) -> dict[str, Any]:
        """Return the Status object."""
        status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
        if self.message:
            status["message"] = self.message
        if self.reason:
            status["reason"] = self.reason
        details = dict(self.details or {})
        if self.retry_after:
            details["retryAfterSeconds"] = self.retry_after
        if details or self.details is not None:
            status["details"] = {name: value for name, value in details.items() if value}
        status["code"] = self.code
        return status


def qualified(name: str, group: str) -> str:
    """Return a plural or a kind with its group: `deployments.apps`, `pods`."""
    return f"{name}.{group}" if group else name


def _details(name: str, kind: str, group: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "group": group, "kind": kind, **more}


def not_found(plural: str, group: str, name: str) -> Failure:
    """404 of an object."""
    message = f"{qualified(plural, group)} {quoted(name)} not found"
    return Failure(404, "NotFound", message, details=_details(name, plural, group))


def path_not_found() -> Failure:
    """404 of a path or resource that the server does not serve."""
    return Failure(404, "NotFound", "the server could not find the requested resource", details={})


def already_exists(plural: str, group: str, name: str) -> Failure:
    """409 of a create."""
    message = f"{qualified(plural, group)} {quoted(name)} already exists"
    return Failure(409, "AlreadyExists", message, details=_details(name, plural, group))


def conflict(plural: str, group: str, name: str, why: str) -> Failure:
    """409 of a write that is based on something else."""
    message = f"Operation cannot be fulfilled on {qualified(plural, group)} {quoted(name)}: {why}"
    return Failure(409, "Conflict", message, details=_details(name, plural, group))


def apply_conflict(message: str, causes: Sequence[dict[str, str]]) -> Failure:
    """409 of a server-side apply to fields that others own."""
    return Failure(409, "Conflict", message, details={"causes": list(causes)})


def forbidden(plural: str, group: str, name: str, why: str) -> Failure:
    """403."""
    if not plural:
        message = f"forbidden: {why}"
    elif name:
        message = f"{qualified(plural, group)} {quoted(name)} is forbidden: {why}"
    else:
        message = f"{qualified(plural, group)} is forbidden: {why}"
    return Failure(403, "Forbidden", message, details=_details(name, plural, group))


def unauthorized() -> Failure:
    """401."""
    return Failure(401, "Unauthorized", "Unauthorized")


def invalid(kind: str, group: str, name: str, errors: Sequence[FieldError]) -> Failure:
    """422, with a cause per field."""
    causes = list(_causes(errors))
    messages = list(dict.fromkeys(f"{cause['field']}: {cause['message']}" for cause in causes))
    message = f"{qualified(kind, group)} {quoted(name)} is invalid"
    if len(messages) == 1:
        message += f": {messages[0]}"
    elif messages:
        message += f": [{', '.join(messages)}]"
    return Failure(422, "Invalid", message, details=_details(name, kind, group, causes=causes))


def _causes(errors: Sequence[FieldError]) -> Iterator[dict[str, str]]:
    """Tell what is wrong, until there is enough of it: each may show a long list, and there may be as many again."""
    length = 0
    for error in errors:
        if length > _MOST_TOLD:
            return
        message = error.body()
        length += len(error.field) + len(message)
        yield {"reason": error.fault.value, "message": message, "field": error.field}


def bad_request(message: str) -> Failure:
    """400."""
    return Failure(400, "BadRequest", message)


def method_not_supported(plural: str, group: str, action: str) -> Failure:
    """405 of a verb that a resource does not have."""
    message = f"{action} is not supported on resources of kind {quoted(qualified(plural, group))}"
    return Failure(405, "MethodNotAllowed", message, details=_details("", plural, group))


def expired(message: str) -> Failure:
    """410 of a version that is no longer kept."""
    return Failure(410, "Expired", message)


def timeout(message: str, *, retry_after: int = 0, causes: Sequence[dict[str, str]] = ()) -> Failure:
    """504 of something that did not happen in time."""
    details = {"causes": list(causes)} if causes else {}
    return Failure(504, "Timeout", f"Timeout: {message}", details=details, retry_after=retry_after)


def unsupported_media_type(message: str) -> Failure:
    """415 of a body in a form that the server does not read."""
    return Failure(415, "UnsupportedMediaType", message)


def not_acceptable(message: str) -> Failure:
    """406 of an answer in a form that the server does not write."""
    return Failure(406, "NotAcceptable", message)


def too_large(message: str) -> Failure:
    """413."""
    return Failure(413, "RequestEntityTooLarge", f"Request entity too large: {message}")


def internal(message: str) -> Failure:
    """500: a defect, or a disk that says no."""
    text = f"Internal error occurred: {message}"
    return Failure(500, "InternalError", text, details={"causes": [{"message": message}]})
