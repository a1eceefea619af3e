"""Errors by what the caller does about them, each message naming the object, what happened and the remedy.

The API server's answers become `ApiError` subclasses (`from_status`); everything foreign (sockets, TLS, JSON)
is converted where it enters, with `from`, so that a caller needs `except` clauses for konverge's errors only::

    KonvergeError
    ├── ConfigError            fix the kubeconfig, the file or the flag it names
    ├── RequestError           fix the call: it was never sent
    ├── CacheSyncTimeout       install the CRD or the RBAC rule it names, or give it more time
    ├── DecodeError            the server's bytes do not fit the type: read the object as `Unstructured`
    ├── ConnectionFailed       nothing was answered: retry reads; a write may or may not have happened
    └── ApiError               the server answered no
        ├── BadRequest, MethodNotAllowed, NotAcceptable, UnsupportedMediaType, TooLarge   fix the call
        ├── Invalid            fix the object: `causes` says which fields
        ├── Unauthorized, Forbidden                             fix the credentials, or the RBAC rule
        ├── NotFound, AlreadyExists                             expected now and then: handle them
        ├── Conflict           read again and redo the change
        │   └── ApplyConflict  another manager owns fields: `conflicts` says which
        ├── Expired            the version is gone: list again
        └── TooManyRequests, Timeout, Unavailable, InternalError                          retry later
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, overload

import msgspec


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked of the server, in the words of RBAC; printed in every error that follows from it."""

    verb: str
    group: str = ""
    resource: str = ""  # with its subresource, "deployments/status"; or a path, "/version"
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        kind = f"{self.resource}.{self.group}" if self.group else self.resource
        where = "/".join(part for part in (self.namespace, self.name) if part)
        return f'{self.verb} {kind} "{where}"' if where else f"{self.verb} {kind}"


class Cause(msgspec.Struct, frozen=True):
    """One reason out of several that the server gave, as a rule about one field."""

    reason: str
    message: str
    field: str = ""


class KonvergeError(Exception):
    """The root of everything konverge raises on purpose."""


class ConfigError(KonvergeError):
    """The client's configuration cannot be used; the message names the file and the field."""


class RequestError(KonvergeError):
    """The call makes no sense as it stands, so nothing was sent."""


class DecodeError(KonvergeError):
    """The server sent something that does not fit the type it was read as."""


class ConnectionFailed(KonvergeError):
    """The server could not be reached, or the connection broke before the answer was complete.

    A write may have happened or not: look before repeating it. konverge itself repeats reads only.
    """


class CacheSyncTimeout(KonvergeError):
    """What is to be cached has not been read in time; the message names it, what it waits for and the remedy."""


