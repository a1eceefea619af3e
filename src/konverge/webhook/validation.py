"""Validator: says no to what no schema can refuse, and warns.

::

    class PageValidator:
        async def validate_create(self, page: Page) -> list[str] | None: ...
        async def validate_update(self, old: Page, new: Page) -> list[str] | None: ...

Any of the three methods may be missing: the API server is not asked about that operation then. They return warnings
for the user, or None, and refuse by raising: `FieldErrors` collects what is wrong per field, `errors.Invalid` and every
other `ApiError` keeps its code, `Denied` is a plain no. Any other exception is a bug: the object is refused with 500.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

import msgspec

from konverge.api.form import Kind, form_of
from konverge.api.object import Object, read
from konverge.errors import DecodeError, RequestError
from konverge.webhook import admission
from konverge.webhook.admission import AdmissionHandler, AdmissionRequest, AdmissionResponse
from konverge.webhook.calling import Call, Result, call
from konverge.webhook.defaulting import undecodable

T = TypeVar("T", bound=Object)
T_contra = TypeVar("T_contra", bound=Object, contravariant=True)
Warnings = Iterable[str] | str | None
"""What users are told though their request passes."""


class CreateValidator(Protocol[T_contra]):
    """Is asked about new objects."""

    def validate_create(self, obj: T_contra, /) -> Result[Warnings]:
        """Return warnings, or raise."""
        ...


class UpdateValidator(Protocol[T_contra]):
    """Is asked about changes."""

    def validate_update(self, old: T_contra, new: T_contra, /) -> Result[Warnings]:
        """Return warnings, or raise."""
        ...


class DeleteValidator(Protocol[T_contra]):
    """Is asked about deletions."""

    def validate_delete(self, obj: T_contra, /) -> Result[Warnings]:
        """Return warnings, or raise."""
        ...


Validator = CreateValidator[T] | UpdateValidator[T] | DeleteValidator[T]
"""Has one of the methods at least; each `async def` or plain `def`."""

_METHODS = {"CREATE": "validate_create", "UPDATE": "validate_update", "DELETE": "validate_delete"}


def operations_of(validator: Any) -> tuple[str, ...]:
    """Return the operations that a validator is to be asked about, by the methods that it has."""
    found = tuple(operation for operation, method in _METHODS.items() if callable(getattr(validator, method, None)))
    if not found:
        raise RequestError(
            f"{type(validator).__name__} validates nothing: give it {', '.join(_METHODS.values())}, or one of them"
        )
    return found


def validator_handler(kind: Kind[T], validator: Validator[T], *, call: Call = call) -> AdmissionHandler:
    """Return the handler of a validator."""
    cls, operations = form_of(kind).cls, operations_of(validator)

    async def handle(request: AdmissionRequest) -> AdmissionResponse:
        if request.operation not in operations:
            return admission.allowed()
        try:
            objects = [read(cls, part) for part in _parts(request)]
        except DecodeError as error:
            return undecodable(request, error)
        method: Callable[..., Any] = getattr(validator, _METHODS[request.operation])
        return admission.allowed(*_texts(await call(method, *objects)))

    return handle


def _parts(request: AdmissionRequest) -> tuple[msgspec.Raw, ...]:
    if request.operation == "CREATE":
        return (request.object,)
    return (request.old_object,) if request.operation == "DELETE" else (request.old_object, request.object)


def _texts(warnings: Warnings) -> tuple[str, ...]:
    if warnings is None:
        return ()
    return (warnings,) if isinstance(warnings, str) else tuple(warnings)
