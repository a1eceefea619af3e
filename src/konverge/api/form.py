"""The form in which objects of a kind are read: typed, unstructured, or metadata only.

Wherever the client takes a kind, it takes a class (`core_v1.Pod`) or one of these::

    await client.get(unstructured("apps/v1", "Deployment"), "web", namespace="shop")     # an Unstructured
    await client.list(metadata_only(core_v1.Secret))                                     # PartialObjectMetadata
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec

from konverge.api.kind import GroupVersionKind, Resource
from konverge.api.object import Object
from konverge.api.unstructured import PartialObjectMetadata, Unstructured
from konverge.errors import RequestError

T = TypeVar("T", bound=Object)


class Form(msgspec.Struct, Generic[T], frozen=True):
    """A kind and the class its objects are read as."""

    cls: type[T]
    gvk: GroupVersionKind
    resource: Resource | None = None  # None: discovery has to find out the plural and the scope

    @property
    def metadata_only(self) -> bool:
        """Whether the server is asked for the metadata alone."""
        return issubclass(self.cls, PartialObjectMetadata)


Kind = type[T] | Form[T]
"""What the client's verbs take: a class, or a form made by `unstructured` or `metadata_only`."""


def typed(cls: type[T]) -> Form[T]:
    """Return the form of a class that stands for one kind."""
    return _typed(cls)


@lru_cache(maxsize=1024)  # every read asks; not for ever, since classes may be made as a program goes
def _typed(cls: type[Any]) -> Form[Any]:
    resource: Resource | None = getattr(cls, "__resource__", None)
    if resource is None or cls in (Unstructured, PartialObjectMetadata):
        raise RequestError(
            f"{cls.__qualname__} stands for no kind of its own: name one, by a class of konverge.models, "
            'unstructured("apps/v1", "Deployment") or metadata_only(…)'
        )
    return Form(cls, resource.group_version_kind, resource)


def unstructured(api_version: str, kind: str) -> Form[Unstructured]:
    """Read objects of any kind as `Unstructured`; discovery finds the resource."""
    return Form(Unstructured, GroupVersionKind.parse(api_version, kind))


def metadata_only(kind: Kind[T]) -> Form[PartialObjectMetadata]:
    """Read only the metadata of a kind's objects: less to send, to decode and to keep."""
    form = form_of(kind)
    return Form(PartialObjectMetadata, form.gvk, form.resource)


def form_of(kind: Kind[T]) -> Form[T]:
    """Return the form of whatever a verb was given."""
    return kind if isinstance(kind, Form) else typed(kind)


def form_of_object(obj: T) -> Form[T]:
    """Return the form of an object at hand."""
    if isinstance(obj, (Unstructured, PartialObjectMetadata)):
        return Form(type(obj), obj.gvk)
    return typed(type(obj))
