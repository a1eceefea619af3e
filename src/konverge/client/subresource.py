"""Subresources: status, scale, eviction, token and any other, with the verbs they have.

`status` takes and gives the object itself. Others have a kind of their own, given as the body::

    scale = await client.subresource("scale").get(deployment, autoscaling_v1.Scale)
    await client.subresource("eviction").create(pod, policy_v1.Eviction(metadata=pod.metadata))
"""

from __future__ import annotations

from typing import Any, TypeVar, overload

from konverge.api import request
from konverge.api.form import Form, Kind
from konverge.api.object import Object, become, write
from konverge.api.request import APPLY_PATCH, ApiRequest
from konverge.api.unstructured import Unstructured
from konverge.client.answer import check_answer, envelope
from konverge.client.engine import Engine, accept_of, is_path_segment, naming, refuse_metadata_only
from konverge.client.extract import refuse_if_partial, refuse_if_read
from konverge.client.listing import read_object
from konverge.client.patch import MergePatch, Patch
from konverge.errors import RequestError

T = TypeVar("T", bound=Object)
B = TypeVar("B", bound=Object)


class Subresource:
    """The verbs on one subresource."""

    def __init__(self, engine: Engine, name: str) -> None:
        if not name or not is_path_segment(name):
            raise RequestError(f"{name!r} is no subresource: name one, such as status, scale or eviction")
        self._engine = engine
        self.name = name

    @overload
    async def get(self, obj: T) -> T: ...
    @overload
    async def get(self, obj: Object, as_: Kind[B]) -> B: ...
    async def get(self, obj: Object, as_: Kind[Any] | None = None) -> Object:
        """Return the subresource of an object, read as the class it has (by default, the object's own)."""
        own, resource, key = await self._engine.locate(obj)
        form = own if as_ is None else _body_form(as_)
        call = request.get(resource, key, subresource=self.name, accept=accept_of(form))
        # An Unstructured may be a Scale as well: it says itself what it is.
        return await self._engine.read(call, form, any_kind=issubclass(form.cls, Unstructured))

    async def create(self, obj: Object, body: B, *, dry_run: bool | None = None, field_owner: str | None = None) -> B:
        """Post to the subresource; what the server answers becomes the body's new content."""
        _, resource, key = await self._engine.locate(obj)
        options = self._engine.write_options(dry_run=dry_run, field_owner=field_owner)
        call = request.create(resource, key, write(body), options=options, subresource=self.name)
        return await self._answer(call, body)

    @overload
    async def update(
        self,
        obj: T,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T: ...
    @overload
    async def update(
        self,
        obj: Object,
        body: B,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> B: ...
    async def update(
        self,
        obj: Object,
        body: Object | None = None,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> Object:
        """Replace the subresource: with the object's own (status), or with a body of another kind (scale)."""
        _, resource, key = await self._engine.locate(obj)
        body = obj if body is None else body
        refuse_if_partial(body)
        refuse_metadata_only(Form(type(body), body.gvk), f"update of {self.name}")
        options = self._engine.write_options(
            dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
        )
        call = request.update(resource, key, write(body), options=options, subresource=self.name)
        return await self._answer(call, body)

    async def patch(
        self,
        obj: T,
        patch: Patch | None = None,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Change a part of the subresource; by default by a merge patch of the changes since the object was read.

        An answer of another kind (a Scale) leaves the object as it is: read it again to see the effect.
        """
        form, resource, key = await self._engine.locate(obj)
        patch = patch or MergePatch()
        options = self._engine.write_options(
            dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
        )
        call = request.patch(
            resource,
            key,
            patch.data(obj),
            options=options,
            media_type=patch.media_type,
            subresource=self.name,
            accept=accept_of(form),
        )
        return await self._answer(call, obj)

    async def apply(
        self,
        obj: T,
        *,
        force: bool = False,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Apply the subresource's fields of the author's intent, and return the object as it is then."""
        form, resource, key = await self._engine.locate(obj)
        refuse_if_read(obj)
        options = self._engine.write_options(
            dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
        )
        call = request.patch(
            resource,
            key,
            write(obj),
            options=options,
            media_type=APPLY_PATCH,
            subresource=self.name,
            force=force or None,
        )
        return await self._engine.read(call, form)

    async def _answer(self, call: ApiRequest, body: B) -> B:
        """Let the body become what the server answered, unless that is something else: a Status, or another kind."""
        response = await self._engine.call(call)
        form = Form(type(body), body.gvk)
        with naming(call):
            if not form.metadata_only and envelope(response.body).kind != body.kind:
                return body
            check_answer(response.body, form, body.metadata.name or "")
            return become(body, read_object(response.body, form))


def _body_form(kind: Kind[B]) -> Form[B]:
    """Return the form of a body: it is addressed through its object, so a class without a resource will do."""
    return kind if isinstance(kind, Form) else Form(kind, kind.__resource__.group_version_kind)
