"""Rbac: what a reconciler may do beside what its builder knows, said on its class.

::

    @kv.rbac("", "secrets", verbs="get", names="registry-login", namespace="shop")
    class Reconciler: ...

`konverge manifests` makes Roles and ClusterRoles of it. What a controller reconciles, owns and watches needs no word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, TypeVar

import msgspec

from konverge.errors import RequestError

ALL: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
"""Every verb that the client has. `"*"` is more: also those that raise one's own rights, such as escalate."""

_GRANTS: Final = "__rbac__"
T = TypeVar("T", bound=Callable[..., Any])


class Grant(msgspec.Struct, frozen=True, order=True, kw_only=True):
    """Some verbs on some resources, or on some URLs; everywhere, or in one namespace."""

    groups: tuple[str, ...] = ()  # the core group is ""
    resources: tuple[str, ...] = ()  # plurals; a subresource is "deployments/scale"
    verbs: tuple[str, ...]
    names: tuple[str, ...] = ()  # of objects; none: all of them
    urls: tuple[str, ...] = ()  # of no resource, such as /metrics
    namespace: str = ""  # none: all of them
    only: bool = False  # these verbs take the place of what the builder would allow on the resources

    def __post_init__(self) -> None:
        if self.only:
            self._check_only()
        elif not self.verbs:
            raise RequestError(f"{_said(self)} needs verbs, such as verbs=kv.ALL")
        if bool(self.resources) == bool(self.urls):
            raise RequestError(f"{_said(self)} needs resources or urls, one of the two")
        if self.urls and (self.namespace or self.names or self.groups):
            raise RequestError(f"{_said(self)}: urls are in no group and no namespace, and have no objects")
        if self.names and "create" in self.verbs:
            raise RequestError(
                f"{_said(self)}: an object that is created has no name to check yet, so create with names allows "
                "nothing: declare it without names"
            )

    def _check_only(self) -> None:
        if self.names or self.namespace or self.urls:
            raise RequestError(
                f"{_said(self)}: only=True cuts what the builder allows, which has no names, namespace or urls: "
                "declare these apart"
            )


def _said(grant: Grant) -> str:
    return f"@kv.rbac of {', '.join(grant.resources or grant.urls) or 'nothing'}"


def rbac(
    group: str | Iterable[str] = "",
    resources: str | Iterable[str] = (),
    *,
    verbs: str | Iterable[str],
    names: str | Iterable[str] = (),
    urls: str | Iterable[str] = (),
    namespace: str = "",
    only: bool = False,
) -> Callable[[T], T]:
    """Say on a reconciler (its class, or its function) what it may do; as often as there is something to say.

    The core group is "" or "core". With `names` it is allowed on these objects alone, with `namespace` in this
    namespace alone. `urls` are paths that belong to no resource. With `only` these verbs (none: `verbs=()`) are all
    that is allowed on what the controller reconciles, owns or watches; without a word it would be allowed more.
    """
    groups = () if urls and not group else tuple("" if each == "core" else each for each in _several(group))
    made = Grant(
        groups=groups,
        resources=_several(resources),
        verbs=_several(verbs),
        names=_several(names),
        urls=_several(urls),
        namespace=namespace,
        only=only,
    )

    def decorate(target: T) -> T:
        setattr(target, _GRANTS, (made, *getattr(target, _GRANTS, ())))
        return target

    return decorate


def _several(words: str | Iterable[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


def grants_of(reconciler: object) -> tuple[Grant, ...]:
    """Return what was said on a reconciler, in the order in which it stands there."""
    while isinstance(reconciler, partial):
        reconciler = reconciler.func
    own: tuple[Grant, ...] = getattr(reconciler, _GRANTS, ())
    below: tuple[Grant, ...] = getattr(getattr(reconciler, "__self__", None), _GRANTS, ())  # of a bound method
    method: tuple[Grant, ...] = getattr(getattr(reconciler, "reconcile", None), _GRANTS, ())
    return (*own, *below, *method)
