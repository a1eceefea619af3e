"""Defaulter: fills in what the user left out, before the object is validated and stored.

::

    class PageDefaults:
        async def default(self, page: Page) -> None:
            page.spec.theme = page.spec.theme or "plain"

The answer is a JSON patch of what changed, and of nothing else: fields that the class does not know are not touched.
"""

from __future__ import annotations

from typing import Any, Final, Protocol, TypeVar

from konverge.api import json_patch
from konverge.api.form import Kind, form_of
from konverge.api.model import decode
from konverge.api.object import Object, read, write
from konverge.errors import DecodeError
from konverge.webhook import admission
from konverge.webhook.admission import AdmissionHandler, AdmissionRequest, AdmissionResponse
from konverge.webhook.calling import Call, Result, call

T = TypeVar("T", bound=Object)
T_contra = TypeVar("T_contra", bound=Object, contravariant=True)
OPERATIONS: Final = ("CREATE", "UPDATE")


class Defaulter(Protocol[T_contra]):
    """Has `default`, `async def` or plain `def`; a plain one runs in a thread."""

    def default(self, obj: T_contra, /) -> Result[None]:
        """Change the object in place. `konverge.webhook.current_request` tells who asks for what."""
        ...


def defaulter_handler(kind: Kind[T], defaulter: Defaulter[T], *, call: Call = call) -> AdmissionHandler:
    """Return the handler of a defaulter."""
    cls = form_of(kind).cls

    async def handle(request: AdmissionRequest) -> AdmissionResponse:
        if not request.has_object:  # a DELETE has nothing to change
            return admission.allowed()
        try:
            obj = read(cls, request.object)
        except DecodeError as error:
            return undecodable(request, error)
        await call(defaulter.default, obj)
        patch = json_patch.create(decode(dict[str, Any], request.object), decode(dict[str, Any], write(obj)))
        return AdmissionResponse(allowed=True, status={"code": 200}, patch=tuple(patch))

    return handle


def undecodable(request: AdmissionRequest, error: DecodeError) -> AdmissionResponse:
    """Refuse an object that does not fit the class; it is the user's mistake, not the handler's."""
    detail = "" if request.is_confidential else f": {error}"
    return admission.errored(400, f"the object does not fit its kind{detail}", reason="BadRequest")
