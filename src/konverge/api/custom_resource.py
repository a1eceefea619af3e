"""CustomResource: a kind of the author's own, made of a spec and a status.

::

    @resource(group="view.konverge.dev", version="v1", columns=[Column("Replicas", ".spec.replicas")])
    class MarkdownView(CustomResource[MarkdownViewSpec, MarkdownViewStatus]):
        "A set of pages and the servers that show them."

The class is a kind like those of `konverge.models`: the client, the cache and the builder take it. Its spec and status
read as empty where the server has none. `konverge.manifest.crd` makes its CustomResourceDefinition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Generic, TypeVar, get_args, get_origin

from konverge.api.definition import Column, Definition, Scale, Scope
from konverge.api.invalid import InvalidValue
from konverge.api.kind import Resource
from konverge.api.model import Model, ModelMeta, class_annotations, field
from konverge.api.object import Object
from konverge.api.plural import plural_of
from konverge.api.rule import Rule

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")  # what the server takes for every name but the group's
_REMEDIES: Final = {"group": "write a domain such as shop.example.com", "version": "write one such as v1 or v1beta1"}
_GROUP = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+")


class Spec(Model):
    """What the users of a kind ask for; subclass it with annotated attributes."""


class Status(Model):
    """What the controller of a kind found; subclass it with annotated attributes."""


S = TypeVar("S", bound=Model)
T = TypeVar("T", bound=Model | None)
C = TypeVar("C", bound=type[Object])


class CustomResourceMeta(ModelMeta):
    """Gives the class its spec and status, by the type arguments of `CustomResource[…]`."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **given: Any) -> CustomResourceMeta:
        """Create the class with a spec and a status of its own."""
        for base in namespace.get("__orig_bases__", ()):
            if isinstance(get_origin(base), CustomResourceMeta):
                for attribute, kind in zip(("spec", "status"), get_args(base), strict=True):
                    _declare(name, attribute, kind=kind, namespace=namespace)
        return super().__new__(mcs, name, bases, namespace, **given)  # type: ignore[return-value]  # made by mcs


def _declare(name: str, attribute: str, *, kind: Any, namespace: dict[str, Any]) -> None:
    """Add an attribute to a class body, unless its author declares it there, with markers for one."""
    annotations = namespace["__annotations__"] = class_annotations(namespace)
    if attribute in annotations or isinstance(kind, TypeVar):
        return
    if kind is type(None):
        annotations[attribute], namespace[attribute] = Any, field(default=None)
    elif isinstance(kind, type) and issubclass(kind, Model):
        annotations[attribute], namespace[attribute] = kind, field(default_factory=kind)
    else:
        raise TypeError(f"{name}: its {attribute} is {kind!r}: name a subclass of kv.Model that is defined above it")


class CustomResource(Object, Generic[S, T], metaclass=CustomResourceMeta):
    """A kind with a spec and a status; `CustomResource[MySpec, None]` is one without a status."""

    spec: S = field(default=None)
    status: T = field(default=None)


def resource(
    *,
    group: str,
    version: str,
    kind: str | None = None,
    plural: str | None = None,
    singular: str | None = None,
    scope: Scope = "Namespaced",
    short_names: Iterable[str] = (),
    categories: Iterable[str] = (),
    columns: Iterable[Column] = (),
    status: bool | None = None,
    scale: Scale | None = None,
    selectable_fields: Iterable[str] = (),
    rules: Iterable[Rule] = (),
    served: bool = True,
    storage: bool | None = None,
    deprecated: bool | str = False,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> Callable[[C], C]:
    """Make a class stand for one version of a kind.

    The kind is the class's name and the plural is made from it, unless they are given. There is a status subresource
    where there is a status. Of several versions one has `storage=True`. `deprecated` is the warning that users of the
    version get, or True for the server's own. `labels` and `annotations` are those of the CRD.
    """

    def decorate(cls: C) -> C:
        name = kind or cls.__name__
        _checked(cls, "kind", name.lower(), _NAME)
        if scope not in ("Namespaced", "Cluster"):
            raise InvalidValue(f"{cls.__qualname__}: {scope!r} is no scope: write Namespaced or Cluster")
        definition = Definition(
            group=_checked(cls, "group", group, _GROUP),
            version=_checked(cls, "version", version, _NAME),
            kind=name,
            plural=_checked(cls, "plural", plural or plural_of(name), _NAME),
            singular=_checked(cls, "singular", singular or name.lower(), _NAME),
            scope=scope,
            short_names=tuple(_checked(cls, "short name", each, _NAME) for each in short_names),
            categories=tuple(categories),
            columns=tuple(columns),
            status=_has_status(cls) if status is None else status,
            scale=scale,
            selectable_fields=tuple(selectable_fields),
            rules=tuple(rules),
            served=served,
            storage=storage,
            deprecated=deprecated,
            labels=tuple((labels or {}).items()),
            annotations=tuple((annotations or {}).items()),
        )
        cls.__definition__ = definition  # type: ignore[attr-defined]  # read by definition_of alone
        cls.__resource__ = _resource(definition)
        return cls

    return decorate


def definition_of(cls: type[Object]) -> Definition:
    """Return what `resource` said of a class."""
    found: Definition | None = cls.__dict__.get("__definition__")
    if found is None:
        raise InvalidValue(f"{cls.__qualname__} is no custom resource: put @kv.resource(group=…, version=…) on it")
    return found


def _resource(definition: Definition) -> Resource:
    names = (("scale", definition.scale is not None), ("status", definition.status))
    return Resource(
        group=definition.group,
        version=definition.version,
        kind=definition.kind,
        plural=definition.plural,
        namespaced=definition.scope == "Namespaced",
        subresources=tuple(name for name, there in names if there),
    )


def _has_status(cls: type[Object]) -> bool:
    declared = [
        part.__dict__["__declared__"] for part in cls.__mro__ if "status" in part.__dict__.get("__declared__", ())
    ]
    return bool(declared) and declared[0]["status"] not in (Any, "T")


def _checked(cls: type, what: str, text: str, pattern: re.Pattern[str]) -> str:
    if not pattern.fullmatch(text):
        remedy = _REMEDIES.get(what, "begin with a letter, and write letters, digits and dashes alone")
        raise InvalidValue(f"{cls.__qualname__}: {text!r} is not the {what} of a custom resource: {remedy}")
    return text