class ApiError(KonvergeError):
    """The server answered with a Status that says no."""

    default_code: ClassVar[int] = 0

    def __init__(
        self,
        message: str,
        *,
        operation: Operation | None = None,
        code: int = 0,
        reason: str = "",
        causes: tuple[Cause, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        self.message = message
        self.operation = operation
        self.code = code or self.default_code
        self.reason = reason or type(self).__name__
        self.causes = causes
        self.retry_after = retry_after
        super().__init__(self._text())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.__dict__)

    def _text(self) -> str:
        head = f"{self.operation}: " if self.operation else ""
        hint = self.remedy()
        return f"{head}{self.message} ({self.code} {self.reason}){f'; {hint}' if hint else ''}"

    def remedy(self) -> str:
        """What the reader of the message should do, where there is something better than reading it."""
        return ""


def _rebuild(cls: type[ApiError], state: dict[str, Any]) -> ApiError:
    error = cls.__new__(cls)
    error.__dict__.update(state)
    error.args = (error._text(),)  # noqa: SLF001 - the same class, one line below
    return error


class BadRequest(ApiError):
    """The server could not make sense of the request."""

    default_code = 400


class Unauthorized(ApiError):
    """The server does not know who asks."""

    default_code = 401

    def remedy(self) -> str:
        """Name what to look at; never the credential itself."""
        return "check the credentials of the current context: the token or certificate is missing, wrong or expired"


class Forbidden(ApiError):
    """The server knows who asks, and the answer is no."""

    default_code = 403

    def remedy(self) -> str:
        """Give the RBAC rule that would allow it, ready to paste into a Role or ClusterRole."""
        # The authorizer's own words, not the operation: an apply may lack "create", an impersonation "impersonate".
        if path := _NO_PATH.search(self.message):
            rule = f'{{nonResourceURLs: ["{path["path"]}"], verbs: ["{path["verb"]}"]}}'
            return f"allow it by a ClusterRole with the rule {rule}"
        missing = _NO_ACCESS.search(self.message)
        if missing is None:
            return ""  # refused by admission or quota, not by RBAC: no rule would help
        where = f'a Role in namespace "{missing["namespace"]}"' if missing["namespace"] else "a ClusterRole"
        rule = (
            f'{{apiGroups: ["{missing["group"]}"], resources: ["{missing["resource"]}"], verbs: ["{missing["verb"]}"]}}'
        )
        return f"allow it by {where} with the rule {rule}"


_NO_PATH = re.compile(r'cannot (?P<verb>\S+) path "(?P<path>[^"]+)"')
_NO_ACCESS = re.compile(
    r'cannot (?P<verb>\S+) resource "(?P<resource>[^"]+)" in API group "(?P<group>[^"]*)"'
    r'(?: in the namespace "(?P<namespace>[^"]+)")?'
)


class NotFound(ApiError):
    """There is no such object, or no such kind."""

    default_code = 404


class MethodNotAllowed(ApiError):
    """The resource does not have this verb."""

    default_code = 405


class NotAcceptable(ApiError):
    """The server cannot answer in the form that was asked for."""

    default_code = 406


class Conflict(ApiError):
    """The object changed since it was read: read it again and redo the change."""

    default_code = 409


class AlreadyExists(ApiError):
    """An object of that name is there already."""

    default_code = 409


class FieldConflict(msgspec.Struct, frozen=True):
    """One field that an apply wanted and the manager that owns it."""

    field: str
    manager: str


class ApplyConflict(Conflict):
    """Another manager owns fields that this apply sets to something else."""

    @property
    def conflicts(self) -> tuple[FieldConflict, ...]:
        """Each field in conflict with its owner."""
        return tuple(FieldConflict(cause.field, _manager(cause.message)) for cause in self.causes)

    def remedy(self) -> str:
        """Offer the two ways out that server-side apply has."""
        fields = ", ".join(f"{c.field} (owned by {c.manager})" for c in self.conflicts)
        return f"fields: {fields}; leave them out, or take them over with force=True"


def _manager(message: str) -> str:
    """The owner out of: conflict with "kubectl" with subresource "status" using apps/v1 at 2026-01-01T00:00:00Z."""
    parts = message.split('"')
    return parts[1] if len(parts) > 1 else message


class Expired(ApiError):
    """The resource version or continue token is too old: list again."""

    default_code = 410


class TooLarge(ApiError):
    """The request is larger than the server takes."""

    default_code = 413


class UnsupportedMediaType(ApiError):
    """The server does not take this content type here (a strategic merge patch on a custom resource, for one)."""

    default_code = 415


class Invalid(ApiError):
    """The object breaks a rule of its kind; `causes` has one entry per field."""

    default_code = 422


class TooManyRequests(ApiError):
    """The server asks to come back after `retry_after` seconds."""

    default_code = 429


class InternalError(ApiError):
    """The server failed."""

    default_code = 500


class Unavailable(ApiError):
    """The server, or what stands behind it, is not ready."""

    default_code = 503


class Timeout(ApiError):
    """The server gave up waiting; a write may still have happened."""

    default_code = 504


_BY_REASON: dict[str, type[ApiError]] = {
    "BadRequest": BadRequest,
    "Unauthorized": Unauthorized,
    "Forbidden": Forbidden,
    "NotFound": NotFound,
    "MethodNotAllowed": MethodNotAllowed,
    "NotAcceptable": NotAcceptable,
    "Conflict": Conflict,
    "AlreadyExists": AlreadyExists,
    "Gone": Expired,
    "Expired": Expired,
    "RequestEntityTooLarge": TooLarge,
    "UnsupportedMediaType": UnsupportedMediaType,
    "Invalid": Invalid,
    "TooManyRequests": TooManyRequests,
    "InternalError": InternalError,
    "ServiceUnavailable": Unavailable,
    "Timeout": Timeout,
    "ServerTimeout": Timeout,
}
_BY_CODE: dict[int, type[ApiError]] = {
    **{cls.default_code: cls for cls in reversed(_BY_REASON.values()) if cls is not AlreadyExists},
    408: Timeout,
    502: Unavailable,  # a proxy's word for it
}


# What these hold must not reach an error, a log or a screen, and the server quotes what it refuses.
_CONFIDENTIAL = frozenset({"secrets", "serviceaccounts/token", "tokenreviews"})
_NAMES = frozenset({"metadata.name", "metadata.generateName", "metadata.namespace"})  # these may be shown
_QUOTED = re.compile(
    r"(?<!metadata\.name: )(?<!metadata\.generateName: )(?<!metadata\.namespace: )"
    r'(?P<head>(?:Invalid|Unsupported|Duplicate) value:).*|\s*(?:"?\{\s*\\?"|map\[).*',
    re.DOTALL,
)


def from_status(
    status: Mapping[str, Any], *, operation: Operation | None = None, code: int = 0, retry_after: float | None = None
) -> ApiError:
    """Turn a Status object, or as much of one as a proxy left, into the error that fits it.

    What has the wrong type in it counts as left out. Of an answer about secrets or tokens, quoted values are left out.
    """
    details = _mapping(status.get("details"))
    hide = _hide if operation is not None and operation.resource in _CONFIDENTIAL else _show
    causes = tuple(_cause(_mapping(cause), hide) for cause in _list(details.get("causes")))
    code = _whole(status.get("code")) or code
    reason = _str(status.get("reason"))
    cls = _BY_REASON.get(reason) or _BY_CODE.get(code, ApiError)
    if cls is Conflict and any(cause.reason == "FieldManagerConflict" for cause in causes):
        cls = ApplyConflict
    return cls(
        hide(_str(status.get("message"))) or f"the server answered {code} and said no more",
        operation=operation,
        code=code,
        reason=reason,
        causes=causes,
        retry_after=_whole(details.get("retryAfterSeconds")) or retry_after,
    )


def _cause(cause: Mapping[str, Any], hide: Callable[[str], str]) -> Cause:
    field, message = _str(cause.get("field")), _str(cause.get("message"))
    return Cause(_str(cause.get("reason")), message if field in _NAMES else hide(message), field)


def _show(message: str) -> str:
    return message


def _hide(message: str) -> str:
    """Cut off a message where the server begins to quote what it was sent."""
    return _QUOTED.sub(lambda found: f"{found['head'] or ''} [hidden: it may quote a secret]", message, count=1)


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


@overload
def only_error(error: Exception) -> Exception: ...
@overload
def only_error(error: BaseException) -> BaseException: ...
def only_error(error: BaseException) -> BaseException:
    """Take an error out of the groups that task groups put around it, where it is the only one in them."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
